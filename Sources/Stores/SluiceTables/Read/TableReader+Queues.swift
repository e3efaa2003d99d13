package import SluiceModel
package import SluiceStore

/// Queries over many queues, answered from indexes. A process at a server caches all queues anyway
/// and filters them.
extension TableReader {
    private enum SQL {
        static let holding = Query(
            """
            SELECT queue FROM sluice_tally INDEXED BY sluice_tally_state
            WHERE state = ? AND queue > 0
            """)
        static let waitingPage = Query(
            """
            SELECT queue FROM sluice_tally INDEXED BY sluice_tally_state
            WHERE state = 0 AND queue > ? ORDER BY queue LIMIT ?
            """)
        static let count = Query("SELECT count(*) FROM sluice_queue")
        static let before = Query(
            """
            SELECT (SELECT count(*) FROM sluice_queue WHERE priority > ?1)
                + (SELECT count(*) FROM sluice_queue WHERE priority = ?1 AND name < ?2)
            """)
        static let page = Query(
            """
            SELECT \(TableReader.columns) FROM sluice_queue INDEXED BY sluice_queue_order
            ORDER BY priority DESC, name LIMIT ? OFFSET ?
            """)
        static let moments = Query(
            """
            SELECT \(TableReader.columns) FROM sluice_queue INDEXED BY sluice_queue_moment
            WHERE \(hasMomentOrRate)
            """)
        static let tallies = Query("SELECT state, lane, n FROM sluice_tally WHERE queue > 0")
    }

    /// The condition of the index of queues with timed pauses or batched runs.
    package static let hasMoment =
        """
        instr(pauses, '"until":') > 0 OR instr(settings, '"mode":"batched"') > 0
        """
    /// The same with rates. It begins as the former one, so that older programs use its index.
    package static let hasMomentOrRate = "\(hasMoment) OR instr(settings, '\"rate\":') > 0"

    package func queues(_ selection: QueueSelection) throws -> [SharedQueue] {
        switch selection {
        case .all: try knownQueues().map(\.shared)
        case .named(let name): try entry(name).map { [$0.shared] } ?? []
        case .inUse(let marks): try queues(inUse: marks)
        case .busy: try busyQueues().map(\.shared)
        case .holding(let states): try queues(holding: states)
        case .withMoments: try queuesWithMoments()
        case .page(let behind, let limit): try queues(behind: behind, limit: limit)
        }
    }

    private func queues(inUse marks: WaitFlags) throws -> [SharedQueue] {
        // Rare flags are usually set in no queue. Then the queues need not be loaded.
        if connection.isRemote {
            if !marks.isEmpty, try queuesWaiting(in: marks).isEmpty { return [] }
            // At a server all queues are loaded in any case.
            let all = try knownQueues()
            guard all.count > Self.fewQueues else { return all.map(\.shared) }
        }
        return try queues(numbered: try queuesWaiting(in: marks), orBusy: marks.isEmpty)
            .map(\.shared)
    }

    /// The first few in use are read alone. So a caller that finds work in one of them costs no
    /// list of all queues.
    package func visitQueuesInUse(_ body: (SharedQueue) throws -> Bool) throws {
        if isWriting || connection.isRemote {
            for queue in try queues(.inUse([])) where try !body(queue) { return }
            return
        }
        let busy = try busyQueues()
        for queue in busy where try !body(queue.shared) { return }
        let seen = Set(busy.map(\.entry.id))
        var (last, size): (Int64, Int) = (0, Self.fewQueues)
        while true {
            let numbers = try queuesWaiting(after: last, limit: size)
            for queue in try queues(numbered: Set(numbers).subtracting(seen), orBusy: false)
            where try !body(queue.shared) { return }
            guard numbers.count >= size, let next = numbers.last else { return }
            (last, size) = (next, Self.manyQueues)
        }
    }

    private static let manyQueues = 1024

    /// A queue has a row for each set of flags, so numbers may repeat.
    private func queuesWaiting(after number: Int64, limit: Int) throws(QueueError) -> [Int64] {
        let row = try connection.prepare(SQL.waitingPage)
        defer { row.reset() }
        row.bind(number)
        row.bind(limit)
        return try row.integers()
    }

    private func queues(holding states: Set<TaskState.Name>) throws -> [SharedQueue] {
        guard !connection.isRemote else { return try queues(.all) }
        try writeTallies()
        var numbers: Set<Int64> = []
        for state in states {
            let row = try connection.prepare(SQL.holding)
            defer { row.reset() }
            row.bind(state.code)
            numbers.formUnion(try row.integers())
        }
        return try queues(numbered: numbers, orBusy: false).map(\.shared)
    }

    private func queuesWithMoments() throws -> [SharedQueue] {
        guard !connection.isRemote else { return try queues(.all) }
        let row = try connection.prepare(SQL.moments)
        defer { row.reset() }
        var found: [SharedQueue] = []
        while try row.next() { found.append(try keep(row).shared) }
        return found.sorted { $0.record.name < $1.record.name }
    }

    private func queues(behind count: Int, limit: Int) throws -> [SharedQueue] {
        guard !connection.isRemote else {
            let all = try queues(.all).sorted { $0.record.isSeen(before: $1.record) }
            return Array(all.dropFirst(count).prefix(limit))
        }
        let row = try connection.prepare(SQL.page)
        defer { row.reset() }
        row.bind(limit)
        row.bind(count)
        var found: [SharedQueue] = []
        while try row.next() { found.append(try keep(row).shared) }
        return found
    }

    package func countQueues(before queue: QueueRecord?) throws -> Int {
        guard !connection.isRemote else {
            return try queues(.all).count { other in
                queue.map { other.record.isSeen(before: $0) } ?? true
            }
        }
        let row = try connection.prepare(queue == nil ? SQL.count : SQL.before)
        defer { row.reset() }
        if let queue {
            row.bind(queue.settings.priority)
            row.bind(queue.name)
        }
        return try row.next() ? row.int(0) : 0
    }

    func storedCounts() throws -> QueueCounts {
        try writeTallies()
        let row = try connection.prepare(SQL.tallies)
        defer { row.reset() }
        var counts = QueueCounts()
        while try row.next() {
            let (state, count) = (try TaskState.Name(code: row.integer(0)), try tally(row, 2))
            guard count != 0 else { continue }
            counts.states[state, default: 0] += count
            guard state == .waiting else { continue }
            counts.waitingByFlags[WaitFlags(rawValue: row.int(1)), default: 0] += count
        }
        return counts
    }
}
