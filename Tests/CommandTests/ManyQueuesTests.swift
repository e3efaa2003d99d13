import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

@Suite("the queues of a large store")
struct ManyQueuesTests {
    @Test("2,001 queues are one line of JSON, in their order, with the inbox")
    func parts() throws {
        let bench = Bench()
        let names = (0..<2001).map { "chat-\($0)" }
        try bench.store.writeBlocking { store in
            for name in names { try store.put(QueueRecord(name: name, createdAt: Bench.start)) }
        }
        let answer = bench("queues --json")
        let queues = try #require(answer.json["queues"]?.array)
        // A comparison of the lists would print both.
        let isWhole = queues.compactMap { $0["name"]?.string } == names.sorted()
        #expect(isWhole)
        #expect(queues.allSatisfy { $0["counts"]?["waiting"] == 0 })
        #expect(answer.json["inbox"]?["queues"] == .array([]))
        #expect(answer.output.hasSuffix("}\n"))
        #expect(answer.output.split(separator: "\n").count == 1)
    }

    @Test("a store without queues has an empty list")
    func empty() {
        let bench = Bench()
        #expect(bench("init memory").exit == .done)
        #expect(bench("queues --json").json["queues"] == .array([]))
    }
}
