import SluiceTables

/// The number `scenery` grows with every change of a queue by any program. Cached queues stay valid
/// while it is the same.
extension Schema {
    static let configuration =
        [
            """
            INSERT INTO sluice_number (name, value) VALUES ('\(TableHistory.configurationName)', 0)
            """
        ]
        + ["INSERT", "UPDATE", "DELETE"].map { change in
            """
            CREATE TRIGGER sluice_queue_\(change.lowercased()) AFTER \(change) ON sluice_queue BEGIN
                UPDATE sluice_number SET value = value + 1
                WHERE name = '\(TableHistory.configurationName)';
            END
            """
        }
}
