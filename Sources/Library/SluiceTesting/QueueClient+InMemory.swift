public import FoundationEssentials
public import Sluice
import SluicePlatform

extension QueueClient {
    /// A client for one test: its store lies in memory and is empty, and the clock of the store
    /// stands, so that nothing happens by itself. What it enqueues waits until the test lets it run
    /// (`runAll`) or lets time pass (`advance`).
    ///
    /// `start` is what the clock shows, any moment; where it is not given, the real time. Each
    /// client has a store of its own, so that tests may run beside each other.
    public static func inMemory(
        startingAt start: Timestamp? = nil, defaultQueue: String = "default"
    ) throws -> QueueClient {
        let app = QueueClient(
            store: MemoryStore(), person: "test", defaultQueue: defaultQueue)
        try app.control.performBlocking(.setClock(ClockRequest(.freeze)))
        if let start { try app.control.performBlocking(.setClock(ClockRequest(.set(start)))) }
        return app
    }

    /// The same, from a moment as Foundation has it.
    public static func inMemory(
        startingAt start: Date, defaultQueue: String = "default"
    ) throws -> QueueClient {
        try inMemory(startingAt: Timestamp(start), defaultQueue: defaultQueue)
    }

    /// The payloads of a type that wait, in a queue or in all, in the order in which they came.
    /// Those that run, have ended or were deleted are not among them.
    ///
    /// Throws where one of them cannot be read as this type.
    public func enqueued<Payload: TaskPayload>(
        _ type: Payload.Type, in queue: String? = nil
    ) async throws -> [Payload] {
        let name = Payload.taskType
        let payloads = try await store.read { store in
            var ids: [TaskID] = []
            var last: TaskID = 0
            while true {
                let page = try store.tasks(.numbered(after: last, in: [.waiting]), limit: 500)
                guard let end = page.last else { break }
                last = end.id
                ids += page.filter { $0.type == name && $0.queue == queue ?? $0.queue }.map(\.id)
            }
            let payloads = try store.payloads(of: ids)
            return ids.compactMap { payloads[$0] }
        }
        return try payloads.map { try Payload(encoded: $0) }
    }
}
