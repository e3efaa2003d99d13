package import SluiceModel

/// A recording that stands in a store (G6): from its beginning on each commit leaves what it
/// changed, until the recorder moved that to its file.
package struct Recording: Hashable, Sendable {
    /// How long a recorder may leave what was recorded where it is.
    package static let timeoutMilliseconds: Int64 = 10_000
    /// How many bytes of it may lie there.
    package static let byteLimit: Int64 = 256 << 20
    /// The attached process that moves it; the recording ends with it.
    package var recorder: ProcessID
    /// Who records.
    package var by: String
    /// Since when, in real time.
    package var since: Timestamp

    /// A recording by an attached process.
    package init(recorder: ProcessID, by: String, since: Timestamp) {
        (self.recorder, self.by, self.since) = (recorder, by, since)
    }

    /// What is said of one that ends because nobody moves on what lies there.
    package static let givenUpWords =
        "recorder was away for more than 10 s, or more than 256 MiB behind"

    /// A line of the journal about a recording.
    package static func event(_ text: String, by person: String, at now: Timestamp) -> JournalEvent
    {
        JournalEvent(at: now, kind: "record", queue: nil, task: nil, by: person, text: text)
    }

    /// The line of one that ends because nobody moves on what lies there.
    package static func givenUp(at now: Timestamp) -> JournalEvent {
        event("recording ended: its \(givenUpWords)", by: "sluice", at: now)
    }

    /// Whether it ends because nobody moves what lies there: `oldest` is when the first of that was
    /// left.
    package static func isGivenUp(oldest: Timestamp, bytes: Int64, at now: Timestamp) -> Bool {
        now - oldest > timeoutMilliseconds || bytes > byteLimit
    }
}

/// What one commit left for the recorder.
package struct RecordedCommit: Hashable, Sendable {
    /// Its number among those that lie there; they grow.
    package var number: Int64
    /// What it did.
    package var commit: TapeCommit

    /// A commit by its number.
    package init(number: Int64, _ commit: TapeCommit) {
        (self.number, self.commit) = (number, commit)
    }
}
