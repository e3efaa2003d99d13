package import SluiceModel

/// Wakes: the rest of a start's end for its members. The caller that ended the start processes them
/// (T2).
extension QueueStore {
    /// Processes every wake, each slice in its own commit, so that others can write in between.
    /// Later slices or a runner process the remainder.
    package func workOffWakes(now: Timestamp) async throws {
        guard !isReadOnly else { return }
        var batch = WakeBatchSize()
        while try await read({ try $0.hasWakes() }) {
            let members = batch.members
            batch.took(
                nanoseconds: try await write { store in
                    try store.workOffWakes(at: now, members: members)
                })
        }
    }

    /// `workOffWakes` for a caller that may block its thread.
    package func workOffWakesBlocking(now: Timestamp) throws {
        guard !isReadOnly else { return }
        var batch = WakeBatchSize()
        while try readBlocking({ try $0.hasWakes() }) {
            let members = batch.members
            batch.took(
                nanoseconds: try writeBlocking { store in
                    try store.workOffWakes(at: now, members: members)
                })
        }
    }
}

extension StoreReader {
    /// Whether the end of a start has left something to do for its members (T2).
    package func hasWakes() throws -> Bool { try !queuesWithWakes().isEmpty }

    func queuesWithWakes() throws -> [String] {
        try queues(.busy).map(\.record).filter { !$0.wakes.isEmpty }.map(\.name)
    }
}

extension StoreWriter {
    /// Processes a slice of `members` members. Returns the duration in nanoseconds.
    package func workOffWakes(at now: Timestamp, members: Int) throws -> UInt64 {
        try WakeBatchSize.measure {
            _ = try transact(at: now, membersAtOnce: members) { mutation in
                try mutation.workOffWakes()
            }
        }
    }
}
