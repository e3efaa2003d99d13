package import SluiceModel

/// An active recording of a store (G6). Each commit leaves its changes until the recorder moves
/// them to its file.
package struct Recording: Hashable, Sendable {
    /// The time after which unmoved commits end the recording.
    package static let timeoutMilliseconds: Int64 = 10_000
    /// How many bytes of it may lie there.
    package static let byteLimit: Int64 = 256 << 20
    /// The attached process that moves the commits. The recording ends together with the process.
    package var recorder: ProcessID
    package var by: String
    /// Since when, in real time.
    package var since: Timestamp

    package init(recorder: ProcessID, by: String, since: Timestamp) {
        (self.recorder, self.by, self.since) = (recorder, by, since)
    }

    /// The reason shown when a recording ends because its recorder does not move commits.
    package static let givenUpWords =
        "recorder was away for more than 10 s, or more than 256 MiB behind"

    /// A line of the journal about a recording.
    package static func event(_ text: String, by person: String, at now: Timestamp) -> JournalEvent
    {
        JournalEvent(at: now, kind: "record", queue: nil, task: nil, by: person, text: text)
    }

    /// The journal line for a recording that ended because its recorder did not move commits.
    package static func givenUp(at now: Timestamp) -> JournalEvent {
        event("recording ended: its \(givenUpWords)", by: "sluice", at: now)
    }

    /// Whether the recording ends because its recorder does not move commits; `oldest` is the time
    /// of the first unmoved commit.
    package static func isGivenUp(oldest: Timestamp, bytes: Int64, at now: Timestamp) -> Bool {
        now - oldest > timeoutMilliseconds || bytes > byteLimit
    }
}

/// The changes that one commit left for the recorder.
package struct RecordedCommit: Hashable, Sendable {
    /// Its number among the unmoved commits, ascending.
    package var number: Int64
    package var commit: TapeCommit

    package init(number: Int64, _ commit: TapeCommit) {
        (self.number, self.commit) = (number, commit)
    }
}

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
