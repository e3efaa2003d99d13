package import SluiceModel
package import SluiceStore

/// How the tables answer a selection of tasks that is no page: one range of one index, in the order
/// of that index. `?` are bound by `TableReader.ranges`, the limit comes last.
struct SelectionQuery {
    let tasks: Query
    let count: Query

    private init(_ range: String, other: String? = nil, order: String = "") {
        let order = order.isEmpty ? "" : " ORDER BY \(order)"
        tasks = TaskColumns.select(
            "\(range)\(order) LIMIT ?", other: other.map { "\($0)\(order) LIMIT ?" })
        count = Query(Self.counted(range), other: other.map(Self.counted))
    }

    private static func counted(_ range: String) -> String {
        "SELECT count(*) FROM (SELECT 1 \(range) LIMIT ?) AS found"
    }

    private static let roles = "FROM sluice_role r CROSS JOIN sluice_task t ON t.id = r.task"

    static let holdingStarts = SelectionQuery(
        """
        \(roles) WHERE r.queue = ? AND r.name = ? AND r.holds = 1
            AND r.position > ? AND r.position < ?
        """, order: "r.position")
    static let waitingMembers = SelectionQuery(
        """
        \(roles) WHERE r.queue = ? AND r.name = ? AND r.is_member = 1 AND r.state = 0
            AND r.position > ? AND r.position <= ?
        """, order: "r.position")
    static let uniqueHolders = SelectionQuery(
        """
        FROM sluice_task t INDEXED BY sluice_task_unique
        WHERE t.queue = ? AND t.unique_key = ? AND t.type = ? AND t.state <= 1
        """, order: "t.id")
    static let keyUses = SelectionQuery(
        """
        FROM sluice_task t INDEXED BY sluice_task_used
        WHERE t.queue = ? AND t.unique_key = ? AND t.type = ? AND t.state >= 2 AND t.state <= 3
        """, order: "t.created_at DESC, t.id DESC")
    private static let inStates = "((1 << CAST(t.state AS INTEGER)) & CAST(? AS INTEGER)) <> 0"
    static let numbered = SelectionQuery(
        "FROM sluice_task t WHERE t.id > ? AND \(inStates)", order: "t.id")
    static let newest = SelectionQuery(
        "FROM sluice_task t WHERE t.id <= ? AND \(inStates)", order: "t.id DESC")
    static let followUps = SelectionQuery("FROM sluice_task t WHERE t.parent = ?", order: "t.id")
    /// Running tasks are found by the counts of queues with any; at a server, by their owner.
    static let running = SelectionQuery(
        "FROM \(TaskColumns.running)", other: "FROM sluice_task t WHERE t.owner = ? AND t.state = 1"
    )
    static let lingering = SelectionQuery(
        "FROM sluice_task t WHERE t.owner = ? AND t.lane >= 0", order: "t.id")
    static let awaited = SelectionQuery(
        """
        FROM sluice_task t INDEXED BY sluice_task_session
        WHERE t.session = ? AND t.state = ? AND t.id > ? AND t.marks & 4 = 0
        """, order: "t.id")
    static let timersAt = SelectionQuery(
        "FROM sluice_task t WHERE t.wakes_at = ? AND t.id > ?", order: "t.id")
    static let timersAfter = SelectionQuery(
        "FROM sluice_task t WHERE t.wakes_at > ? AND t.wakes_at <= ?", order: "t.wakes_at, t.id")
    static let queueTimersAt = SelectionQuery(
        "FROM sluice_task t WHERE t.queue = ? AND t.wakes_at = ? AND t.id > ?", order: "t.id")
    static let queueTimersAfter = SelectionQuery(
        "FROM sluice_task t WHERE t.queue = ? AND t.wakes_at > ? AND t.wakes_at <= ?",
        order: "t.wakes_at, t.id")
    static let expiring = SelectionQuery(
        "FROM sluice_task t WHERE t.expiring_at <= ?", order: "t.expiring_at, t.id")
    static let fresh = SelectionQuery(
        """
        FROM sluice_task t WHERE t.queue = ? AND t.state = 0 AND t.fresh_at > 0
            AND t.fresh_at >= ? AND t.fresh_at <= ?
        """, order: "t.fresh_at")
    /// The rank sorts newest first, so older ends come after the cutoff's last key.
    static let ended = SelectionQuery(
        "FROM sluice_task t WHERE t.queue = ? AND t.lane = ? AND t.rank > ?",
        order: "t.rank DESC")
}

/// A range of an index with its bound values.
struct SelectionRange {
    let query: SelectionQuery
    let values: [Value]

    enum Value {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
    }

    func bind(to row: any BoundStatement, limit: Int) {
        for value in values {
            switch value {
            case .integer(let number): row.bind(number)
            case .text(let text): row.bind(text)
            case .bytes(let bytes): row.bind(bytes)
            }
        }
        row.bind(limit)
    }
}

extension SelectionRange.Value {
    static func moment(_ moment: Timestamp) -> Self { .integer(moment.milliseconds) }

    /// One bit for the code of each requested state.
    static func states(_ states: Set<TaskState.Name>?) -> Self {
        .integer((states ?? Set(TaskState.Name.allCases)).reduce(0) { $0 | 1 << $1.code })
    }
}

extension TableReader {
    package func tasks(_ selection: TaskSelection, limit: Int) throws -> [QueueTask] {
        if let known = known(selection, limit: limit) { return known }
        switch selection {
        case .page(var query):
            query.limit = limit
            return try page(query)
        case .arrived(let queue, let position):
            return try arrived(queue, from: position, isBackwards: false, limit: limit)
        case .arrivedBefore(let queue, let position):
            return try arrived(queue, from: position, isBackwards: true, limit: limit)
        default: break
        }
        var found: [QueueTask] = []
        for range in try ranges(of: selection) where found.count < limit {
            let row = try connection.prepare(range.query.tasks)
            defer { row.reset() }
            range.bind(to: row, limit: limit - found.count)
            found += try tasks(of: row)
        }
        if case .running = selection { found.sort { $0.id < $1.id } }
        return try trusted(found, in: selection)
    }

    /// The query for the first tasks of a selection, if one query is enough.
    func questions(
        _ selection: TaskSelection, limit: Int
    ) throws(QueueError) -> [TableConnection.Question] {
        if case .page(var query) = selection {
            guard let queue = try entry(query.queue) else { return [] }
            query.limit = limit
            return try questions(query, in: queue)
        }
        let ranges = try ranges(of: selection)
        guard ranges.count == 1, let range = ranges.first else { return [] }
        return [(range.query.tasks, { range.bind(to: $0, limit: limit) })]
    }

    package func countTasks(_ selection: TaskSelection, limit: Int) throws -> Int {
        switch selection {
        case .page(let query): return try count(query, limit: limit)
        case .arrived, .arrivedBefore: return try tasks(selection, limit: limit).count
        default: break
        }
        var count = 0
        for range in try ranges(of: selection) where count < limit {
            let row = try connection.prepare(range.query.count)
            defer { row.reset() }
            range.bind(to: row, limit: limit - count)
            if try row.next() { count += row.int(0) }
        }
        return count
    }

    /// The ranges that together hold a selection, in its order; none for a queue that is not there.
    private func ranges(of selection: TaskSelection) throws(QueueError) -> [SelectionRange] {
        typealias Value = SelectionRange.Value
        func range(_ query: SelectionQuery, _ values: Value...) -> [SelectionRange] {
            [SelectionRange(query: query, values: values)]
        }
        func queue(_ name: String) throws(QueueError) -> Value? {
            try entry(name).map { .integer($0.id) }
        }
        switch selection {
        case .page, .arrived, .arrivedBefore: return []
        case .numbered(let after, let states):
            return range(.numbered, .integer(after), .states(states))
        case .newest(let before, let states):
            return range(.newest, .integer(before.map { $0 &- 1 } ?? .max), .states(states))
        case .holdingStarts(let name, let group, let after, let before):
            guard let queue = try queue(name) else { return [] }
            return range(.holdingStarts, queue, .text(group), .integer(after), .integer(before))
        case .waitingMembers(let name, let group, let after, let through):
            guard let queue = try queue(name) else { return [] }
            return range(
                .waitingMembers, queue, .text(group), .integer(after),
                .integer(through ?? .max))
        case .uniqueHolders(let name, let type, let key), .keyUses(let name, let type, let key):
            guard let queue = try queue(name) else { return [] }
            let query = selection.isBackwards ? SelectionQuery.keyUses : .uniqueHolders
            return range(query, queue, .text(key), .text(type))
        case .timers(let name, let after, let through):
            return try timers(name, after: after, through: through)
        case .expiring(let through):
            return range(.expiring, .integer(through?.milliseconds ?? .max))
        case .fresh(let name, let since, let now):
            guard let entry = try entry(name), case .batched = entry.record.settings.start
            else { return [] }
            return range(
                .fresh, .integer(entry.id), .integer(since?.milliseconds ?? .min), .moment(now))
        case .running(let process):
            try writeTallies()
            return range(.running, .integer(process))
        case .lingering(let process): return range(.lingering, .integer(process))
        case .followUps(let parent): return range(.followUps, .integer(parent))
        case .awaited(let session, let state, let after):
            return range(.awaited, .text(session), .integer(state.code), .integer(after))
        case .ended(let name, let state, let moment):
            guard state != .waiting, state != .running, let queue = try queue(name)
            else { return [] }
            let key = OrderKey(moment: moment, id: .min, isNewestFirst: true)
            return range(
                .ended, queue, .integer(IndexBucket.number(of: state)), .bytes(key.bytes))
        }
    }

    /// First a range for the time of the cursor, because any number of tasks may wake at the same
    /// time.
    private func timers(
        _ name: String?, after: TimerCursor?, through: Timestamp?
    ) throws(QueueError) -> [SelectionRange] {
        var queue: [SelectionRange.Value] = []
        if let name {
            guard let entry = try entry(name) else { return [] }
            queue = [.integer(entry.id)]
        }
        let last = through?.milliseconds ?? .max
        var ranges: [SelectionRange] = []
        if let after, after.at.milliseconds <= last {
            ranges.append(
                SelectionRange(
                    query: queue.isEmpty ? .timersAt : .queueTimersAt,
                    values: queue + [.moment(after.at), .integer(after.id)]))
        }
        let first = after?.at.milliseconds ?? .min
        ranges.append(
            SelectionRange(
                query: queue.isEmpty ? .timersAfter : .queueTimersAfter,
                values: queue + [.integer(first), .integer(last)]))
        return ranges
    }
}
