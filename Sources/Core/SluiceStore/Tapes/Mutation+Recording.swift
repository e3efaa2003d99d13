package import SluiceModel

/// How a recording begins and ends (G6).
extension Mutation {
    /// Makes each later commit leave its changes for `recorder`. Throws `notLegal` if another
    /// process records.
    package func beginRecording(by person: String, recorder: ProcessID) throws {
        var record = try store.storeRecord()
        if let other = record.recording {
            let process = try store.processes().first { $0.id == other.recorder }
            let place = process.map { "pid \($0.pid) on \($0.host)" } ?? "process \(other.recorder)"
            throw QueueError.notLegal(
                "\(other.by) records this store since \(TimeText.rfc3339(other.since))",
                fix: "end that recording first (\(place))")
        }
        record.recording = Recording(recorder: recorder, by: person, since: real)
        record.version += 1
        try store.put(record)
        try store.tape()?.mark(real)
    }

    /// Ends the recording of that recorder and removes the remaining commits. Returns whether it
    /// was active. The journal names the person.
    @discardableResult
    package func endRecording(of recorder: ProcessID, by person: String) throws -> Bool {
        try endRecording(of: recorder, by: person, "recording ended by \(person)")
    }

    /// The same for an automatic end.
    @discardableResult
    package func endRecording(of recorder: ProcessID, because reason: String) throws -> Bool {
        try endRecording(of: recorder, by: "sluice", "recording ended: \(reason)")
    }

    private func endRecording(
        of recorder: ProcessID, by person: String, _ text: String
    ) throws -> Bool {
        var record = try store.storeRecord()
        guard record.recording?.recorder == recorder else { return false }
        record.recording = nil
        record.version += 1
        try store.put(record)
        try store.append([Recording.event(text, by: person, at: real)])
        return true
    }

    /// The index on a tape after which the changes of the next decision follow. During a recording
    /// it first writes the queues as changed so far, because a decision depends on them.
    func placeOfDecision() throws -> Int {
        guard let tape = try store.tape() else { return 0 }
        try writeQueues()
        return tape.commit.changes.count
    }
}
