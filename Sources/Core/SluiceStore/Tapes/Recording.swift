public import SluiceModel

/// A recording that stands in a store (G6): from its beginning on each commit leaves what it
/// changed, until the recorder moved that to its file.
public struct Recording: Hashable, Sendable {
    /// How long a recorder may leave what was recorded where it is.
    public static let patienceMilliseconds: Int64 = 10_000
    /// How many bytes of it may lie there.
    public static let byteLimit: Int64 = 256 << 20
    /// The attached process that moves it; the recording ends with it.
    public var recorder: ProcessID
    /// Who records.
    public var by: String
    /// Since when, in real time.
    public var since: Timestamp

    /// A recording by an attached process.
    public init(recorder: ProcessID, by: String, since: Timestamp) {
        (self.recorder, self.by, self.since) = (recorder, by, since)
    }

    /// Whether it ends because nobody moves what lies there: `oldest` is when the first of that was
    /// left.
    package static func isGivenUp(oldest: Timestamp, bytes: Int64, at now: Timestamp) -> Bool {
        now - oldest > patienceMilliseconds || bytes > byteLimit
    }
}

/// What one commit left for the recorder.
public struct RecordedCommit: Hashable, Sendable {
    /// Its number among those that lie there; they grow.
    public var number: Int64
    /// What it did.
    public var commit: TapeCommit

    /// A commit by its number.
    public init(number: Int64, _ commit: TapeCommit) {
        (self.number, self.commit) = (number, commit)
    }
}
