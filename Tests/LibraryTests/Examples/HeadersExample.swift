import Sluice

/// A receipt by mail, in the trace of its request.
struct ReceiptMail: TaskPayload {
    static let taskType = "receipt"
    var order: Int
}

func mailReceipts(
    of app: QueueClient, _ send: @escaping @Sendable (Int, _ trace: String?) throws -> Void
) throws {
    try app.handle(ReceiptMail.self) { receipt, task in
        try send(receipt.order, task.execution.headers["traceparent"])
    }
}

func checkOut(order: Int, traceparent: String, in app: QueueClient) async throws {
    try await app.enqueue(ReceiptMail(order: order), headers: ["traceparent": traceparent])
}
