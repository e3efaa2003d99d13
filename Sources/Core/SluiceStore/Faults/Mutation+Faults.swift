package import SluiceModel

/// Adds and removes faults, and injects them in the commit of the claim (G2). Costs no query
/// without faults.
extension Mutation {
    /// Adds a fault under the next number and returns it with that number.
    package func add(_ fault: Fault) throws -> Fault {
        try forgetEndedFaults()
        var added = fault
        try changeFaults { faults in
            faults.last += 1
            added.number = faults.last
            faults.all.append(added)
        }
        return added
    }

    /// Restores an active fault under its own number unless that number is in use. Returns whether
    /// it did.
    package func restore(_ fault: Fault) throws -> Bool {
        guard try store.storeRecord().faults[fault.number] == nil, fault.isActive(at: real) else {
            return false
        }
        try changeFaults { faults in
            faults.all.append(fault)
            faults.all.sort { $0.number < $1.number }
        }
        return true
    }

    @discardableResult
    package func removeFaults(_ numbers: Set<Int64>) throws -> [Fault] {
        let removed = try store.storeRecord().faults.all.filter { numbers.contains($0.number) }
        guard !removed.isEmpty else { return [] }
        try changeFaults { $0.all.removeAll { numbers.contains($0.number) } }
        return removed
    }

    /// Forgets those whose time is over, with a line in the journal.
    func forgetEndedFaults() throws {
        let ended = try store.storeRecord().faults.all.filter { $0.isOver(at: real) }
        guard !ended.isEmpty else { return }
        try changeFaults { $0.all.removeAll { ended.contains($0) } }
        try recordEnds(of: ended)
    }

    private func recordEnds(of ended: [Fault]) throws {
        for fault in ended { try recordEnd("faultEnd", "fault \(fault.number)", fault.until) }
    }

    private func changeFaults(_ change: (inout Faults) -> Void) throws {
        var record = try store.storeRecord()
        change(&record.faults)
        record.version += 1
        knownFaults = nil
        try store.put(record)
    }

    /// Whether there is any fault, asked once in a commit.
    private func hasFaults() throws -> Bool {
        if let known = knownFaults { return known }
        let found = try !store.storeRecord().faults.isEmpty
        knownFaults = found
        return found
    }

    /// The fault injected into an attempt that starts. Counts the injection and writes a journal
    /// line. Removes a fault that has no injections left.
    func injection(
        into task: QueueTask, payload: [UInt8]?, attempt: Int, runner: ProcessRecord
    ) throws -> Injection? {
        guard try hasFaults() else { return nil }
        var faults = try store.storeRecord().faults
        let facts = CommitFacts(self, task, payload: payload)
        let (fault, hasCounted) = try faults.take(task, facts, allowsCrash: runner.allowsCrash)
        guard hasCounted else { return nil }
        let ended = faults.all.filter { $0.isOver(at: real) }
        faults.all.removeAll { !$0.isActive(at: real) }
        try changeFaults { $0 = faults }
        try recordEnds(of: ended)
        guard let fault else { return nil }
        let last = fault.isSpent ? ", and is spent" : ""
        // A word alone would be read as one of the sentence: "injected twice into attempt 1".
        let words = fault.kind.words
        let kind = words.contains("=") ? words : "\"\(words)\""
        try store.append([
            JournalEvent(
                at: real, kind: JournalEvent.injected, queue: task.queue, task: task.id,
                by: "sluice",
                text: "fault \(fault.number) injected \(kind) into attempt \(attempt) "
                    + "of #\(task.id) \(task.type)\(last)")
        ])
        return Injection(fault: fault.number, kind: fault.kind)
    }
}

extension JournalEvent {
    /// The kind of the lines about what faults injected.
    package static let injected = "injected"
}
