import SluiceModel
import SluiceStore

/// A page of the tasks that a `TaskQuery` wants, as the statement that answers it: one for each
/// index and direction, so that a page is a range of one index.
struct PageQuery: Equatable {
    /// The text contains states and indexes. If a bound number selected between partial indexes,
    /// SQLite would recompile the statement for each new value.
    private enum Source: Equatable {
        case bucket
        case otherType
        /// A bucket without certain types.
        case bucketWithout
        case group(TaskState.Name)

        static let all =
            [Source.bucket, .otherType, .bucketWithout]
            + TaskState.Name.allCases.map { Source.group($0) }

        var number: Int {
            switch self {
            case .bucket: 0
            case .otherType: 1
            case .bucketWithout: 2
            case .group(let state): 3 + Int(state.code)
            }
        }
    }

    private static let forwards = made(isBackwards: false)
    private static let backwards = made(isBackwards: true)
    private static let withPayloads = made(isBackwards: false, withPayload: true)
    private static let counts = [false, true].map { isBackwards in
        [Source.bucket, .otherType].map { count($0, isBackwards: isBackwards) }
    }
    /// Greater than every key: none begins with this number of 0xFF bytes.
    private static let behindAll = [UInt8](repeating: 255, count: 24)
    private static let fewTypes = 64

    /// The key before the first one in this direction.
    static func start(isBackwards: Bool) -> [UInt8] { isBackwards ? behindAll : [] }

    private var wanted: TaskQuery
    private let source: Source
    /// The bucket, or the wait flags for a group.
    private let place: Int64?
    private let type: String?
    private let looksAtType: Bool

    private init(
        _ wanted: TaskQuery, _ source: Source, place: Int64?, type: String? = nil,
        looksAtType: Bool = true
    ) {
        self.wanted = wanted
        self.source = source
        self.place = place
        self.type = type
        self.looksAtType = looksAtType
    }

    /// The pages that together contain the result: one for each bucket. For ready tasks of a few
    /// types there is one for each type, because any number of other tasks may come before them.
    /// `buckets` returns the buckets with waiting tasks of the queue.
    static func pages(
        of wanted: TaskQuery, types: QueueTypes, buckets: () throws(QueueError) -> [Int64]
    ) throws(QueueError) -> [PageQuery] {
        // Only waiting tasks have flags.
        let isNowhere = wanted.state != .waiting && wanted.waitFlags ?? .ready != .ready
        if isNowhere { return [] }
        if wanted.group != nil {
            let waitFlags = wanted.state == .waiting ? wanted.waitFlags : nil
            return [
                PageQuery(wanted, .group(wanted.state), place: waitFlags.map { Int64($0.rawValue) })
            ]
        }
        guard wanted.state == .waiting else {
            return [PageQuery(wanted, .bucket, place: IndexBucket.number(of: wanted.state))]
        }
        guard let waitFlags = wanted.waitFlags else {
            return try buckets().map { PageQuery(wanted, .bucket, place: $0) }
        }
        let main = IndexBucket.number(of: waitFlags, isMainType: true)
        let excluded = wanted.withoutTypes
        var wanted = wanted
        wanted.types = wanted.types.map { $0.filter { !excluded.contains($0) } }
        if waitFlags == .ready, let list = wanted.types, list.count <= fewTypes {
            return Set(list).compactMap { type in
                if type == types.main {
                    return PageQuery(wanted, .bucket, place: main, looksAtType: false)
                }
                guard types.isMixed else { return nil }
                return PageQuery(
                    wanted, .otherType, place: IndexBucket.otherType, type: type, looksAtType: false
                )
            }
        }
        let other = IndexBucket.number(of: waitFlags, isMainType: false)
        let places = types.isMixed ? [main, other] : [main]
        guard !excluded.isEmpty, wanted.types == nil else {
            return places.map { PageQuery(wanted, .bucket, place: $0) }
        }
        return places.compactMap { place in
            guard place == main else { return PageQuery(wanted, .bucketWithout, place: place) }
            // All tasks of this bucket have the main type.
            return types.main.map(excluded.contains) == true
                ? nil : PageQuery(wanted, .bucket, place: main)
        }
    }

    var limit: Int {
        get { wanted.limit }
        set { wanted.limit = newValue }
    }

    var query: Query {
        (wanted.isBackwards ? Self.backwards : Self.forwards)[source.number]
    }

    /// The same with the payloads stored in the rows.
    var queryWithPayloads: Query { Self.withPayloads[source.number] }

    func bind(queueID: Int64, to statement: any BoundStatement) {
        let list = source == .bucketWithout ? wanted.withoutTypes : wanted.types
        let types = looksAtType ? list.map { JSONValue($0).text } : nil
        statement.bind(queueID)
        statement.bind(place)
        statement.bind(wanted.after?.bytes ?? Self.start(isBackwards: wanted.isBackwards))
        statement.bind(wanted.limit)
        statement.bind(types)
        statement.bind(wanted.isOffline ? NeedBits.requirements.rawValue : 0)
        if let name = type ?? wanted.group { statement.bind(name) }
    }

    /// How many rows it is made of, by its index alone; nil where their other columns decide.
    var countQuery: Query? {
        let isRange = source == .bucket || source == .otherType
        let looksAtRows = wanted.isOffline || (looksAtType && wanted.types != nil)
        return isRange && !looksAtRows
            ? Self.counts[wanted.isBackwards ? 1 : 0][source.number] : nil
    }

    /// Binds the values of `countQuery`.
    func bindCount(queueID: Int64, to statement: any BoundStatement) {
        statement.bind(queueID)
        if let type { statement.bind(type) } else { statement.bind(place) }
        statement.bind(wanted.after?.bytes ?? Self.start(isBackwards: wanted.isBackwards))
        statement.bind(wanted.limit)
    }

    private static func count(_ source: Source, isBackwards: Bool) -> Query {
        let (index, range) =
            source == .bucket
            ? ("lane", "t.lane = ?2")
            : ("type", "t.lane = \(IndexBucket.otherType) AND t.type = ?2")
        return Query(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM sluice_task t INDEXED BY sluice_task_\(index)
                WHERE t.queue = ?1 AND \(range) AND t.rank \(isBackwards ? "<" : ">") ?3
                LIMIT ?4) AS found
            """)
    }

    private static func made(isBackwards: Bool, withPayload: Bool = false) -> [Query] {
        Source.all.sorted { $0.number < $1.number }.map {
            make($0, isBackwards: isBackwards, withPayload: withPayload)
        }
    }

    private static func make(_ source: Source, isBackwards: Bool, withPayload: Bool) -> Query {
        TaskColumns.select(
            text(source, isBackwards: isBackwards, types: "SELECT value FROM json_each(?5)"),
            // PostgreSQL needs a type for a value that is only compared with NULL.
            other: text(
                source, isBackwards: isBackwards,
                types: "SELECT jsonb_array_elements_text(CAST(?5 AS JSONB))",
                noWaitFlags: "CAST(?2 AS BIGINT) IS NULL", noTypes: "CAST(?5 AS TEXT) IS NULL"),
            withPayload: withPayload)
    }

    private static func text(
        _ source: Source, isBackwards: Bool, types: String, noWaitFlags: String = "?2 IS NULL",
        noTypes: String = "?5 IS NULL"
    ) -> String {
        var table = "t"
        var from =
            "FROM sluice_task t INDEXED BY sluice_task_lane WHERE t.queue = ?1 AND t.lane = ?2"
        var isWanted = "\(noTypes) OR t.type IN (\(types))"
        switch source {
        case .bucket: break
        case .bucketWithout: isWanted = "t.type NOT IN (\(types))"
        case .otherType:
            from =
                "FROM sluice_task t INDEXED BY sluice_task_type WHERE t.queue = ?1"
                + " AND t.lane = \(IndexBucket.otherType) AND t.type = ?7"
            if noWaitFlags.hasPrefix("CAST") { from += " AND NOT \(noWaitFlags)" }
        case .group(let state):
            table = "r"
            from =
                "FROM sluice_role r CROSS JOIN sluice_task t ON t.id = r.task WHERE r.queue = ?1"
                + " AND r.state = \(state.code) AND r.name = ?7"
                + " AND (\(noWaitFlags) OR t.lane & \(IndexBucket.otherType - 1) = ?2)"
        }
        return """
            \(from) AND \(table).rank \(isBackwards ? "<" : ">") ?3
            AND (\(isWanted))
            AND t.needs & ?6 = 0
            ORDER BY \(table).rank\(isBackwards ? " DESC" : "") LIMIT ?4
            """
    }
}
