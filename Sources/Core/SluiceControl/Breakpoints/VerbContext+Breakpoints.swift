package import SluiceModel
import SluiceStore

/// Setting and removing breakpoints, and going on from where one stopped (G1).
extension VerbContext {
    func setBreakpoint(_ request: BreakRequest) throws {
        var wanted = try Breakpoint(
            number: 0, filter: request.filter, moment: request.moment, by: person)
        try request.check()
        if request.forMilliseconds == nil { try refuseProtected("breakpoints without an end") }
        try DebuggerPart.breakpoints.refuseOlder(
            among: store.processes(), isAgreed: request.endsOlder)
        (wanted.atHit, wanted.times) = (request.atHit, request.times)
        (wanted.isLog, wanted.owner) = (request.isLog, request.owner)
        wanted.limit = request.limit
        let twins = try twins(of: request)
        wanted.until = request.forMilliseconds.map { real + $0 }
        let added = try mutation.add(wanted)
        answer.breakpoints = [added]
        var undo = UndoRecord()
        undo.breakpoints = [.init(number: added.number, before: nil)]
        if added.owner != nil { answer.consequences = ["it ends with this console"] }
        answer.consequences += twins
        try journal(
            "break", queue: nil,
            "\(added.name) set by \(person): \(added.sentence(at: real))", undo: undo)
    }

    /// The guards of the same tasks. Throws if a guard's queue is missing.
    private func twins(of request: BreakRequest) throws -> [String] {
        guard request.limit != nil else { return [] }
        if let queue = request.filter.queue { _ = try store.requireQueue(queue) }
        return try store.storeRecord().breakpoints.all
            .filter { $0.limit != nil && $0.filter == request.filter.withoutNames }
            .map { "\($0.name) by \($0.by) watches the same tasks" }
    }

    func removeBreakpoints(_ selection: NumberSelection) throws {
        let known = try store.storeRecord().breakpoints.all.map(\.number)
        let numbers = try selection.numbers(among: known, "breakpoint")
        let (removed, resumed) = try mutation.removeBreakpoints(Set(numbers))
        guard !removed.isEmpty else {
            answer.summary = "there is no breakpoint"
            return
        }
        answer.breakpoints = try store.storeRecord().breakpoints.all
        let whom = removed.count == 1 ? "it" : "them"
        answer.consequences = resumed.map { "\($0) is not stopped by \(whom) any more" }
        var undo = UndoRecord()
        undo.breakpoints = removed.map { .init(number: $0.number, before: $0) }
        let what = WordList.and(removed.map { "\($0.number)" })
        try journal(
            "breakRemove", queue: nil,
            "breakpoint\(removed.count == 1 ? "" : "s") \(what) removed by \(person)", undo: undo)
    }

    /// Ends the pause of breakpoints alone; where another one holds, a run goes to the next stop or
    /// to its end.
    func goOn(_ name: String) throws {
        let ended = try mutation.endStop(of: name)
        let queue = try mutation.queue(name)
        let pauses = (try store.storeRecord().pauses + queue.pauses).filter {
            $0.direction.stopsWork && $0.isActive(at: now, real: real)
        }
        guard pauses.isEmpty else { return try run(name, limit: nil) }
        answer.endedPauses = ended
        guard let first = ended.first else {
            answer.summary = "no breakpoint stops \(name)"
            return
        }
        try journal(
            "resume", queue: name, "\(name) continues past \(first.by) by \(person)", undo: nil)
    }

    /// Undoes a verb on breakpoints: removes those it set, and sets again those it removed. Skips
    /// breakpoints that have expired or whose console has ended.
    func restoreBreakpoints(_ record: UndoRecord) throws {
        guard !record.breakpoints.isEmpty else { return }
        let attached = Set(try store.processes().map(\.id))
        for image in record.breakpoints {
            if let before = image.before {
                if before.until == nil { try refuseProtected("breakpoints without an end") }
                guard before.owner.map(attached.contains) ?? true, try mutation.restore(before)
                else { continue }
                breakpointImages.append(.init(number: image.number, before: nil))
            } else {
                let removed = try mutation.removeBreakpoints([image.number]).removed
                breakpointImages += removed.map { .init(number: $0.number, before: $0) }
            }
        }
        guard breakpointImages.isEmpty else { return }
        let what = WordList.and(record.breakpoints.map { "\($0.number)" })
        throw QueueError.notLegal("breakpoint \(what) ended since")
    }
}

extension BreakRequest {
    /// Throws `badValue` for a number below 1.
    fileprivate func check() throws {
        for (option, count) in [("--at-hit", atHit), ("--times", times)] {
            guard let count, count < 1 else { continue }
            throw QueueError.badValue(option, "\(count)", allowed: "1 or more")
        }
        try Self.check(lifetime: forMilliseconds)
    }
}

extension Breakpoint {
    /// The breakpoint in one line: `before type:identify, for 1h`.
    package func sentence(at now: Timestamp) -> String {
        var parts = ["\(Self.words(of: moment)) \(filter)"]
        if let atHit, atHit > 1 { parts.append("from match \(atHit) on") }
        if let times { parts.append(times == 1 ? "once" : "\(times) times") }
        if let limit { parts.append(limit.words) }
        if isLog { parts.append("only a line in the log") }
        parts.append(until.map { "for \(DurationText.taken($0 - now))" } ?? "until it is removed")
        return parts.joined(separator: ", ")
    }
}
