package import SluiceModel
import SluiceStore

/// Setting and removing faults (G2).
extension VerbContext {
    func setFault(_ request: FaultRequest) throws {
        try request.check()
        try refuseProtected("faults")
        let number = try store.storeRecord().faults.last + 1
        var wanted = try Fault(
            number: number, filter: request.filter, kind: request.kind,
            limit: request.limit(of: number), by: person)
        wanted.until = request.forMilliseconds.map { real + $0 }
        try DebuggerPart.faults.refuseOlder(among: store.processes(), isAgreed: request.endsOlder)
        let added = try mutation.add(wanted)
        answer.faults = [added]
        if added.kind.isCrash { answer.consequences = [try crash()] }
        var undo = UndoRecord()
        undo.faults = [.init(number: added.number, before: nil)]
        try journal(
            "fault", queue: nil,
            "fault \(added.number) set by \(person): \(added.sentence(at: real))", undo: undo)
    }

    /// Whom a crash kills.
    private func crash() throws -> String {
        let runners = try store.processes().filter { $0.isWorking && $0.allowsCrash }
        guard !runners.isEmpty else {
            return "no attached worker takes it: only one of sluice work --allow-crash, or of an "
                + "app that allows it, does"
        }
        let names = WordList.and(runners.map { "worker \($0.id) (pid \($0.pid))" })
        return "it kills \(names) and all that runs there"
    }

    func removeFaults(_ selection: NumberSelection) throws {
        let known = try store.storeRecord().faults.all.map(\.number)
        let numbers = try selection.numbers(among: known, "fault")
        let removed = try mutation.removeFaults(Set(numbers))
        guard !removed.isEmpty else {
            answer.summary = "there is no fault"
            return
        }
        answer.faults = try store.storeRecord().faults.all
        var undo = UndoRecord()
        undo.faults = removed.map { .init(number: $0.number, before: $0) }
        let what = WordList.and(removed.map { "\($0.number)" })
        try journal(
            "faultRemove", queue: nil,
            "fault\(removed.count == 1 ? "" : "s") \(what) removed by \(person)", undo: undo)
    }

    /// Undoes a verb on faults: removes those it set, and sets again those it removed unless they
    /// expired. Injected faults remain.
    func restoreFaults(_ record: UndoRecord) throws {
        guard !record.faults.isEmpty else { return }
        for image in record.faults {
            if let before = image.before {
                try refuseProtected("faults")
                guard try mutation.restore(before) else { continue }
                faultImages.append(.init(number: image.number, before: nil))
            } else {
                let removed = try mutation.removeFaults([image.number])
                faultImages += removed.map { .init(number: $0.number, before: $0) }
            }
        }
        guard faultImages.isEmpty else { return }
        let what = WordList.and(record.faults.map { "\($0.number)" })
        throw QueueError.notLegal("fault \(what) ended since")
    }
}

extension Fault {
    /// The fault in one line: `give-up in the next 3 attempts of type:mail, for 1h`.
    package func sentence(at now: Timestamp) -> String {
        let times =
            switch limit {
            case .times(1): "in the next attempt of"
            case .times(let times): "in the next \(times) attempts of"
            case .chance(let chance, let seed):
                "with chance \(chance) (seed \(seed)) in attempts of"
            }
        let end = until.map { "for \(DurationText.taken($0 - now))" } ?? "until it is removed"
        return "\(kind.words) \(times) \(filter), \(end)"
    }
}
