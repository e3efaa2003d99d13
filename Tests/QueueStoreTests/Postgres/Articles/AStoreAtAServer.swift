import Sluice
import SluicePostgres

struct Label: TaskPayload {
    static let taskType = "label"
    var order: Int
}

func openShop(at address: String) throws -> QueueClient {
    try QueueClient.open(postgres: address, defaultQueue: "shop")
}

func work(in shop: QueueClient) throws -> Worker {
    try shop.handle(Label.self) { label, task in
        task.log("order \(label.order) on \(task.execution.task.queue)")
    }
    return try shop.start(slots: 16)
}

func order(_ numbers: [Int], in shop: QueueClient) async throws {
    try await shop.enqueue(numbers.map { Label(order: $0) })
}
