package import SluiceModel

/// How a recording begins and ends (G6).
extension Mutation {
    /// Lets each commit from now on leave what it did for `recorder`; throws `notLegal` where
    /// somebody else records.
    package func beginRecording(by person: String, recorder: ProcessID) throws {
        var record = try store.storeRecord()
        if let other = record.recording {
            throw QueueError.notLegal(
                "\(other.by) records this store since \(TimeText.rfc3339(other.since))",
                fix: "end that recording first (process \(other.recorder))")
        }
        record.recording = Recording(recorder: recorder, by: person, since: real)
        record.version += 1
        try store.put(record)
    }

    /// Ends the recording of that recorder, and forgets what it has not moved; whether it stood.
    @discardableResult
    package func endRecording(of recorder: ProcessID) throws -> Bool {
        var record = try store.storeRecord()
        guard record.recording?.recorder == recorder else { return false }
        record.recording = nil
        record.version += 1
        try store.put(record)
        return true
    }

    /// The place on a tape behind which what is decided next follows. Where a recording stands the
    /// queues are written as this commit has left them so far: a decision goes by them.
    func placeOfDecision() throws -> Int {
        if try store.storeRecord().recording != nil { try writeQueues() }
        return store.recordedChanges
    }
}
