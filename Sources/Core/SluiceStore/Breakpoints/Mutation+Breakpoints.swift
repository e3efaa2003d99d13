package import SluiceModel

/// How breakpoints come and go (G1). A pause ends with the breakpoints that made it.
extension Mutation {
    /// Adds a breakpoint under the next free number and returns it with that number.
    package func add(_ breakpoint: Breakpoint) throws -> Breakpoint {
        var record = try store.storeRecord()
        var added = breakpoint
        record.breakpoints.last += 1
        added.number = record.breakpoints.last
        record.breakpoints.all.append(added)
        knownBreakpoints = nil
        record.version += 1
        try store.put(record)
        try forgetSpentBreakpoints()
        return added
    }

    /// Restores a breakpoint under its own number unless that number is in use. Returns whether it
    /// did.
    package func restore(_ breakpoint: Breakpoint) throws -> Bool {
        var record = try store.storeRecord()
        guard record.breakpoints[breakpoint.number] == nil, !breakpoint.isOver(at: real) else {
            return false
        }
        record.breakpoints.all.append(breakpoint)
        knownBreakpoints = nil
        record.breakpoints.all.sort { $0.number < $1.number }
        record.version += 1
        try store.put(record)
        return true
    }

    /// Removes breakpoints and their hits in pauses. Returns the removed breakpoints and the queues
    /// that resume.
    @discardableResult
    package func removeBreakpoints(_ numbers: Set<Int64>) throws -> (
        removed: [Breakpoint], resumed: [String]
    ) {
        var record = try store.storeRecord()
        let removed = record.breakpoints.all.filter { numbers.contains($0.number) }
        guard !removed.isEmpty else { return ([], []) }
        record.breakpoints.all.removeAll { numbers.contains($0.number) }
        record.version += 1
        try store.put(record)
        var resumed: [String] = []
        for name in try queuesStopped() {
            try changeHits(in: name) { $0.removeAll { numbers.contains($0.breakpoint) } }
            if try !queue(name).pauses.contains(where: { $0.cause == .breakpoint }) {
                resumed.append(name)
            }
        }
        return (removed, resumed)
    }

    /// Removes the breakpoints that a process set for its own lifetime, after it detached or died.
    func endBreakpoints(of process: ProcessID) throws {
        let own = try store.storeRecord().breakpoints.all.filter { $0.owner == process }
        guard !own.isEmpty else { return }
        try removeBreakpoints(Set(own.map(\.number)))
        for breakpoint in own {
            try store.append([
                JournalEvent(
                    at: real, kind: "breakRemove", queue: nil, task: nil, by: "sluice",
                    text: "\(breakpoint.name) ended with the console of "
                        + breakpoint.by)
            ])
        }
    }

    /// Ends the pause of a queue by breakpoints, and no other; gives its entries.
    @discardableResult
    package func endStop(of name: String) throws -> [Pause] {
        let ended = try queue(name).activePauses(at: now, real: real).filter {
            $0.cause == .breakpoint
        }
        guard !ended.isEmpty else { return [] }
        try changeQueue(name) { $0.pauses.removeAll { $0.cause == .breakpoint } }
        try forgetSpentBreakpoints()
        return ended
    }

    /// Marks every breakpoint hit of a queue as passed. The pause itself remains.
    package func goPastStops(of name: String) throws {
        guard try queue(name).pauses.contains(where: { $0.cause == .breakpoint }) else { return }
        try changeHits(in: name) { hits in
            for index in hits.indices { hits[index].isPassed = true }
        }
    }

    /// Removes expired breakpoints. Also removes breakpoints with no stops left, unless they still
    /// hold a queue.
    package func forgetSpentBreakpoints() throws {
        var record = try store.storeRecord()
        guard record.breakpoints.all.contains(where: { !$0.isActive(at: real) }) else { return }
        let standing = Set(
            try queuesStopped().flatMap { try queue($0).hits(at: real).map(\.breakpoint) })
        let ended = record.breakpoints.all.filter { breakpoint in
            breakpoint.isOver(at: real)
                || breakpoint.isSpent && !standing.contains(breakpoint.number)
        }
        guard !ended.isEmpty else { return }
        record.breakpoints.all.removeAll { ended.contains($0) }
        knownBreakpoints = nil
        record.version += 1
        try store.put(record)
        try recordEnds(of: ended)
    }

    /// Says in the journal of breakpoints that they have ended by themselves, and why.
    func recordEnds(of ended: [Breakpoint]) throws {
        for breakpoint in ended {
            try recordEnd(
                "breakEnd", breakpoint.name,
                breakpoint.isOver(at: real) ? breakpoint.until : nil)
        }
    }

    /// The same of anything that ends; by its time, or else because it is used up.
    func recordEnd(_ kind: String, _ name: String, _ end: Timestamp?) throws {
        let why =
            end.map { "its time was over at \(TimeText.rfc3339($0))" }
            ?? "it was met as often as it was to be"
        try store.append([
            JournalEvent(
                at: real, kind: kind, queue: nil, task: nil, by: "sluice",
                text: "\(name) has ended: \(why)")
        ])
    }

    /// Forgets the breakpoints and the faults that have ended by themselves, each with a line in
    /// the journal.
    package func forgetEnded() throws {
        let record = try store.storeRecord()
        if !record.breakpoints.isEmpty { try forgetSpentBreakpoints() }
        if !record.faults.isEmpty { try forgetEndedFaults() }
    }

    /// The queues that have a pause by breakpoints, as this mutation knows them.
    private func queuesStopped() throws -> [String] {
        try store.queues().map(\.name).filter { name in
            try queue(name).pauses.contains { $0.cause == .breakpoint }
        }
    }
}
