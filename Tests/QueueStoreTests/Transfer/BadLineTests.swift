import SluiceControl
import SluiceFolderStore
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceSystem
import SluiceTransfer
import Testing

@Suite("Imports that are refused")
struct BadLineTests {
    static let lines: [(line: String, code: QueueError.Code)] = [
        ("{\"type\":", .badValue), ("[]", .badValue), ("7", .badValue),
        ("{\"queue\":\"q\"}", .badValue), ("{\"type\":\"t\",\"prioritty\":1}", .badValue),
        ("{\"type\":\"t\",\"priority\":\"high\"}", .badValue),
        ("{\"type\":\"t\",\"payloadBase64\":\"*\"}", .badValue),
        ("{\"type\":\"t\",\"queue\":\"\\u0001\"}", .badName),
        ("{\"type\":\"\",\"queue\":\"q\"}", .badName),
        ("{\"type\":\"t\",\"state\":\"asleep\"}", .badValue),
        ("{\"type\":\"t\",\"life\":{\"state\":\"failed\"}}", .badValue),
        ("{\"type\":\"t\",\"attemptLog\":[{}]}", .badValue),
        ("{\"type\":\"t\",\"origin\":\"\"}", .badName),
        ("{\"type\":\"t\",\"attempts\":-1}", .badValue),
        ("{\"queue\":\"q\",\"settings\":{}}", .badValue),
        ("{\"type\":\"t\",\"depth\":5000}", .tooDeep),
        (
            "{\"type\":\"t\",\"payload\":\"\(String(repeating: "x", count: 1 << 20))\"}",
            .payloadTooLarge
        ),
    ]

    @Test("P6 a bad line is named by its number, and nothing is imported", arguments: lines.indices)
    func refused(_ index: Int) throws {
        let ground = try Ground()
        let good = (0..<1500).map { "{\"type\":\"t\($0)\"}" }
        let all = good + ["", Self.lines[index].line] + good
        try ground.write(all.joined(separator: "\n"), to: "a.jsonl")
        let store = try ground.sqlite("a.db")
        let error = #expect(throws: QueueError.self) {
            try ground.importLines("a.jsonl", into: store, queue: "q")
        }
        #expect(error?.code == Self.lines[index].code, "\(String(describing: error))")
        #expect(error?.message.hasPrefix("line 1502: ") ?? false)
        #expect(error?.fix.isEmpty == false)
        #expect(try store.readBlocking { try $0.queues() } == [])
        #expect(try store.readBlocking { try $0.journal(JournalQuery(limit: 5)) } == [])
    }

    @Test("P6 a line that names no queue needs one for all")
    func noQueue() throws {
        let ground = try Ground()
        try ground.write("{\"type\":\"t\"}", to: "a.jsonl")
        let store = try ground.sqlite("a.db")
        let error = #expect(throws: QueueError.self) {
            try ground.importLines("a.jsonl", into: store)
        }
        #expect(error?.code == .badValue && error?.message.hasPrefix("line 1: ") ?? false)
        #expect(try ground.importLines("a.jsonl", into: store, queue: "q").added == 1)
    }

    @Test("T5 a task whose unique key is taken is named, and the others come in")
    func taken() throws {
        let ground = try Ground()
        let store = try ground.sqlite("a.db")
        try store.enqueue([request("t") { $0.uniqueKey = "k" }], to: "q")
        let text = """
            {"type":"t","unique":"k","queue":"q"}
            {"type":"t","unique":"other","queue":"q"}
            {"type":"t","unique":"k","queue":"q","state":"failed"}
            {"type":"t","unique":"other:reject","queue":"q"}
            """
        try ground.write(text, to: "a.jsonl")
        let report = try ground.importLines("a.jsonl", into: store)
        #expect(report.added == 2 && report.refused.map(\.line) == [1, 4])
        #expect(report.refused.allSatisfy { $0.error.code == .uniqueTaken })
    }

    @Test("D1 T6 a queue that takes no tasks takes none by import")
    func closed() throws {
        let ground = try Ground()
        try ground.write((0..<9).map { _ in "{\"type\":\"t\"}\n" }.joined(), to: "a.jsonl")
        let store = try ground.sqlite("a.db")
        try store.writeBlocking { writer in
            var queue = QueueRecord(name: "paused", createdAt: at(0))
            queue.pauses = [
                Pause(
                    cause: .person, by: "ann", reason: nil, since: at(0), direction: .enqueues)
            ]
            try writer.put(queue)
            var small = QueueRecord(name: "small", createdAt: at(0))
            small.settings.maximumLength = 5
            try writer.put(small)
        }
        for (queue, code) in [("paused", .enqueuePaused), ("small", .queueFull)]
            as [(String, QueueError.Code)]
        {
            let error = #expect(throws: QueueError.self) {
                try ground.importLines("a.jsonl", into: store, queue: queue)
            }
            #expect(error?.code == code)
            #expect(try store.all(queue) == [])
        }
    }
}
