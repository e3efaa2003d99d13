package import SluiceModel

/// What the ends of starts left to do for their members, worked off by whoever made it (T2).
extension QueueStore {
    /// Works off every wake, each slice in a commit of its own, so that others write in between.
    /// What a slice could not do stays for the next one, or for a runner.
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

    /// The queues of which it has.
    func queuesWithWakes() throws -> [String] {
        try queues(.inUse([])).map(\.record).filter { !$0.wakes.isEmpty }.map(\.name)
    }
}

extension StoreWriter {
    /// Works off a slice of so many members; gives how long that took in nanoseconds.
    package func workOffWakes(at now: Timestamp, members: Int) throws -> UInt64 {
        try WakeBatchSize.measure {
            _ = try transact(at: now, membersAtOnce: members) { mutation in
                try mutation.workOffWakes()
            }
        }
    }
}
