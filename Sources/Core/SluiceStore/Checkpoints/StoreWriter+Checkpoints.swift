package import SluiceModel

/// How checkpoints come and go (G5).
extension Mutation {
    /// Takes a checkpoint of the store as it is: a row, and nothing is copied. `sequence` is the
    /// number of its line in the journal.
    package func take(
        checkpoint name: String, by person: String, sequence: Int64
    ) throws -> Checkpoint {
        let lastTask = try store.reserveTaskIDs(0) - 1
        var record = try store.storeRecord()
        record.checkpoints.last += 1
        let taken = Checkpoint(
            number: record.checkpoints.last, name: name, at: real, by: person, sequence: sequence,
            lastTask: lastTask, storePauses: record.pauses, forcedNetwork: record.forcedNetwork,
            schedules: record.schedules)
        record.checkpoints.all.append(taken)
        record.version += 1
        try store.put(record)
        return taken
    }
}

extension StoreWriter {
    /// Ends checkpoints; images that no other needs go with them.
    package func removeCheckpoints(_ numbers: Set<Int64>) throws {
        var record = try storeRecord()
        record.checkpoints.all.removeAll { numbers.contains($0.number) }
        let oldest = record.checkpoints.all.first?.number
        try removeImages(before: oldest ?? .max)
        record.checkpoints.bytes = try oldest == nil ? 0 : imageCounts(from: .min).bytes
        record.version += 1
        try put(record)
    }

    /// Restores a removed checkpoint. Its images must still exist (`Checkpoints.loss`).
    package func bringBack(_ ended: Checkpoint) throws {
        var record = try storeRecord()
        record.checkpoints.all.append(ended)
        record.checkpoints.all.sort { $0.number < $1.number }
        record.version += 1
        try put(record)
    }

    /// Sets how many bytes of what `undo` needs the journal keeps (D9).
    package func setJournalBytes(_ bytes: Int64) throws {
        var record = try storeRecord()
        record.journalBytes = bytes
        record.version += 1
        try put(record)
    }

    /// Sets the limit for the images, in bytes.
    package func setImageLimit(_ bytes: Int64) throws {
        var record = try storeRecord()
        record.checkpoints.byteLimit = bytes
        record.version += 1
        try put(record)
    }
}
