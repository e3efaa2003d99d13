import Sluice
import SluiceSystem
import Testing

@Suite("examples")
struct ExampleTests {
    private struct Down: Error, CustomStringConvertible {
        let description = "503"
    }

    /// An example's output, in order, from several threads.
    private final class Record: Sendable {
        private let lines = Protected<[String]>([])
        var all: [String] { lines.withLock { $0 } }

        /// Adds a line; says how often it was there.
        @discardableResult
        func add(_ line: String) -> Int {
            lines.withLock { lines in
                lines.append(line)
                return lines.count { $0 == line } - 1
            }
        }
    }

    let folder: String
    private let record = Record()

    init() throws { folder = try Files.makeTemporaryDirectory(prefix: "sluice-example-") }

    private func show(_ name: String) {
        print("\(name):\n  " + record.all.joined(separator: "\n  "))
    }

    @Test("B5 Q4 an analytics client sends a profile before what belongs to it, as it was then")
    func analytics() async throws {
        let analytics = try await Analytics(storeAt: "\(folder)/analytics.db") { [record] line in
            if record.add(line) == 0, line.hasPrefix("identify") { throw Down() }
        }
        var plan = "free"
        try await analytics.identify("ann", plan: plan)
        try await analytics.track("opened", of: "ann", plan: plan)
        try await analytics.track("visited", of: "nobody", plan: "-")
        plan = "paid"
        try await analytics.track("bought", of: "ann", plan: plan)
        try await analytics.app.drain()
        show("analytics")
        #expect(
            record.all == [
                "identify ann (free)", "track nobody: visited (-)", "identify ann (free)",
                "track ann: opened (free)", "track ann: bought (paid)",
            ])
    }

    @Test("T7 a receipt is mailed in the trace of the request that asked for it")
    func trace() async throws {
        let app = QueueClient(store: MemoryStore())
        try mailReceipts(of: app) { [record] order, trace in
            if record.add("\(order) \(trace ?? "none")") == 0 { throw Down() }
        }
        try await app.configure("default") { [.retry(.fixed(.zero))] }
        try await checkOut(order: 7, traceparent: "00-1", in: app)
        try await app.enqueue(ReceiptMail(order: 8))
        try await app.enqueue([ReceiptMail(order: 9)], headers: ["traceparent": "00-2"])
        try await app.drain(network: nil)
        show("trace")
        let each = ["7 00-1", "8 none", "9 00-2"]
        #expect(record.all.sorted() == each.flatMap { [$0, $0] })
    }

    @Test("T4 B7 YTQ-09 YTQ-17 a chat sends in order what it committed, and nothing else")
    func chat() async throws {
        let sluice = try QueueClient.open("\(folder)/chat.db")
        try sendMessages(of: sluice) { [record] message in
            if record.add("\(message.chat): \(message.text)") == 0, message.text == "hello" {
                throw HandlerError(.retry(afterMilliseconds: 30, error: "no connection"))
            }
        }
        for chat in ["ann", "bob"] {
            try await sluice.control.perform(.setQueue("chat-\(chat)", [.preset(.yap)]))
        }
        try await sluice.control.perform(.pause(PauseRequest(.store)))
        let chat = try Chat(sluice)
        try chat.say("hello", in: "ann")
        try chat.say("how's it going?", in: "ann")
        try chat.say("good morning", in: "bob")
        #expect(throws: ChatError.self) { try chat.say("", in: "bob") }
        try chat.say("oops", in: "bob")
        try chat.revert("oops")
        try chat.revert("good morning")
        try chat.say("good morning", in: "bob")
        try await sluice.control.perform(.resume(.store))
        try await sluice.drain()
        show("chat")
        let ann = record.all.filter { $0.hasPrefix("ann") }
        #expect(ann == ["ann: hello", "ann: hello", "ann: how's it going?"])
        #expect(record.all.filter { $0.hasPrefix("bob") } == ["bob: good morning"])
    }

    @Test("KKT-01 KKT-06 KKT-07 KKT-17 KKT-18 an app starts by rank, goes back, stops and goes on")
    func start() async throws {
        let start = try await AppStart(storeAt: "\(folder)/start.db") { [record] step in
            let times = record.add("\(step)")
            switch step {
            case .location: throw Down()
            case .login where times == 0: return .profile
            case .appInformation where times == 0: throw Down()
            default: return nil
            }
        }
        try await start.enqueue(Step.allCases.reversed())
        #expect(record.all == [])
        try await start.run()
        record.add("(stopped)")
        try await start.enqueue([.appInformation])
        try await start.run()
        show("start")
        #expect(
            record.all == [
                "network", "location", "profile", "login", "profile", "appInformation",
                "(stopped)", "appInformation", "banner",
            ])
    }

    @Test("YTQ-21 Q1 an app keeps an order of its own by keys, also when what it compares changes")
    func ownOrder() async throws {
        let outbox = try await Outbox(storeAt: "\(folder)/outbox.db")
        try outbox.app.handle(Message.self) { [record] message, _ in record.add(message.text) }
        var ids: [TaskID] = []
        for (text, urgency, written) in [
            ("fourth", 2, 1000), ("third", 2, 30), ("first", 9, 2000), ("second", 0, 5),
        ] {
            let message = Message(text: text, urgency: urgency, written: Int64(written))
            ids.append(try await outbox.send(message))
        }
        try await outbox.change(ids[3], to: Message(text: "second", urgency: 5, written: 5))
        try await outbox.app.drain()
        show("outbox")
        #expect(record.all == ["first", "second", "third", "fourth"])
    }
}
