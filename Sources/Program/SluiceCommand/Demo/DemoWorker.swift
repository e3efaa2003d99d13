import SluiceConsole
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem

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

/// The options of `demo`.
struct DemoCall: Hashable, Sendable {
    /// The path of the store; `nil` for a temporary one that is removed with the console.
    var store: String?
    /// Whether it is a folder in the format of the Customer.io SDK.
    var isFolder = false
    /// The same seed makes the same scene.
    var seed: UInt64 = 1
}

/// `demo`: a store with activity, a worker, and the console.
extension CommandContext {
    /// Opens the console on a scene until the person leaves it.
    func demo(_ call: DemoCall, _ start: ConsoleStart) throws -> ExitCode {
        try host.requireScreen(
            for: "the demonstration",
            fix: "without one, make a store of your own: sluice enqueue QUEUE TYPE")
        let own = try PersonalSettings(start, host.environment)
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-demo")
        defer { try? Files.removeTree(folder) }
        let session = CommandContext(host: host, common: demoOptions(call, folder))
        defer { session.close() }
        let queue = try call.isFolder ? session.makeDemoFolder() : session.makeDemoStore(call.seed)
        let tour = try call.isFolder ? nil : session.makeDemoTour(in: folder)
        let worker = try DemoWorker.start(storeName: session.storeName)
        defer { Self.end(worker) }
        try session.openScreen(start, own) { settings in
            settings.storePlace = session.storeName
            settings.openingHint = DemoHints.opening(queue: queue, hasTape: tour != nil)
            settings.tour = tour
            settings.recentStores = tour.map { [$0.tape] } ?? []
            settings.stepHint = call.isFolder ? DemoHints.afterFolderStep : DemoHints.afterStep
        }
        return .done
    }

    private func makeDemoFolder() throws -> String {
        try DemoFolder.make(storeName)
        return try DemoFolder(now: host.now()).fill(try store(), chance: host.chance)
    }

    private func makeDemoStore(_ seed: UInt64) throws -> String {
        try Self.fill(try store(createsIfMissing: true), seed: seed, now: host.now())
        return "profiles"
    }

    /// Makes the tour: a breakpoint in the store, and a tape in its folder.
    private func makeDemoTour(in folder: String) throws -> Tour {
        let (now, tape) = (host.now(), "\(folder)/incident.tape")
        let breakpoint = try DemoTour.setBreakpoint(in: try store(), now: now)
        let chapters = try DemoIncident.record(into: tape, before: now)
        return DemoTour.tour(breakpoint: breakpoint, tape: tape, chapters)
    }

    /// The worker of the demo, in the child process.
    func workForDemo(_ name: String) throws {
        let session = CommandContext(host: host, common: CommonOptions(store: name))
        defer { session.close() }
        try DemoWorker.run(store: try session.store(), now: host.now)
    }

    /// The scene without its worker, so that it does not change.
    func makeDemoScene(_ name: String) throws {
        let session = CommandContext(host: host, common: CommonOptions(store: name))
        defer { session.close() }
        let store = try session.store(createsIfMissing: true)
        try Self.fill(store, seed: 1, now: host.now())
    }

    private func demoOptions(_ call: DemoCall, _ folder: String) -> CommonOptions {
        var options = common
        let name = call.isFolder ? "push/queue" : "demo.db"
        options.store = call.store ?? "\(folder)/\(name)"
        return options
    }

    /// Throws if the store has queues, because it may belong to a user.
    private static func fill(_ store: any QueueStore, seed: UInt64, now: Timestamp) throws {
        try store.writeBlocking { store in
            guard try store.queues().isEmpty else {
                throw QueueError.notLegal(
                    "the store has queues already", fix: "name a new file for the demonstration")
            }
            try DemoScene.build(in: store, seed: seed, now: now)
        }
    }

    /// Its input ends, so it stops; one that does not within 2 s is ended.
    private static func end(_ worker: ChildProcess) {
        worker.input?.close()
        let ready = try? Poll.wait(
            fds: [PollInterest(worker.pidfd.number)], timeoutMilliseconds: 2_000)
        if ready?.isEmpty ?? true { _ = try? worker.signalGroup(.kill) }
        _ = try? worker.reap()
    }
}
