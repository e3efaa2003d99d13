import Sluice

struct Greeting: TaskPayload {
    static let taskType = "greeting"
    var name: String
}

func greet(storeAt path: String) async throws {
    let app = try QueueClient.open(path)
    try app.handle(Greeting.self) { greeting, task in
        task.log("hello \(greeting.name), execution \(task.execution.number)")
    }
    try await app.enqueue(Greeting(name: "Dana"), to: "greetings")
    try await app.drain()
}
