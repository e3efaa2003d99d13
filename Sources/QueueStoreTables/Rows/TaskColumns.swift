/// The columns of `sluice_task` in the order in which the row mapper binds and reads them.
enum TaskColumns {
    /// What every step of a task's life may change.
    static let life = [
        "state", "lane", "rank", "version", "marks", "attempts", "executions", "updated_at",
        "fresh_at", "wakes_at", "expiring_at", "timer_at", "timer_since", "moment", "owner",
        "token", "attempt", "last_error", "detail",
    ]
    /// What stays as it came, an edit or a move apart.
    static let fixed = [
        "queue", "type", "position", "priority", "sort_key", "needs", "attempt_limit",
        "created_at", "expires_at", "group_start", "unique_key", "session", "client_string",
        "parent", "depth", "label",
    ]

    static let insert = Query(
        """
        INSERT INTO sluice_task (\((life + fixed + ["id", "payload"]).joined(separator: ", ")))
        VALUES (\(Array(repeating: "?", count: life.count + fixed.count + 2)
            .joined(separator: ", ")))
        """)
    static let updateLife = Query(
        "UPDATE sluice_task SET \(assignments(life)) WHERE id = ?")
    static let updateHold = Query("UPDATE sluice_task SET lane = ?, marks = ? WHERE id = ?")
    static let updateAll = Query(
        "UPDATE sluice_task SET \(assignments(life + fixed)) WHERE id = ?")

    /// What a SELECT names so that `TaskRow.read` can read it; the table is called `t`.
    static let list =
        ([
            "id", "state", "lane", "version", "marks", "attempts", "executions", "updated_at",
            "fresh_at", "timer_at", "timer_since", "moment", "owner", "token", "attempt",
            "last_error", "detail",
        ] + fixed).map { "t.\($0)" }.joined(separator: ", ")

    /// A query for tasks: `rest` begins behind SELECT's list.
    static func select(_ rest: String, other: String? = nil) -> Query {
        Query("SELECT \(list) \(rest)", other: other.map { "SELECT \(list) \($0)" })
    }

    private static func assignments(_ columns: [String]) -> String {
        columns.map { "\($0) = ?" }.joined(separator: ", ")
    }
}
