import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

/// `queue set --per`.
@Suite("rates for each key by command")
struct KeyedRateTests {
    @Test("Q13 IDJ-37 a rate for each value is set, shown, undone and taken away")
    func lifecycle() throws {
        let bench = Bench()
        let set = bench("queue set mail --rate 10/1m --burst 2 --per payload.user")
        #expect(set.exit == .done, "\(set.errors)")
        let queue = try #require(bench("queues --json").json["queues"]?.array?.first)
        #expect(queue["rate"] == "10/1m" && queue["per"] == "payload.user")
        #expect(bench("queues").output.contains("10/1m for each payload.us"))
        #expect(bench("log --script").output.contains("--per payload.user"))
        #expect(bench("queue set mail --rate 20/1m --burst 2").exit == .done)
        #expect(
            bench("queues --json").json["queues"]?.array?.first?["per"] == "payload.user")
        #expect(bench("queue set mail --per none").exit == .done)
        #expect(bench("queues --json").json["queues"]?.array?.first?["per"] == nil)
        #expect(bench("undo").exit == .done)
        #expect(
            bench("queues --json").json["queues"]?.array?.first?["per"] == "payload.user")
        #expect(bench("queue set mail --rate none").exit == .done)
        #expect(bench("queues --json").json["queues"]?.array?.first?["per"] == nil)
    }

    @Test(
        "Q13 a wrong place names what is allowed, and nothing changes",
        arguments: [
            ("--per user", "the queue has no rate"),
            ("--rate 10/1m --per a,b", "none, or a path such as payload.user"),
            ("--rate 10/1m --per payload.", "none, or a path such as payload.user"),
            ("--type send --per user", "--per is a setting of the queue"),
        ])
    func refused(_ options: String, part: String) throws {
        try TypeSettingTests.checkRefusal(of: options, part: part)
    }
}
