public import SluiceModel
package import SluiceStore

/// One execution as a handler sees it.
public struct Execution: Hashable, Sendable {
    /// The task as claimed.
    public var task: QueueTask
    /// The payload from the enqueue.
    public var payload: [UInt8]
    /// The number of the execution, from 1.
    public var number: Int
    /// The same for every execution of the task, different for every task of every store: what
    /// makes a second execution harmless (A8).
    public var idempotencyKey: String {
        get { key.text(of: task.id, number) }
        set { key = .given(newValue) }
    }
    /// Texts by name that the producer of the task gives to its handler (T7).
    public var headers: [String: String] { task.headers }
    /// The store's name, for a `command` that enqueues follow-ups.
    public var storeName: String
    /// The lock file that a child process inherits (A2); nil where the store has no folder for it.
    package var childLockPath: String? { childLock?.text(of: task.id, number) }
    /// How deep its chain of follow-ups may become (T6).
    public var maximumDepth = 100
    /// The number among attempts made in this store, from 1. It is smaller than `number` for a task
    /// with attempts elsewhere.
    public var ownNumber: Int
    /// How long the task had been due when it started, by the clock of the store; nil where no
    /// moment says it.
    public var dueMilliseconds: Int64?
    private var key: ExecutionText
    private var childLock: ExecutionText?

    package init(
        task: QueueTask, payload: [UInt8], number: Int, idempotencyKey: String,
        storeName: String, childLockPath: String? = nil
    ) {
        self.task = task
        self.payload = payload
        self.number = number
        key = .given(idempotencyKey)
        self.storeName = storeName
        childLock = childLockPath.map { .given($0) }
        ownNumber = number
    }

    /// The execution for a handler, from a task that a process of this runner claimed.
    init(_ claimed: Claimed, _ lease: Running, process: ProcessID, store: any QueueStore) {
        task = claimed.task
        payload = claimed.payload
        number = lease.attempt
        key = .key(store: claimed.storeIdentity)
        storeName = store.name
        childLock = store.runFolder.map { .childLock(folder: $0, process) }
        maximumDepth = claimed.maximumDepth
        ownNumber = claimed.ownNumber
        dueMilliseconds = claimed.dueMilliseconds
    }
}

/// A text about an execution, built on first use: most handlers never need it.
private enum ExecutionText: Hashable, Sendable {
    case given(String)
    case key(store: String)
    case childLock(folder: String, ProcessID)

    func text(of task: TaskID, _ number: Int) -> String {
        switch self {
        case .given(let text): text
        case .key(let store): "\(store)-\(task)"
        case .childLock(let folder, let process):
            "\(folder)/"
                + Reaper.childLockName(process: process, task: task, attempt: number)
        }
    }
}

/// Runs tasks of one type, or of every type under `*`.
///
/// `start` returns immediately and never blocks. A handler that must block needs its own thread,
/// child process or Swift task.
package protocol TaskHandler: Sendable {
    /// The limit of one execution; nil takes the queue's (Q8).
    var timeoutMilliseconds: Int64? { get }
    /// How many files, pipes and sockets one execution has open in this process.
    var descriptors: Int { get }
    /// Starts an attempt. The handler reports its end to `report` exactly once, from any thread.
    func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution
    /// Whether a task whose attempts are used up begins again at 0 (A5); asked from any thread.
    func shouldRestart(_ execution: Execution) -> Bool
    /// Called after the last execution, before its settlement (A5); from any thread, may block.
    func beforeDelete(_ execution: Execution, outcome: HandlerOutcome)
    /// The same for a handler with a slow answer. The attempt is settled after a call of `end`,
    /// with lines for its log.
    func beforeDelete(
        _ execution: Execution, outcome: HandlerOutcome,
        then end: @escaping @Sendable ([String]) -> Void)
}

extension TaskHandler {
    /// By default no specific limit.
    package var timeoutMilliseconds: Int64? { nil }
    package var descriptors: Int { 0 }
    /// Never.
    package func shouldRestart(_ execution: Execution) -> Bool { false }
    package func beforeDelete(_ execution: Execution, outcome: HandlerOutcome) {}
    /// Calls `beforeDelete(_:outcome:)`.
    package func beforeDelete(
        _ execution: Execution, outcome: HandlerOutcome,
        then end: @escaping @Sendable ([String]) -> Void
    ) {
        beforeDelete(execution, outcome: outcome)
        end([])
    }
}

package protocol RunningExecution: Sendable {
    /// Asks it to stop (A6): task cancellation, or TERM for a command.
    func stop()
    /// The last means, 5 s later: KILL for a command; nothing for a Swift task.
    func kill()
}

/// The report of an attempt. Every call returns immediately and may come from any thread.
package protocol ExecutionReport: Sendable {
    /// Progress: a fraction in 0...1 if known, and a short text (A7).
    func progress(_ fraction: Double?, text: String?)
    /// A line for the attempt's log (A7).
    func log(_ line: String)
    /// A stage begins; it lasts until the next one, or until the end (A7).
    func stage(_ name: String)
    /// A request with its answer, as a line of the attempt's log with its own bounds. The next
    /// report, or the end, writes it.
    func exchange(_ line: String)
    /// The child process of a `command`, written with the attempt (A2).
    func childStarted(pid: Int64, startTime: UInt64)
    /// A process that was there before is at work on it: written with the attempt as soon as that
    /// says something of itself or has lasted a moment.
    func childAtWork(pid: Int64, startTime: UInt64)
    /// A task to enqueue in the commit of a success (A3).
    func followUp(_ task: FollowUp)
    /// The answer of this execution to `shouldRestart`, in the place of its handler's (A5).
    func restart(_ isWanted: Bool)
    /// The end; later calls change nothing (YTQ-15).
    func finish(_ outcome: HandlerOutcome)
    /// Ends an attempt that did not start because this process lacks a resource. The task waits
    /// again, without counting an attempt.
    func couldNotStart(_ reason: String)
}

extension ExecutionReport {
    /// A stage belongs to the attempt of a task alone.
    package func stage(_ name: String) {}
    /// It is not kept.
    package func exchange(_ line: String) {}
    /// A normal failure, for reports without this distinction.
    package func couldNotStart(_ reason: String) {
        finish(.retry(afterMilliseconds: nil, error: reason))
    }
    /// The handler's answer holds.
    package func restart(_ isWanted: Bool) {}
    /// By default the same as a child started for the task.
    package func childAtWork(pid: Int64, startTime: UInt64) {
        childStarted(pid: pid, startTime: startTime)
    }
}
