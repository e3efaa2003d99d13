import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

/// The moment that many milliseconds after the tests' beginning.
func at(_ milliseconds: Int64) -> Timestamp {
    Timestamp(milliseconds: 1_800_000_000_000 + milliseconds)
}

func request(
    _ type: String = "t", _ change: (inout EnqueueRequest) -> Void = { _ in }
) -> EnqueueRequest {
    var request = EnqueueRequest(type: type, payload: Array("{}".utf8))
    change(&request)
    return request
}

/// A member, or a start, of a group.
func member(_ groups: String..., start: String? = nil) -> EnqueueRequest {
    request {
        $0.groupMembers = groups
        $0.groupStart = start
    }
}

/// A store of one engine with a simulated clock. Its deinit removes it.
final class Bench: Sendable {
    let store: any QueueStore
    let faults = WriteFaults()
    let fileFaults = WriteFaults()
    let folder: String
    /// How many members follow their starts in one commit.
    let membersAtOnce: Int
    /// The reads that each write announces.
    let expected = Protected(ExpectedReads())
    private let engine: Engine
    private let clock = Protected(at(0))

    init(_ engine: Engine, membersAtOnce: Int = Mutation.membersAtOnce) throws {
        self.engine = engine
        self.membersAtOnce = membersAtOnce
        folder = try Self.makeFolder()
        store = try engine.make(folder, faults, fileFaults)
    }

    deinit {
        do {
            for line in try engine.contradictions(folder, store) { Issue.record("\(line)") }
        } catch {
            Issue.record(error)
        }
        store.close()
        try? Files.removeTree(folder)
    }

    /// In memory if possible: these tests cut no power.
    private static func makeFolder() throws -> String {
        var random = SystemRandom()
        let quick = "/dev/shm/operation-test-\(String(random.next(), radix: 36))"
        do {
            try Files.makeDirectory(quick)
            return quick
        } catch {
            return try Files.makeTemporaryDirectory(prefix: "operation-test-")
        }
    }

    var now: Timestamp { clock.withLock { $0 } }

    func pass(_ milliseconds: Int64) { clock.withLock { $0 = $0 + milliseconds } }

    func readOnly() throws -> any QueueStore { try engine.readOnly(folder, store) }

    @discardableResult
    func act<Value: Sendable>(
        _ body: @escaping @Sendable (Mutation) throws -> Value
    ) throws -> Value {
        let (now, membersAtOnce) = (now, membersAtOnce)
        return try store.writeBlocking(expecting: expected.withLock { $0 }) { store in
            try store.transact(at: now, membersAtOnce: membersAtOnce, body)
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) throws -> Value { try store.readBlocking(body) }

    func makeQueue(
        _ name: String = "q", _ change: @escaping @Sendable (inout QueueSettings) -> Void = { _ in }
    ) throws {
        let now = now
        try store.writeBlocking { store in
            var settings = QueueSettings()
            settings.keepFinished = .none
            settings.retry = .fixed(milliseconds: 1000)
            change(&settings)
            try store.put(QueueRecord(name: name, settings: settings, createdAt: now))
        }
    }

    /// A queue with a preset's settings.
    func makePreset(_ preset: String, _ name: String = "q") throws {
        try makeQueue(name) { $0 = QueueSettings.preset(named: preset) ?? $0 }
    }

    @discardableResult
    func enqueue(_ requests: [EnqueueRequest], to queue: String = "q") throws -> [TaskID] {
        try act { try $0.enqueue(requests, to: queue).ids }
    }

    @discardableResult
    func enqueue(_ count: Int, to queue: String = "q") throws -> [TaskID] {
        try enqueue(Array(repeating: request(), count: count), to: queue)
    }

    @discardableResult
    func attach(
        types: [String]? = nil, queues: [String]? = nil, onlyPermits: Bool = false
    ) throws -> ProcessID {
        let now = now
        return try act { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
                attachedAt: now)
            process.slots = 8
            process.types = types
            process.queues = queues
            process.takesOnlyPermits = onlyPermits
            return try mutation.attach(process).id
        }
    }

    @discardableResult
    func claim(_ request: ClaimRequest) throws -> [Claimed] { try act { try $0.claim(request) } }

    @discardableResult
    func claim(_ runner: ProcessID, slots: Int = 1, inFlight: Int = 0) throws -> [Claimed] {
        try claim(ClaimRequest(runner: runner, freeSlots: slots, inFlight: inFlight))
    }

    /// Claims and returns the first task. Fails the test without one.
    func claimOne(_ request: ClaimRequest) throws -> Claimed {
        try #require(try claim(request).first, "nothing is given")
    }

    func claimOne(_ runner: ProcessID, slots: Int = 1, inFlight: Int = 0) throws -> Claimed {
        try claimOne(ClaimRequest(runner: runner, freeSlots: slots, inFlight: inFlight))
    }

    @discardableResult
    func settle(_ claimed: Claimed, _ ending: Ending) throws -> Settled {
        let completion = claimed.completion(ending)
        return try act { try $0.settle([completion])[0] }
    }

    @discardableResult
    func settle(_ claimed: Claimed, _ outcome: HandlerOutcome = .done) throws -> Settled {
        try settle(claimed, .handler(outcome))
    }

    /// Claims one task after the other and ends each by `outcome`, until no claim succeeds; returns
    /// them in order.
    @discardableResult
    func drain(
        _ runner: ProcessID, limit: Int = 100,
        _ outcome: (TaskID) -> HandlerOutcome = { _ in .done }
    ) throws -> [TaskID] {
        var ran: [TaskID] = []
        while ran.count < limit, let claimed = try claim(runner).first {
            ran.append(claimed.task.id)
            try settle(claimed, outcome(claimed.task.id))
        }
        return ran
    }
}

extension HandlerOutcome {
    static let done = HandlerOutcome.success(result: nil)
    static let fail = HandlerOutcome.retry(afterMilliseconds: nil, error: "no")
}

extension Claimed {
    func completion(_ ending: Ending) -> Completion {
        Completion(task: task.id, token: task.running?.token ?? 0, ending: ending)
    }
}
