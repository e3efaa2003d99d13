import Sluice
import SluiceFolderStore
import SluiceSystem
import Testing

/// A Customer.io queue `site` in our file or the SDK's folder, with a simulated clock and simulated
/// program runs. Its deinit removes it.
final class CustomerBench: Sendable {
    /// The storage of the queue.
    enum Engine: String, CaseIterable, Sendable {
        case sqlite, folder
    }

    let engine: Engine
    /// Lets chosen changes of the store fail.
    let faults = WriteFaults()
    private let root: String
    private let clock = Protected(Timestamp(milliseconds: 1_800_000_000_123))
    private let ids = Protected(0)
    private let lines = Protected<[String]>([])

    init(_ engine: Engine) throws {
        self.engine = engine
        root = try Files.makeTemporaryDirectory(prefix: "sluice-customer-")
        guard engine == .folder else { return }
        try Files.makeDirectory("\(folder)/tasks", withParents: true)
        try put("[]", "inventory.json")
    }

    deinit { try? Files.removeTree(root) }

    var now: Timestamp { clock.withLock { $0 } }
    var folder: String { "\(root)/site/queue" }
    /// The handled tasks, in order.
    var handled: [String] { lines.withLock { $0 } }

    func pass(_ milliseconds: Int64) { clock.withLock { $0 = $0 + milliseconds } }
    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// The n-th generated id.
    static func id(_ number: Int) -> String { "0000000\(number)-AAAA-4BBB-8CCC-DDDDDDDDDDDD" }

    func open(readOnly: Bool = false) throws -> any QueueStore {
        guard engine == .folder else {
            return try SQLiteStore.open(
                path: "\(root)/site.db", readOnly: readOnly, createIfMissing: !readOnly,
                durability: .normal, faults: faults, clock: { self.now })
        }
        var options = FolderOptions()
        options.clock = { self.now }
        options.databaseFaults = faults
        options.makeID = {
            Self.id(
                self.ids.withLock { number in
                    number += 1
                    return number
                })
        }
        return try FolderStore.open(path: folder, readOnly: readOnly, options: options)
    }

    /// A program that opens the place. Its queue works as the SDK works it.
    func life() async throws -> QueueClient {
        let store = try open()
        let app = QueueClient(store: store, now: { self.now })
        if try await store.read({ try $0.queues().isEmpty }) {
            try await app.control.perform(.setQueue("site", [.preset("customer-io")]))
        }
        return app
    }

    /// A life that handles every type: each task is noted when it begins, and ends as `outcome`
    /// says.
    func workingLife(
        _ outcome: @escaping @Sendable (Execution) async -> HandlerOutcome = { _ in .done }
    ) async throws -> QueueClient {
        let app = try await life()
        try app.handle(
            type: "*",
            AsyncHandler { [self] execution, _ in
                note(execution.task.type)
                return await outcome(execution)
            })
        return app
    }

    /// A program run with a runner during `body`.
    func working<Value>(
        _ outcome: @escaping @Sendable (Execution) async -> HandlerOutcome = { _ in .done },
        _ body: (QueueClient) async throws -> Value
    ) async throws -> Value {
        let app = try await workingLife(outcome)
        let worker = try app.start()
        let result: Result<Value, any Error>
        do { result = .success(try await body(app)) } catch { result = .failure(error) }
        try await worker.stop()
        app.store.close()
        return try result.get()
    }

    /// The content of a file in the SDK's folder.
    func content(_ name: String) throws -> String {
        String(decoding: try Files.read("\(folder)/\(name)", limitBytes: 1 << 20), as: UTF8.self)
    }

    func put(_ text: String, _ name: String) throws {
        try Files.writeAtomically(Array(text.utf8), to: "\(folder)/\(name)")
    }

    /// The SDK's own files; nothing in a place of ours.
    func files() throws -> [String] {
        engine == .folder ? try Files.list("\(folder)/tasks") : []
    }

    /// Forgets all that the SDK does not know.
    func forgetDatabase() throws {
        for name in try Files.list(folder) where name.hasPrefix("sluice.db") {
            try Files.removeTree("\(folder)/\(name)")
        }
    }
}

extension HandlerOutcome {
    static let done = HandlerOutcome.success(result: nil)
    static let fail = HandlerOutcome.retry(afterMilliseconds: nil, error: "no network")
}

func customerTask(
    _ type: String, start: String? = nil, members: [String] = []
) -> EnqueueRequest {
    var request = EnqueueRequest(type: type, payload: Array(#"{"é":[1]}"#.utf8))
    (request.groupStart, request.groupMembers) = (start, members)
    return request
}

/// The scenarios' calls on the queue `site`.
extension QueueClient {
    @discardableResult
    func add(_ requests: EnqueueRequest...) async throws -> [TaskID] {
        try await control.perform(.enqueue(queue: "site", requests)).changed
    }

    /// The tasks that wait, in their order.
    func waiting() async throws -> [QueueTask] {
        try await store.read {
            try $0.tasks(matching: TaskQuery(queue: "site", state: .waiting, limit: 100))
        }
    }

    func count() async throws -> Int {
        try await store.read { try $0.counts(queue: "site")[.waiting] }
    }

    /// The time of the next scheduled run.
    func nextRun() async throws -> Timestamp? {
        let now = control.now()
        return try await store.read { store in
            try Reading(store, now: now).overview(try store.requireQueue("site")).nextRun
        }
    }

    func payload(of id: TaskID) async throws -> [UInt8]? {
        try await store.read { try $0.payload(of: id) }
    }

    func state(of id: TaskID) async throws -> TaskState.Name? {
        try await store.read { try $0.task(id)?.state.name }
    }

    /// How many lines of a kind the journal has.
    func lines(_ kind: String) async throws -> Int {
        try await store.read { store in
            try store.journal(JournalQuery(limit: 1000)).count { entry in
                if case .event(let event) = entry { event.kind == kind } else { false }
            }
        }
    }
}
