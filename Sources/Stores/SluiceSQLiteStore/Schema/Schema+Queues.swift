import SluiceTables

/// Queries over all queues skip the queues without results.
extension Schema {
    static let queues = [
        "DELETE FROM sluice_tally WHERE queue > 0 AND n = 0",
        // A count of zero is deleted; a changed count needs no index update.
        """
        CREATE TRIGGER sluice_tally_nothing AFTER UPDATE OF n ON sluice_tally
        WHEN new.n = 0 AND new.queue > 0 BEGIN
            DELETE FROM sluice_tally
            WHERE queue = new.queue AND state = new.state AND lane = new.lane;
        END
        """,
        "CREATE INDEX sluice_tally_state ON sluice_tally (state, queue)",
        """
        CREATE INDEX sluice_queue_busy ON sluice_queue (id)
        WHERE run IS NOT NULL OR wakes IS NOT NULL
        """,
        "ALTER TABLE sluice_queue ADD COLUMN priority INTEGER NOT NULL DEFAULT 0",
        "UPDATE sluice_queue SET priority = json_extract(settings, '$.priority')",
        "CREATE INDEX sluice_queue_priority ON sluice_queue (priority)",
    ]

    /// Queues in display order, and queues with timed pauses or batched runs.
    static let queuePages = [
        "DROP INDEX sluice_queue_priority",
        "CREATE INDEX sluice_queue_order ON sluice_queue (priority DESC, name)",
        "CREATE INDEX sluice_queue_moment ON sluice_queue (id) WHERE \(TableReader.hasMoment)",
    ]
}
