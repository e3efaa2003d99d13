import QueueModel
import QueueStore

/// A page of the tasks that a `TaskQuery` wants, as the statement that answers it: one for each
/// index and direction, so that a page is a range of one index.
struct PageQuery {
    private enum Source: Int, CaseIterable {
        case state, lane, group, readyType
    }

    private static let forwards = Source.allCases.map { make($0, isBackwards: false) }
    private static let backwards = Source.allCases.map { make($0, isBackwards: true) }
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
        if wanted.group != nil { return [PageQuery(wanted, .group)] }
        guard wanted.lane != nil, wanted.state == .waiting else {
            return [PageQuery(wanted, .state)]
        }
        if wanted.lane == .ready, let types = wanted.types, types.count <= fewTypes {
            return Set(types).map { PageQuery(wanted, .readyType, type: $0) }
        }
        return [PageQuery(wanted, .lane)]
    }

    var query: Query {
        (wanted.isBackwards ? Self.backwards : Self.forwards)[source.rawValue]
    }

    func bind(queueID: Int64, to statement: Statement) {
        let types = type == nil ? wanted.types.map { JSONValue($0).text } : nil
        let lane = wanted.lane.map { Int64($0.rawValue) }
        statement.bind(queueID)
        statement.bind(source == .lane ? lane : wanted.state.code)
        statement.bind(wanted.after?.bytes ?? (wanted.isBackwards ? Self.behindAll : []))
        statement.bind(wanted.limit)
        statement.bind(types)
        statement.bind(wanted.isOffline ? NeedBits.requirements.rawValue : 0)
        statement.bind(source == .lane ? nil : lane)
        if let name = type ?? wanted.group { statement.bind(name) }
    }

    private static func make(_ source: Source, isBackwards: Bool) -> Query {
        let table = source == .group ? "r" : "t"
        var text =
            source == .group
            ? "FROM sluice_role r CROSS JOIN sluice_task t ON t.id = r.task WHERE r.queue = ?1"
            : "FROM sluice_task t WHERE t.queue = ?1"
        switch source {
        case .state: text += " AND t.state = ?2"
        case .lane: text += " AND t.state = 0 AND t.lane = ?2"
        case .group: text += " AND r.state = ?2 AND r.name = ?8"
        case .readyType: text += " AND t.state = 0 AND t.lane = 0 AND t.type = ?8"
        }
        text += " AND \(table).rank \(isBackwards ? "<" : ">") ?3"
        text += " AND (?5 IS NULL OR t.type IN (SELECT value FROM json_each(?5)))"
        text += " AND t.needs & ?6 = 0 AND (?7 IS NULL OR t.lane = ?7)"
        return TaskColumns.select(
            text + " ORDER BY \(table).rank\(isBackwards ? " DESC" : "") LIMIT ?4")
    }
}
