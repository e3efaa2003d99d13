import QueueModel
import QueueStore

/// A page of the tasks that a `TaskQuery` wants, as the statement that answers it: one for each
/// index and direction, so that a page is a range of one index.
struct PageQuery {
    /// States and indexes stand in the text: where a bound number could decide between partial
    /// indexes, SQLite compiles the statement again each time one is bound.
    private enum Source {
        case state(TaskState.Name)
        case lane
        case group(TaskState.Name)
        case readyType

        static let all =
            TaskState.Name.allCases.map { Source.state($0) }
            + TaskState.Name.allCases.map { .group($0) } + [.lane, .readyType]

        var number: Int {
            let states = TaskState.Name.allCases.count
            return switch self {
            case .state(let state): Int(state.code)
            case .group(let state): states + Int(state.code)
            case .lane: 2 * states
            case .readyType: 2 * states + 1
            }
        }
    }

    private static let forwards = made(isBackwards: false)
    private static let backwards = made(isBackwards: true)
    /// Larger than every key: none begins with so many of the largest byte.
    private static let behindAll = [UInt8](repeating: 255, count: 24)
    private static let fewTypes = 64

    private let wanted: TaskQuery
    private let source: Source
    private let type: String?

    private init(_ wanted: TaskQuery, _ source: Source, type: String? = nil) {
        self.wanted = wanted
        self.source = source
        self.type = type
    }

    /// The pages that together hold what is wanted: one, or for what is ready of a few types one
    /// for each, since tasks of other types may lie before them in any number.
    static func pages(of wanted: TaskQuery) -> [PageQuery] {
        if wanted.group != nil { return [PageQuery(wanted, .group(wanted.state))] }
        guard wanted.lane != nil, wanted.state == .waiting else {
            return [PageQuery(wanted, .state(wanted.state))]
        }
        if wanted.lane == .ready, let types = wanted.types, types.count <= fewTypes {
            return Set(types).map { PageQuery(wanted, .readyType, type: $0) }
        }
        return [PageQuery(wanted, .lane)]
    }

    var query: Query {
        (wanted.isBackwards ? Self.backwards : Self.forwards)[source.number]
    }

    func bind(queueID: Int64, to statement: any BoundStatement) {
        let types = type == nil ? wanted.types.map { JSONValue($0).text } : nil
        statement.bind(queueID)
        statement.bind(wanted.lane.map { Int64($0.rawValue) })
        statement.bind(wanted.after?.bytes ?? (wanted.isBackwards ? Self.behindAll : []))
        statement.bind(wanted.limit)
        statement.bind(types)
        statement.bind(wanted.isOffline ? NeedBits.requirements.rawValue : 0)
        if let name = type ?? wanted.group { statement.bind(name) }
    }

    private static func made(isBackwards: Bool) -> [Query] {
        Source.all.sorted { $0.number < $1.number }.map { make($0, isBackwards: isBackwards) }
    }

    private static func make(_ source: Source, isBackwards: Bool) -> Query {
        TaskColumns.select(
            text(source, isBackwards: isBackwards, types: "SELECT value FROM json_each(?5)"),
            // There a value that is only compared with NULL needs to be told what it is.
            other: text(
                source, isBackwards: isBackwards,
                types: "SELECT jsonb_array_elements_text(CAST(?5 AS JSONB))",
                noLane: "CAST(?2 AS BIGINT) IS NULL", noTypes: "CAST(?5 AS TEXT) IS NULL"))
    }

    private static func text(
        _ source: Source, isBackwards: Bool, types: String, noLane: String = "?2 IS NULL",
        noTypes: String = "?5 IS NULL"
    ) -> String {
        var (table, from) = ("t", "FROM sluice_task t WHERE t.queue = ?1")
        switch source {
        case .state(let state):
            // The plus keeps the lane from choosing an index.
            from += " AND t.state = \(state.code) AND (\(noLane) OR +t.lane = ?2)"
        case .lane:
            from =
                "FROM sluice_task t INDEXED BY sluice_task_lane WHERE t.queue = ?1"
                + " AND t.state = 0 AND t.lane = ?2"
        case .group(let state):
            table = "r"
            from =
                "FROM sluice_role r CROSS JOIN sluice_task t ON t.id = r.task WHERE r.queue = ?1"
                + " AND r.state = \(state.code) AND r.name = ?7 AND (\(noLane) OR +t.lane = ?2)"
        case .readyType:
            from += " AND t.state = 0 AND t.lane = 0 AND t.type = ?7"
            if noLane.hasPrefix("CAST") { from += " AND NOT \(noLane)" }
        }
        return """
            \(from) AND \(table).rank \(isBackwards ? "<" : ">") ?3
            AND (\(noTypes) OR t.type IN (\(types)))
            AND t.needs & ?6 = 0
            ORDER BY \(table).rank\(isBackwards ? " DESC" : "") LIMIT ?4
            """
    }
}
