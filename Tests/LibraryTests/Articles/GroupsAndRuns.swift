import Sluice

struct Profile: TaskPayload {
    static let taskType = "profile"
    var user: String
}

struct Event: TaskPayload {
    static let taskType = "event"
    var user: String
    var name: String
}

func configure(_ app: QueueClient) async throws {
    try await app.control.perform(
        .setQueue("analytics", [.preset(.customerIO), .batchCount(20)]))
}

func identify(_ user: String, in app: QueueClient) async throws {
    try await app.enqueue(Profile(user: user), to: "analytics") { $0.groupStart = user }
}

func track(_ name: String, of user: String, in app: QueueClient) async throws {
    try await app.enqueue(Event(user: user, name: name), to: "analytics") {
        $0.groupMembers = [user]
    }
}

func sendNow(_ app: QueueClient) async throws -> Int {
    let answer = try await app.run("analytics")
    return answer.stepped.count
}

struct Item: TaskPayload {
    static let taskType = "item"
    var order: Int
    var number: Int
}

struct Parcel: TaskPayload {
    static let taskType = "parcel"
    var order: Int
}

func handOver(_ order: Int, items: Int, by task: TaskContext) throws {
    let groups = (1...items).map { "order \(order), item \($0)" }
    for number in 1...items {
        try task.enqueue(Item(order: order, number: number), to: "packing") {
            $0.groupStart = groups[number - 1]
        }
    }
    try task.enqueue(Parcel(order: order), to: "packing") { $0.groupMembers = groups }
}
