import QueueModel
import QueueStore

/// The statement that answers a `TaskQuery`: one for each index and direction, so that a page is a
/// range of one index.
struct PageQuery {
    private enum Source: Int, CaseIterable {
        case state, lane, group
    }

    private static let forwards = Source.allCases.map { make($0, isBackwards: false) }
    private static let backwards = Source.allCases.map { make($0, isBackwards: true) }
    /// Larger than every key: none begins with so many of the largest byte.
    private static let behindAll = [UInt8](repeating: 255, count: 24)

    private let wanted: TaskQuery
    private let source: Source

    init(_ wanted: TaskQuery) {
        self.wanted = wanted
        let hasLane = wanted.lane != nil && wanted.state == .waiting
        source = wanted.group != nil ? .group : hasLane ? .lane : .state
    }

    var query: Query {
        (wanted.isBackwards ? Self.backwards : Self.forwards)[source.rawValue]
    }

    func bind(queueID: Int64, to statement: Statement) {
        statement.bind(queueID)
        let lane = wanted.lane.map { Int64($0.rawValue) }
        statement.bind(source == .lane ? lane : wanted.state.code)
        statement.bind(wanted.after?.bytes ?? (wanted.isBackwards ? Self.behindAll : []))
        statement.bind(wanted.limit)
        statement.bind(wanted.types.map { JSONValue($0).text })
        statement.bind(wanted.isOffline ? NeedBits.requirements.rawValue : 0)
        statement.bind(source == .lane ? nil : lane)
        if source == .group { statement.bind(wanted.group) }
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
        }
        text += " AND \(table).rank \(isBackwards ? "<" : ">") ?3"
        text += " AND (?5 IS NULL OR t.type IN (SELECT value FROM json_each(?5)))"
        text += " AND t.needs & ?6 = 0 AND (?7 IS NULL OR t.lane = ?7)"
        return TaskColumns.select(
            text + " ORDER BY \(table).rank\(isBackwards ? " DESC" : "") LIMIT ?4")
    }
}
