import SluiceFolderStore
import SluiceModel
import SluiceSQL
import SluiceStore
import SluiceTransfer
import Testing

@Suite("Hostile payloads on their way")
struct HostilePayloadTests {
    /// Payloads that something between two stores might alter or refuse.
    static let payloads: [[UInt8]] = {
        func text(_ text: String) -> [UInt8] { Array(text.utf8) }
        func deep(_ depth: Int, _ open: String, _ close: String, _ core: String = "") -> [UInt8] {
            text(
                String(repeating: open, count: depth) + core
                    + String(repeating: close, count: depth))
        }
        let limit = 1 << 20
        var all: [[UInt8]] = [
            [], [0], [0xFF, 0xFE], [0xEF, 0xBB, 0xBF, 0x7B, 0x7D], [0xC3], [0xED, 0xA0, 0x80],
            text("null"), text(" {}"), text("{}\n"), text("{\"a\":1,\"a\":2}"),
            text("{\"a\":{\"b\":1,\"b\":2}}"), text("\"\\ud800\""), text("\"\\ud800\\udc00\""),
            text("\"\\u0000\""), text("\"\u{0}\""), text("\"\u{7F}\u{85}\u{2028}\""),
            text("\"\\u007f\\u0085\""), text("1e999"), text("-0"), text("1E+2"), text("1.0"),
            text("9223372036854775807"), text("9223372036854775808"), text("-9223372036854775809"),
            text(String(repeating: "9", count: 5000)),
            text("0." + String(repeating: "1", count: 5000)),
            text("{\"payload\":{\"payloadBase64\":\"*\"}}"), text("{\"\":\"\"}"),
            text("\"\u{E000}0\u{E000}1\""), text("\"\u{301}e\u{301}\""),
            [UInt8](repeating: 0, count: limit), [UInt8](repeating: 0x22, count: limit),
            text("\"" + String(repeating: "\\u0001", count: (limit - 2) / 6) + "\""),
            text("\"" + String(repeating: "x", count: limit - 2) + "\""),
        ]
        for depth in [1, 511, 512, 513, 5000] {
            all += [deep(depth, "[", "]"), deep(depth, "{\"a\":", "}", "1")]
        }
        return all + random
    }()

    /// Bytes similar to JSON, from a separate generator.
    private static let random: [[UInt8]] = {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        let pieces: [[UInt8]] =
            [
                "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u", "d83d", "null", "-", "0", "1", ".",
                "e",
                " ", "\n", "\u{0}", "\u{2028}", "a",
            ].map { Array($0.utf8) } + [[0xFF], [0x80], [0xF0, 0x9F]]
        return (0..<200).map { _ in
            (0..<next(40)).flatMap { _ in pieces[next(pieces.count)] }
        }
    }()

    @Test(
        "D12 what an export writes its import takes, every payload byte for byte",
        arguments: [TransferFormat.lines, .sqlite, .folder])
    func everyByte(_ format: TransferFormat) throws {
        let ground = try Ground()
        let first = try ground.sqlite("a.db")
        let all = Self.payloads
        try first.enqueue(
            all.enumerated().map { place, payload in
                request("t\(place)") { $0.payload = payload }
            }, to: "q")
        let source = try ground.source(first)
        let second = try ground.sqlite("b.db")
        let report: ImportReport
        switch format {
        case .lines:
            let sink = try LinesSink(path: ground.path("a.jsonl"))
            _ = try TransferExport(from: source, to: sink).run()
            report = try ground.importLines("a.jsonl", into: second)
        case .sqlite:
            let sink = try SQLiteSink(
                path: ground.path("c.db"), source: "a", person: "ann", now: { at(0) })
            _ = try TransferExport(from: source, to: sink).run()
            report = try ground.importStore(try ground.sqlite("c.db"), into: second)
        case .folder:
            let sink = try FolderSink(path: ground.path("c"))
            _ = try TransferExport(from: source, to: sink).run()
            report = try ground.importStore(
                try ground.openFolder("c"), into: second, queue: "q")
        case .har: return
        }
        #expect(report.added == all.count && report.refused == [] && report.error == nil)
        let tasks = try second.all("q")
        #expect(tasks.map(\.type) == all.indices.map { "t\($0)" })
        for (task, payload) in zip(tasks, all) {
            let came = try second.readBlocking { try $0.payload(of: task.id) }
            #expect(came == payload, "\(task.type)")
        }
    }

    @Test("D12 results, texts and moments of any kind come in as they went out")
    func everyField() throws {
        let ground = try Ground()
        let first = try ground.sqlite("a.db")
        let texts = ["\u{0}", "\u{1B}[2J", "\u{E000}", "\u{2028}", "'\"\\", ""]
        let moments: [Int64] = [.min, -1, 0, 253_402_300_799_999, 253_402_300_800_000, .max]
        try first.writeBlocking { writer in
            try writer.put(QueueRecord(name: "q", createdAt: at(0)))
            for (place, result) in Self.payloads.enumerated() {
                let id = try writer.reserveTaskIDs(1)
                var task = QueueTask(
                    id: id, queue: "q", type: "t", position: id * 10,
                    createdAt: Timestamp(milliseconds: moments[place % moments.count]),
                    state: .succeeded(Success(at: at(0))))
                task.label = texts[place % texts.count]
                task.lastError = texts[(place + 1) % texts.count]
                task.sortKey = place.isMultiple(of: 2) ? .integer(.min) : .text(texts[2])
                task.expiresAt = Timestamp(milliseconds: moments[(place + 3) % moments.count])
                try writer.insert([NewTask(task: task, payload: [])])
                try writer.setResult(result, of: id)
            }
        }
        let former = try ground.lines(of: first, "a.jsonl")
        let second = try ground.sqlite("b.db")
        let report = try ground.importLines("a.jsonl", into: second)
        #expect(report.added == Self.payloads.count && report.refused == [])
        let after = try ground.lines(of: second, "b.jsonl")
        #expect(after == former)
    }
}

@Suite("Keys that come twice")
struct RepeatedKeyTests {
    static let lines = [
        #"{"type":"t","payload":1,"payload":2}"#, #"{"type":"t","payload":{"a":[{"b":1,"b":1}]}}"#,
        #"{"type":"t","typ\u0065":"u"}"#,
    ]

    @Test("D12 a key that a line has twice is refused with its place", arguments: lines)
    func refused(_ line: String) throws {
        let ground = try Ground()
        try ground.write("{\"type\":\"t\"}\n\(line)\n", to: "a.jsonl")
        let store = try ground.sqlite("a.db")
        let imported = #expect(throws: QueueError.self) {
            try ground.importLines("a.jsonl", into: store, queue: "q")
        }
        let enqueued = #expect(throws: QueueError.self) {
            let file = try TaskLineFile(bytes: Array("\n\(line)".utf8))
            _ = try file.batches(now: at(0)).next()
        }
        for error in [imported, enqueued] {
            #expect(error?.code == .badValue)
            #expect(error?.message.hasPrefix("line 2: column ") ?? false)
            #expect(error?.message.hasSuffix("comes a second time") ?? false)
        }
        #expect(try store.readBlocking { try $0.queues() } == [])
    }
}
