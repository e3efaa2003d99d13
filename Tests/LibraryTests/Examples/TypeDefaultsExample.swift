import Sluice

/// The mail about an order. Its type names the queue, and how often the mail is tried.
struct OrderMail: TaskPayload {
    static let taskType = "orderMail"
    static let queue: String? = "mail"
    static let attempts: Int? = 3
    static let retry: RetryRule? = .fixed(.seconds(30))
    static let uniquePolicy = UniquePolicy.replace
    var order: Int
    var text: String

    /// One mail about an order waits at a time: the newest one.
    var uniqueKey: String? { "order-\(order)" }
}

func sendMail(
    of app: QueueClient, _ send: @escaping @Sendable (OrderMail) throws -> Void
) async throws {
    try app.handle(OrderMail.self) { mail, _ in try send(mail) }
    try await app.enqueue(OrderMail(order: 7, text: "thanks"))
    try await app.enqueue(OrderMail(order: 7, text: "thank you"))
}
