import SluiceModel

/// The columns of `sluice_task` in the order that the row mapper uses.
enum TaskColumns {
    /// The columns that any event of a task's lifecycle may change.
    static let life = [
        "state", "lane", "rank", "version", "marks", "attempts", "executions", "updated_at",
        "fresh_at", "wakes_at", "expiring_at", "timer_at", "timer_since", "moment", "owner",
        "token", "attempt", "last_error", "detail",
    ]
    /// The columns that only an edit or a move changes.
    static let fixed = [
        "queue", "type", "position", "priority", "sort_key", "needs", "attempt_limit",
        "created_at", "expires_at", "group_start", "unique_key", "session", "client_string",
        "parent", "depth", "label",
    ]

    static let insert = Query(
        .insert(into: "sluice_task", life + fixed + ["id", "payload"]))
    /// The shared and the individual columns of similar rows without rare values.
    private static let alike = [
        "queue", "lane", "type", "priority", "attempt_limit", "created_at", "updated_at",
        "fresh_at", "expires_at", "expiring_at",
    ]
    private static let own = ["id", "rank", "position", "payload"]
    /// The constant values of these rows.
    private static let common: KeyValuePairs<String, Int64> = [
        "state": 0, "version": 1, "needs": 0, "marks": 0, "attempts": 0, "executions": 0,
        "depth": 0,
    ]
    static let insertPlain = Query(.insert(into: "sluice_task", alike + own, numbers: common))
    /// The insert statements by number of rows, largest first.
    static let insertsPlain = [16, 4, 1].map { rows in
        (rows: rows, query: rows == 1 ? insertPlain : plainInsert(rows: rows))
    }

    private static func plainInsert(rows: Int) -> Query { Query(plainText(rows: rows)) }

    private static func plainText(rows: Int) -> String {
        let shared = (1...alike.count).map { "?\($0)" }
        let lines = (0..<rows).map { row in
            let values = (1...own.count).map { "?\(alike.count + row * own.count + $0)" }
            return "(\((shared + values + common.map { "\($0.value)" }).joined(separator: ", ")))"
        }
        return """
            INSERT INTO sluice_task (\((alike + own + common.map(\.key)).joined(separator: ", ")))
            VALUES \(lines.joined(separator: ", "))
            """
    }

    static let updateLife = Query(.update("sluice_task", life, where: ["id"]))
    /// The columns that usually change with a lease. Indexes without these columns need no update.
    private static let lease = [
        "state", "lane", "rank", "version", "executions", "updated_at", "moment", "owner",
        "token", "attempt",
    ]
    static let updateLease = Query(.update("sluice_task", lease, where: ["id"]))
    /// The same for several tasks that only got a lease: each of their counters grows by one.
    static func lease(rows: Int) -> Query { Query(leaseText(rows: rows)) }

    private static func leaseText(rows: Int) -> String {
        let own = (0..<rows).map { 6 + 3 * $0 }
        func each(_ place: Int) -> String {
            "CASE id" + own.map { " WHEN ?\($0) THEN ?\($0 + place)" }.joined() + " END"
        }
        return """
            UPDATE sluice_task SET state = ?1, lane = ?2, updated_at = ?3, moment = ?4, owner = ?5,
                token = \(each(1)), rank = \(each(2)), version = version + 1,
                executions = executions + 1, attempt = executions + 1
            WHERE id IN (\(own.map { "?\($0)" }.joined(separator: ", ")))
            """
    }

    static let delete = Query(.delete(from: "sluice_task", where: ["id"]))

    static func delete(rows: Int) -> Query {
        if rows == 1 { return delete }
        return Query("DELETE FROM sluice_task WHERE id IN (\(marks(rows)))")
    }

    static let updateHold = Query(.update("sluice_task", ["lane", "marks"], where: ["id"]))
    static let updateAll = Query(.update("sluice_task", life + fixed, where: ["id"]))

    /// The SELECT list that `TaskRow.read` needs; the table alias is `t`.
    static let list =
        ([
            "id", "state", "lane", "version", "marks", "attempts", "executions", "updated_at",
            "fresh_at", "timer_at", "timer_since", "moment", "owner", "token", "attempt",
            "last_error", "detail",
        ] + fixed).map { "t.\($0)" }.joined(separator: ", ")

    /// The column of the payload after these, in queries that include it.
    static let payloadPlace = Int32(17 + fixed.count)

    /// The running tasks of one process, found by the counts of queues with running tasks.
    static let running =
        """
        sluice_tally y INDEXED BY sluice_tally_state
        CROSS JOIN sluice_task t INDEXED BY sluice_task_lane
        WHERE y.state = 1 AND y.queue > 0
            AND t.queue = y.queue AND t.lane = \(IndexBucket.number(of: .running)) AND t.owner = ?
        """

    /// A query for tasks; `rest` follows the SELECT list.
    static func select(
        _ rest: String, other: String? = nil, withPayload: Bool = false
    ) -> Query {
        let more = withPayload ? ", t.payload" : ""
        return Query(
            "SELECT \(list)\(more) \(rest)", other: other.map { "SELECT \(list)\(more) \($0)" })
    }

    private static func marks(_ count: Int) -> String {
        Array(repeating: "?", count: count).joined(separator: ", ")
    }
}
