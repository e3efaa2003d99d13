/// What is known of a task beside itself; a filter asks for what its words are about alone.
public protocol FilterFacts {
    /// The moment from which ages and times are counted.
    var now: Timestamp { get }
    /// What the task shows.
    func display() throws -> Display
    /// Its payload.
    func payload() throws -> [UInt8]
    /// Its last execution; nil where it had none, or where it is not known any more.
    func lastAttempt() throws -> AttemptRecord?
    /// Its UUID in a folder.
    func uuid() throws -> String?
}

/// All of it as values.
public struct KnownFacts: FilterFacts, Hashable, Sendable {
    /// The moment.
    public var now: Timestamp
    private let shown: Display
    private let bytes: [UInt8]
    private let attempt: AttemptRecord?
    private let folderID: String?

    /// What is known of a task.
    public init(
        now: Timestamp, display: Display, payload: [UInt8] = [],
        lastAttempt: AttemptRecord? = nil, uuid: String? = nil
    ) {
        self.now = now
        (shown, bytes, attempt, folderID) = (display, payload, lastAttempt, uuid)
    }

    /// What it shows.
    public func display() -> Display { shown }
    /// Its payload.
    public func payload() -> [UInt8] { bytes }
    /// Its last execution.
    public func lastAttempt() -> AttemptRecord? { attempt }
    /// Its UUID.
    public func uuid() -> String? { folderID }
}
