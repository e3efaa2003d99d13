/// The facts that a filter needs besides the task. A filter reads only the facts that it uses.
package protocol FilterFacts {
    /// The moment by the store's clock, the base of ages and times (G3).
    var now: Timestamp { get }
    /// The same moment in real time, the base of changes and executions.
    var real: Timestamp { get }
    func display() throws -> Display
    func payload() throws -> [UInt8]
    /// Its last execution; nil without one, or if the log no longer has it.
    func lastAttempt() throws -> AttemptRecord?
    func uuid() throws -> String?
    /// The tasks of its queue with its type and payload, created within a minute of it.
    func twins() throws -> [TaskID]
}

extension FilterFacts {
    /// The same: the clock shows the real time.
    package var real: Timestamp { now }
}

package struct KnownFacts: FilterFacts, Hashable, Sendable {
    /// The moment, by the clock of the store.
    package var now: Timestamp
    package var real: Timestamp
    private let shown: Display
    private let bytes: [UInt8]
    private let attempt: AttemptRecord?
    private let folderID: String?
    private let alike: [TaskID]

    package init(
        now: Timestamp, real: Timestamp? = nil, display: Display, payload: [UInt8] = [],
        lastAttempt: AttemptRecord? = nil, uuid: String? = nil, twins: [TaskID] = []
    ) {
        (self.now, self.real) = (now, real ?? now)
        (shown, bytes, attempt, folderID) = (display, payload, lastAttempt, uuid)
        alike = twins
    }

    package func display() -> Display { shown }
    package func payload() -> [UInt8] { bytes }
    /// Its last execution.
    package func lastAttempt() -> AttemptRecord? { attempt }
    package func uuid() -> String? { folderID }
    package func twins() -> [TaskID] { alike }
}
