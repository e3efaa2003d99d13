public import SluiceModel
public import SluiceStore
package import SluiceSystem

/// An event that a runner reports to its observers.
public enum RunnerEvent: Hashable, Sendable {
    /// It is attached and claims tasks.
    case attached(Int64)
    case started(Execution)
    /// An attempt was settled; a stale completion changes nothing (A1).
    case settled(Settled)
    /// The store was unreachable or a write failed. The runner tries again, unless its `failure`
    /// shows that the store is lost. It reports the same error only once.
    case troubled(QueueError)
    /// Whether the system reports changes. While it does not, the runner polls the store each
    /// second.
    case told(Bool)
    case ended
}

/// Claims tasks, runs their handlers and settles the results, on its own thread: a thin shell
/// around `RunnerMachine`. Blocking handlers do not delay it.
package final class Runner: Sendable {
    let store: any QueueStore
    private let served: Protected<Served>
    let options: RunnerOptions
    let network: (any NetworkSource)?
    let now: @Sendable () -> Timestamp
    let onEvent: @Sendable (RunnerEvent) -> Void
    let inbox = RunnerInbox()
    private let attachment: Attachment
    private let thread = Protected<Thread?>(nil)
    private let ending = Protected(Ending())

    private struct Served: Sendable {
        var types: [String]?
        var brokers: BrokerTable
        var handlers: @Sendable (String) -> (any TaskHandler)?
    }

    private struct Ending: Sendable {
        var hasEnded = false
        var callbacks: [@Sendable () -> Void] = []
        var failure: QueueError?
    }

    /// The runner's number in the store.
    package var id: ProcessID { attachment.process.id }

    /// Creates a runner with handlers. `types` are the types they handle, `nil` for every type;
    /// registration refuses two handlers for one type (A4). `brokers` take precedence in their
    /// queues. Throws `badHandlers` if a queue could belong to two brokers (YTQ-18). `network`
    /// reports its state from now on; `nil` counts as online until a handler reports otherwise
    /// (B6).
    package init(
        store: any QueueStore, types: [String]?, brokers: [Broker] = [],
        handlers: @escaping @Sendable (String) -> (any TaskHandler)?,
        options: RunnerOptions = RunnerOptions(), network: (any NetworkSource)? = nil,
        now: @escaping @Sendable () -> Timestamp = {
            Timestamp(milliseconds: SystemClock.nowMilliseconds())
        },
        onEvent: @escaping @Sendable (RunnerEvent) -> Void = { _ in }
    ) throws {
        var table = try BrokerTable(brokers)
        if table.hasPredicates {
            let there = try store.readBlocking { try $0.queues().map(\.name) }
            table.meet(there)
            if let contest = table.contested.first { throw contest.error }
        }
        let rows = table.rows
        self.store = store
        served = Protected(Served(types: types, brokers: table, handlers: handlers))
        self.options = options
        self.network = network
        self.now = now
        self.onEvent = onEvent
        // The row already shows the first state of the network.
        let state = network?.start { [inbox] in inbox.put(.network($0)) }
        do {
            attachment = try Attachment(to: store, role: .runner, now: now()) {
                $0.network = state
                $0.slots = options.slots
                $0.types = types
                $0.brokers = rows
                $0.queues = options.queues
                $0.takesOnlyPermits = options.takesOnlyPermits
                $0.allowsCrash = options.allowsCrash
            }
        } catch {
            network?.stop()
            throw error
        }
    }

    /// The handler of a task; `nil` if two brokers claim its queue.
    func handler(of task: QueueTask) -> (any TaskHandler)? {
        served.withLock { served in
            // A handed-over task may be the first of its queue.
            if served.brokers.hasPredicates { served.brokers.meet([task.queue]) }
            guard served.brokers.contest(over: task.queue) == nil else { return nil }
            let broker = served.brokers.handler(of: task.type, in: task.queue)
            return broker ?? served.handlers(task.type)
        }
    }

    /// Serves other handlers from now on: an app added one. A queue that two of them want is left
    /// alone, and told as an event (YTQ-18).
    package func serve(
        types: [String]?, brokers: [Broker],
        handlers: @escaping @Sendable (String) -> (any TaskHandler)?
    ) throws {
        let table = try BrokerTable(brokers)
        served.withLock { $0 = Served(types: types, brokers: table, handlers: handlers) }
        inbox.notice()
    }

    /// Whether its brokers choose among queues that come.
    var choosesQueues: Bool { served.withLock { $0.brokers.hasPredicates } }

    /// Asks the brokers about queues.
    func meet(_ queues: [String]) { served.withLock { $0.brokers.meet(queues) } }

    /// The handlers as its row describes them.
    var servedRow: ServedRow {
        served.withLock {
            ServedRow(
                types: $0.types, brokers: $0.brokers.rows, contested: $0.brokers.contested)
        }
    }

    /// The error that ended it: `noStore` after the removal or replacement of the store,
    /// `notAStore` for a file of something else, `newerSchema` after an upgrade. After an urgent
    /// stop also any error of the last write.
    package var failure: QueueError? { ending.withLock { $0.failure } }

    func fail(_ error: QueueError) { ending.withLock { $0.failure = error } }

    /// Starts the thread; it works until `stop`, or until nothing is left where the options say so.
    package func start() throws {
        let loop = try RunnerLoop(self, attachment: attachment)
        let started = try Thread(name: "sluice-runner") {
            loop.run()
            self.tellEnd()
        }
        thread.withLock { $0 = started }
    }

    /// Asks the runner to stop, and returns immediately. It claims no more, and running attempts
    /// have 10 s. A second call, or `isUrgent`, stops them immediately (A6).
    package func stop(isUrgent: Bool = false) { inbox.put(.stop(isUrgent: isUrgent)) }

    /// Calls back once, on the runner's thread, when that is next about to wait for work: never
    /// where it hangs or has ended. Looks at nothing in the store.
    package func whenAwake(_ callback: @escaping @Sendable () -> Void) { inbox.knock(callback) }

    /// Calls back once after the runner has ended, immediately if it already has; on any thread.
    package func whenEnded(_ callback: @escaping @Sendable () -> Void) {
        let isLate = ending.withLock { ending -> Bool in
            if !ending.hasEnded { ending.callbacks.append(callback) }
            return ending.hasEnded
        }
        if isLate { callback() }
    }

    private func tellEnd() {
        let callbacks = ending.withLock { ending -> [@Sendable () -> Void] in
            ending.hasEnded = true
            defer { ending.callbacks = [] }
            return ending.callbacks
        }
        for callback in callbacks { callback() }
    }

    /// Waits until the runner has ended; blocks its thread.
    package func wait() {
        let running = thread.withLock { $0 }
        running?.join()
    }
}

/// The inputs that wait for a runner's thread; from any thread.
final class RunnerInbox: Sendable {
    private let lock = Lock()
    private let condition: Condition
    private let inputs = Protected<[RunnerInput]>([])
    private let noticed = Protected(false)
    private let knocks = Protected<[@Sendable () -> Void]>([])

    init() { condition = Condition(lock) }

    func put(_ input: RunnerInput) {
        lock.withLock {
            inputs.withLock { $0.append(input) }
            condition.signal()
        }
    }

    /// The ends of these executions that have come; everything else stays.
    func takeEnds(of keys: Set<ExecutionKey>) -> [(key: ExecutionKey, end: ExecutionEnd)] {
        inputs.withLock { inputs in
            var ends: [(key: ExecutionKey, end: ExecutionEnd)] = []
            inputs.removeAll { input in
                guard case .ended(let key, let end) = input, keys.contains(key) else {
                    return false
                }
                ends.append((key, end))
                return true
            }
            return ends
        }
    }

    var hasEnds: Bool { inputs.withLock { $0.contains(where: \.isEnd) } }

    /// The store changed; several notices before the next look are one.
    func notice() {
        lock.withLock {
            noticed.withLock { $0 = true }
            condition.signal()
        }
    }

    /// The next call of `take` runs the callback.
    func knock(_ callback: @escaping @Sendable () -> Void) {
        lock.withLock {
            knocks.withLock { $0.append(callback) }
            condition.signal()
        }
    }

    private var isQuiet: Bool {
        inputs.withLock { $0.isEmpty } && !noticed.withLock { $0 } && knocks.withLock { $0.isEmpty }
    }

    /// Returns the received inputs, and whether the store changed. Without inputs it first sleeps
    /// up to the given time.
    func take(sleepMilliseconds: Int64?) -> (inputs: [RunnerInput], isNoticed: Bool) {
        let (taken, isNoticed) = wait(sleepMilliseconds: sleepMilliseconds)
        let callbacks = knocks.withLock { knocks in
            defer { knocks = [] }
            return knocks
        }
        for callback in callbacks { callback() }
        return (taken, isNoticed)
    }

    private func wait(sleepMilliseconds: Int64?) -> (inputs: [RunnerInput], isNoticed: Bool) {
        lock.withLock {
            var mayWait = true
            while mayWait, isQuiet {
                guard let sleepMilliseconds else {
                    condition.wait()
                    continue
                }
                mayWait = false
                guard sleepMilliseconds > 0 else { break }
                let wait = Int(min(sleepMilliseconds, 3_600_000))
                mayWait = condition.wait(timeoutMilliseconds: wait)
            }
            let taken = inputs.withLock { inputs -> [RunnerInput] in
                defer { inputs.removeAll() }
                return inputs
            }
            let isNoticed = noticed.withLock { noticed -> Bool in
                defer { noticed = false }
                return noticed
            }
            return (taken, isNoticed)
        }
    }
}

extension QueueError {
    /// Whether the store will never be usable through this open connection: it was removed,
    /// replaced, or upgraded by a newer version.
    var endsRunner: Bool { [.noStore, .notAStore, .newerSchema].contains(code) }
}

extension SignalWatch {
    /// Stops a runner: the first signal asks it to stop, the second stops running attempts
    /// immediately (A6). With `gracefulSignals` 0 the first does so already.
    package convenience init(stopping runner: Runner, gracefulSignals: Int = 1) throws {
        try self.init { count in
            runner.stop(isUrgent: count > gracefulSignals)
            return true
        }
    }
}
