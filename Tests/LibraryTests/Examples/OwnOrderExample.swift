import Sluice

/// A message in a queue with custom order: urgent ones first, then the older ones.
struct Message: TaskPayload {
    static let taskType = "message"
    var text: String
    var urgency: Int
    var written: Int64

    /// Two keys compare as two messages do: by a digit that is smaller where the urgency (0 to 9)
    /// is larger, then by a moment with all of its digits.
    var sortKey: SortKey {
        let digits = String(written)
        let moment = String(repeating: "0", count: 19 - digits.count) + digits
        return .text("\(9 - urgency) \(moment)")
    }
}

final class Outbox: Sendable {
    let app: QueueClient

    init(storeAt path: String) async throws {
        app = try QueueClient.open(path)
        try await app.control.perform(.setQueue("outbox", [.preset(.yap), .order(.key)]))
    }

    @discardableResult
    func send(_ message: Message) async throws -> TaskID {
        try await app.enqueue(message, to: "outbox") { $0.sortKey = message.sortKey }
    }

    /// The ordering values changed, so the task gets a new key and a new place.
    func change(_ task: TaskID, to message: Message) async throws {
        try await app.control.perform(
            .edit(
                [TaskTarget(task)], payload: try message.encoded(),
                fields: [.sortKey(message.sortKey)]))
    }
}
