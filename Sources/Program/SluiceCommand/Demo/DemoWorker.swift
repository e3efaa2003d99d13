import SluiceModel
import SluicePlatform
import SluiceRunner
import SluiceStore

/// The demo's worker, in a separate process. It keeps the scene active, and ends with its console.
enum DemoWorker {
    /// The hidden verb that starts it.
    static let verb = "__demo-worker"

    /// Works on a store until standard input ends or a signal arrives.
    static func run(
        store: any QueueStore, now: @escaping @Sendable () -> Timestamp
    ) throws {
        SignalInbox.ignorePipeSignal()
        let signals = try SignalInbox([.terminate, .interrupt, .hangUp])
        var options = RunnerOptions()
        options.slots = 6
        options.stopGraceMilliseconds = 0
        let runner = try Runner(
            store: store, types: nil, handlers: { _ in DemoHandler() }, options: options, now: now,
            onEvent: { event in
                // The parent may have ended, so ignore errors.
                if case .attached = event { try? Standard.write("attached\n", to: .output) }
            })
        try runner.start()
        let input = FileDescriptor(owning: 0)
        var isAlive = true
        while isAlive {
            let ready = try Poll.wait(
                fds: [PollInterest(input.number), PollInterest(signals.descriptor.number)],
                timeoutMilliseconds: nil)
            for entry in ready {
                if entry.descriptor == signals.descriptor.number {
                    isAlive = try signals.drain().isEmpty && isAlive
                } else if case .end = try input.read(atMost: 64) {
                    isAlive = false
                }
            }
        }
        runner.stop(isUrgent: true)
        runner.wait()
    }

    private static let timeoutMilliseconds = 5_000

    /// Starts the worker on a store and waits until it is attached, so that the first step finds
    /// it. The worker ends when the child's input closes.
    static func start(storeName: String) throws -> ChildProcess {
        var plan = Spawn(
            try ProcessIdentity.executablePath(), [verb, storeName],
            environment: ProcessIdentity.environment())
        plan.input = .pipe
        plan.output = .pipe
        plan.errors = .null
        let worker = try ChildProcess.spawn(plan)
        if let output = worker.output {
            _ = try Poll.wait(
                fds: [PollInterest(output.number)], timeoutMilliseconds: timeoutMilliseconds)
        }
        return worker
    }
}
