import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("the rate of a queue by keys")
struct RateKeyTests {
    private func bench(_ rate: Rate?, isReadOnly: Bool = false) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            var queue = QueueRecord(name: "mail", createdAt: LivingScene.now)
            queue.settings.rate = rate
            try writer.put(queue)
        }
        return Bench(
            store: store, size: Size(width: 140, height: 32), now: LivingScene.now,
            isReadOnly: isReadOnly)
    }

    private func rate(_ bench: Bench) throws -> Rate? {
        try bench.store.readBlocking { try $0.queue(named: "mail")?.settings.rate }
    }

    @Test("Q13 IDJ-35 in view 7 { halves the rate of a queue, } doubles it, z takes it back")
    func changed() throws {
        let bench = try bench(Rate(10, each: 60_000, burst: 2))
        bench.press("7")
        #expect(bench.lines.last?.contains("{ half the rate  } twice") == true, "\(bench.screen)")
        bench.press("{")
        #expect(try rate(bench) == Rate(5, each: 60_000, burst: 2))
        #expect(bench.message.hasPrefix("queue set mail --rate 5/1m --burst 2 | "))
        bench.press("{")
        #expect(try rate(bench) == Rate(5, each: 120_000, burst: 2))
        bench.press("} } }")
        #expect(try rate(bench) == Rate(20, each: 60_000, burst: 2))
        bench.press("z z")
        #expect(try rate(bench) == Rate(5, each: 60_000, burst: 2))
        #expect(bench.screen.contains("1 at a time · 5/1m"), "\(bench.screen)")
    }

    @Test("Q13 a queue without a rate, the row of all queues and a read-only store say why not")
    func refused() throws {
        let none = try bench(nil)
        none.press("7")
        #expect(none.lines.last?.contains("half the rate") == false)
        none.press("{")
        #expect(none.message == " | mail has no rate: :queue set mail --rate 10/1m gives it one")
        let reading = try bench(Rate(1, each: 1000), isReadOnly: true)
        reading.press("7 }")
        #expect(reading.message.contains("reading only"), "\(reading.message)")
        #expect(try rate(reading) == Rate(1, each: 1000))
        let slow = try bench(Rate(1, each: 300 * 86_400_000))
        slow.press("7 {")
        #expect(slow.message == " | 1/300d is the lowest rate that this key gives: E sets another")
        slow.press("1 {")
        #expect(slow.message.contains("that is for a tape"), "\(slow.message)")
    }
}
