/// The column `lane` has the bucket of every task (`IndexBucket`). One index replaces three, with
/// one entry for a waiting task.
extension Schema {
    static let buckets = [
        "ALTER TABLE sluice_queue ADD COLUMN main_type TEXT",
        "ALTER TABLE sluice_queue ADD COLUMN is_mixed INTEGER NOT NULL DEFAULT 0",
        """
        UPDATE sluice_queue SET main_type = (
            SELECT type FROM sluice_task WHERE queue = sluice_queue.id
            GROUP BY type ORDER BY count(*) DESC LIMIT 1)
        """,
        """
        UPDATE sluice_queue SET is_mixed = EXISTS (
            SELECT 1 FROM sluice_task WHERE queue = sluice_queue.id AND type <> main_type)
        """,
        "DROP INDEX sluice_task_order",
        "DROP INDEX sluice_task_lane",
        "DROP INDEX sluice_task_ready",
        "UPDATE sluice_task SET lane = -state WHERE state <> 0",
        """
        UPDATE sluice_task SET lane = lane | 128
        WHERE state = 0
            AND type <> (SELECT main_type FROM sluice_queue q WHERE q.id = sluice_task.queue)
        """,
        "CREATE INDEX sluice_task_lane ON sluice_task (queue, lane, rank)",
        """
        CREATE INDEX sluice_task_type ON sluice_task (queue, type, rank) WHERE lane = 128
        """,
    ]
}
