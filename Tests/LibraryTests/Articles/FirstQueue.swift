import Sluice

struct Welcome: TaskPayload {
    static let taskType = "welcome"
    var address: String
}

struct MailServer: Sendable {
    func send(to address: String, _ text: String) async throws {}
}

func makeApp(storeAt path: String, mail: MailServer) throws -> QueueClient {
    let app = try QueueClient.open(path)
    try app.handle(Welcome.self) { welcome, task in
        try await mail.send(to: welcome.address, "Welcome!")
        task.log("sent in attempt \(task.execution.number)")
    }
    return app
}

func signUp(_ address: String, in app: QueueClient) async throws {
    try await app.enqueue(Welcome(address: address), to: "mail")
}

func work(_ app: QueueClient, until shutdown: @Sendable () async -> Void) async throws {
    let worker = try app.start(queues: ["mail"], slots: 4)
    await shutdown()
    try await worker.stop()
}
