public import FoundationEssentials
public import Sluice
import SluicePlatform

extension QueueClient {
    /// A client for one test. Its store is empty and in memory, with a frozen clock, so no task
    /// starts automatically. Tasks wait until the test calls `runAll` or `advance`.
    ///
    /// `start` is the initial time of the clock; the default is the real time. Each client has a
    /// separate store, so tests may run in parallel.
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

    /// The payloads of waiting tasks of a type, in one queue or in all, in the order of arrival.
    /// Excludes running, ended and deleted tasks.
    ///
    /// Throws if a payload does not decode as this type.
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
