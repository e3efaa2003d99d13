import SluiceModel
import SluiceStore

/// What a claim from many queues will ask one after the other is asked at once, where a question is
/// a way to a server: how much each holds, and the next tasks of all of them.
extension WriteSession {
    private enum SQL {
        static let next = TaskColumns.select(
            """
            FROM unnest(CAST(?1 AS BIGINT[]), CAST(?2 AS BIGINT[])) AS q (id, count),
                LATERAL (
                    SELECT * FROM sluice_task s
                    WHERE s.queue = q.id AND s.needs & ?3 = 0
                        AND s.lane = \(Shelf.number(of: .ready, isMainType: true))
                    ORDER BY s.rank LIMIT q.count) AS t
            """, withPayload: true)
    }

    /// The answer to a question that nobody has asked yet; true until something of its queue
    /// changes.
    struct Fetched {
        var query: TaskQuery
        var tasks: [QueueTask]
    }

    /// The last positions in the queues to which bodies add tasks, in one question that goes off
    /// with the beginning of their commit. The numbers of queues are those of before: where one has
    /// another by now, its position is asked for when it is wanted.
    func expectPositions(in jobs: [any WriteJob]) throws(QueueError) {
        guard connection.joinsRows else { return }
        let ids = Set(jobs.lazy.compactMap(\.queue).compactMap(settingsCache.number(of:)))
            .filter { !positions.knows($0) }
        guard let row = try connection.many(LastPositions.several, ids.sorted()) else { return }
        defer { row.reset() }
        while try row.next() { positions.note(row.integer(1), of: row.integer(0)) }
    }

    package func expectCounts(of names: [String]) throws {
        guard connection.joinsRows else { return }
        try fetchCounts(of: names.compactMap { try entry($0)?.id })
    }

    package func expect(_ queries: [TaskQuery], limit: Int) throws {
        guard connection.joinsRows, queries.count > 1 else { return }
        try expectCounts(of: queries.map(\.queue))
        var left = limit
        var wanted: [Int64: Fetched] = [:]
        var (ids, limits): ([Int64], [Int64]) = ([], [])
        for query in queries where left > 0 {
            guard let queue = try entry(query.queue), isOnePage(query, queue.types)
            else { continue }
            let counts = try counts(queue: query.queue)
            let room = queue.record.settings.concurrency - counts[.running]
            let count = min(left, room, counts.lanes[.ready] ?? 0)
            guard count > 0, wanted[queue.id] == nil else { continue }
            left -= count
            var query = query
            query.limit = count
            wanted[queue.id] = Fetched(query: query, tasks: [])
            ids.append(queue.id)
            limits.append(Int64(count))
        }
        guard ids.count > 1, let row = try connection.many(SQL.next, ids, limits) else { return }
        defer { row.reset() }
        row.bind(queries[0].isOffline ? NeedBits.requirements.rawValue : 0)
        for task in try tasksWithPayloads(of: row) {
            if let id = try entry(task.queue)?.id { wanted[id]?.tasks.append(task) }
        }
        memory.fetched = wanted
    }

    /// A page of what is ready in one queue, for which a claim asks.
    struct Habit: Equatable {
        var page: PageQuery
        var queue: Int64

        /// The same page with another limit.
        func limited(to limit: Int) -> Habit {
            var other = self
            other.page.limit = limit
            return other
        }
    }

    /// A runner's claims are alike: for what the last two of them asked, the next one asks with the
    /// beginning of its commit. What ended is settled before it, and changes nothing of what waits;
    /// where it does, it is asked again.
    package func expectClaim(freeSlots: Int) {
        guard let habit else { return }
        // Of what few slots took before, no more than twice as much is fetched in vain.
        let wanted = habit.limited(to: min(freeSlots, 2 * habit.page.limit))
        guard wanted.page.limit > 0 else { return }
        let isAsked = connection.askAhead(wanted.page.queryWithPayloads) {
            wanted.page.bind(queueID: wanted.queue, to: $0)
        }
        if isAsked { memory.foreseen = wanted }
    }

    /// The answer to that, where it is what a claim asks for now.
    func takeForeseen(
        _ page: PageQuery, queue: Int64
    ) throws(QueueError) -> [QueueTask]? {
        let asked = Habit(page: page, queue: queue)
        habit = lastPage?.limited(to: page.limit) == asked ? asked : nil
        lastPage = asked
        guard let ahead = memory.foreseen else { return nil }
        memory.foreseen = nil
        guard ahead.limited(to: page.limit) == asked, page.limit <= ahead.page.limit,
            let row = try connection.answerAhead(page.queryWithPayloads)
        else { return nil }
        defer { row.reset() }
        return Array(try tasksWithPayloads(of: row).prefix(page.limit))
    }

    /// Whether what is ready of these types stands on the first shelf, with nothing else.
    private func isOnePage(_ query: TaskQuery, _ types: QueueTypes) -> Bool {
        guard !types.isMixed, let main = types.main else { return false }
        return query.types?.contains(main) ?? true
    }

    /// What was fetched for a question, once: who asked changes what it is given.
    func takeFetched(for query: TaskQuery) throws(QueueError) -> [QueueTask]? {
        guard !memory.fetched.isEmpty, let queue = try entry(query.queue)?.id,
            let fetched = memory.fetched.removeValue(forKey: queue)
        else { return nil }
        var other = fetched.query
        other.limit = query.limit
        guard other == query else { return nil }
        let isAll = fetched.tasks.count < fetched.query.limit
        guard isAll || query.limit <= fetched.query.limit else { return nil }
        return Array(fetched.tasks.prefix(query.limit))
    }
}
