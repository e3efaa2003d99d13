import Sluice
import SluiceTesting
import Testing

/// A charge that an app hands to a shop's server.
struct Charge: TaskPayload, Equatable {
    static let taskType = "charge"
    var order: Int
}

/// How the app charges: it tries again for a week, then it gives up.
func chargeOrders(of app: QueueClient, at server: @escaping @Sendable (Int) throws -> Void)
    async throws
{
    try app.handle(Charge.self) { charge, task in
        task.logger.info("attempt \(task.execution.number) of order \(charge.order)")
        try server(charge.order)
    }
    let day: Int64 = 86_400_000
    try await app.control.perform(
        .setQueue(
            "shop",
            [
                .attempts(nil), .expires(7 * day),
                .retry(
                    .exponential(
                        baseMilliseconds: 60_000, factor: 2, capMilliseconds: day, jitter: 0)),
            ]))
}

@Suite("how the app charges")
struct ChargeTests {
    @Test("a server that is down for three days has the order in the end")
    func threeDays() async throws {
        let app = try QueueClient.inMemory()
        try await chargeOrders(of: app) { _ in }
        try await app.enqueue(Charge(order: 7), to: "shop")
        #expect(try await app.enqueued(Charge.self) == [Charge(order: 7)])

        try await app.inject(.fail("HTTP 503"), into: Charge.self, times: 13)
        let attempts = try await app.advance(by: .seconds(3 * 86_400))
        #expect(attempts.count == 13)
        try await app.require("state(#1) == waiting")

        try await app.advance(by: .seconds(86_400))
        try await app.require("empty(shop) and state(#1) == succeeded and ran(type:charge) == 14")
    }

    @Test("after a week without an answer it is given up")
    func week() async throws {
        let app = try QueueClient.inMemory()
        try await chargeOrders(of: app) { _ in }
        try await app.enqueue(Charge(order: 7), to: "shop")
        try await app.inject(.fail("HTTP 503"), into: Charge.self, times: 1_000)
        try await app.advance(by: .seconds(8 * 86_400))
        try await app.require("state(#1) == failed")
        #expect(try await app.enqueued(Charge.self) == [])
    }
}
