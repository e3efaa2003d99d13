/// A task waiting in arrival order is found by its rank, which equals its position; running tasks
/// are found among the few that run. Both need no position index. A separate row has the last
/// position of a queue (Q1).
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
