import Sluice
import SluiceTesting
import Testing

struct Reminder: TaskPayload, Equatable {
    static let taskType = "reminder"
    var address: String
}

func makeReminders(in app: QueueClient, by send: @escaping @Sendable (String) throws -> Void)
    throws
{
    try app.handle(Reminder.self) { reminder, _ in try send(reminder.address) }
}

func remind(_ address: String, in app: QueueClient) async throws {
    try await app.enqueue(Reminder(address: address), to: "mail", after: .seconds(3_600))
}

@Test("a reminder is due in an hour")
func remindsLater() async throws {
    let app = try QueueClient.inMemory()
    try makeReminders(in: app) { _ in }
    try await remind("dana@example.org", in: app)
    #expect(try await app.enqueued(Reminder.self) == [Reminder(address: "dana@example.org")])
    #expect(try await app.runAll().isEmpty)
    #expect(try await app.advance(by: .seconds(3_600)).count == 1)
}

@Test("a mail server that is down twice is tried a third time")
func triesAgain() async throws {
    let app = try QueueClient.inMemory()
    try makeReminders(in: app) { _ in }
    try await remind("dana@example.org", in: app)
    try await app.inject(.fail("HTTP 503"), into: Reminder.self, times: 2)
    let attempts = try await app.advance(by: .seconds(2 * 3_600))
    #expect(attempts.map(\.outcome) == [.retry, .retry, .success])
    try await app.require("empty(mail) and state(#1) == succeeded")
}
