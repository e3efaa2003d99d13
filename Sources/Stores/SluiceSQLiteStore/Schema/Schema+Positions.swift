/// A task that waits in the order of arrival is found by its rank, which is its position, and one
/// that runs among the few that do; so both are in no index of positions, and the last position of
/// a queue stands in a row of its own (Q1).
extension Schema {
    static let positions = [
        """
        INSERT INTO sluice_tally (queue, state, lane, n)
        SELECT 0, 1, queue, max(position) FROM sluice_task WHERE position > 0 GROUP BY queue
        """,
        "DROP INDEX sluice_task_position",
        """
        CREATE INDEX sluice_task_position ON sluice_task (queue, position)
        WHERE state > 1 OR (state = 0 AND length(rank) <> 8)
        """,
    ]
}
