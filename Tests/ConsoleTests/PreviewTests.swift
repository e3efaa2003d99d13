import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("What a task is about, and the preview")
struct PreviewTests {
    private static let now = LivingScene.now

    private static func payloads(_ texts: [[UInt8]]) throws -> MemoryStore {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { writer in
            try writer.put(QueueRecord(name: "mail", createdAt: Self.now))
            _ = try writer.reserveTaskIDs(texts.count)
            try writer.insert(
                texts.enumerated().map { place, payload in
                    NewTask(
                        task: LivingScene.task(Int64(place) + 1, "mail", "send", 60),
                        payload: payload)
                })
        }
        return store
    }

    private static func summary(_ payload: [UInt8]) -> String {
        PayloadSummary(of: BytesHead(payload, size: payload.count)).text
    }

    private static func bench(
        _ texts: [String], width: Int = 118, height: Int = 32
    ) throws -> Bench {
        Bench(
            store: try payloads(texts.map { Array($0.utf8) }),
            size: Size(width: width, height: height), now: now)
    }

    @Test(
        "a row says what its task is about",
        arguments: [
            (#"{"to":"vip Zoë","subject":"Welcome"}"#, "vip Zoë · Welcome"),
            (#"{"user":{"id":3,"name":"kim"},"at":1769868202}"#, "3 · kim"),
            (#"{"token":"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee","n":7}"#, "7"),
            (#"["a",null,true,2.5,"b","c"]"#, "a · 2.5 · b · c"),
            (#"{"to":"a\nb \u001b[31m","cut":"of"#, "a"),
            ("plain text\nsecond line", "plain text"), (#""just a string""#, "just a string"),
            ("{}", ""), ("", ""), ("{to: kim}", "{to: kim}"),
            (
                #"{"file":"/var/lib/app/uploads/2026/11/customer-17/holiday/picture-00412.png"}"#,
                "/var/lib/app/uploads/2026/11/customer-17/holiday/picture-00412.png"
            ),
        ])
    func about(_ example: (payload: String, text: String)) {
        #expect(Self.summary(Array(example.payload.utf8)) == example.text)
    }

    @Test(
        "K4 long paths do not look alike, wherever they differ", arguments: [80, 100, 118])
    func paths(width: Int) throws {
        for (before, behind) in [("customer-", "/holiday/picture.png"), ("pictures/", ".png")] {
            let bench = try Self.bench(
                (11...13).map {
                    #"{"n":7,"file":"/var/lib/app/uploads/2026/11/\#(before)\#($0)\#(behind)"}"#
                }, width: width)
            let rows = bench.lines.filter { $0.contains("7 · …") }
            let words = rows.compactMap { $0.split(separator: "7 · ").last }
            #expect(words.count == 3 && Set(words).count == 3, "\(bench.screen)")
        }
    }

    @Test("K4 of one path alone its end is shown")
    func path() throws {
        let path = "/var/lib/app/uploads/2026/11/customer-1/holiday/picture.png"
        let bench = try Self.bench([#"{"file":"\#(path)"}"#], width: 100)
        #expect(bench.lines.contains { $0.contains("…") && $0.contains("day/picture.png") })
    }

    @Test("bytes that are no text say how many they are, and a cut lies in no character")
    func bytes() {
        #expect(Self.summary([0xff, 0xfe, 0]) == "3 bytes")
        #expect(PayloadSummary(of: BytesHead([0xff], size: 5000)).text == "5000 bytes")
        let long = Array(String(repeating: "ä", count: 3000).utf8)
        for offset in 0..<2 {
            let text = Self.summary(Array(repeating: 0x61, count: offset) + long)
            #expect(text.hasPrefix(offset == 0 ? "ää" : "aä") && !text.contains("\u{FFFD}"))
        }
    }

    @Test("K6 a long payload is not read for a row or for the preview")
    func long() throws {
        let payload = "{\"to\":\"kim\",\"body\":\"" + String(repeating: "x", count: 70_000) + "\"}"
        let bench = try Self.bench([payload], width: 160, height: 40)
        #expect(bench.lines.contains { $0.contains("▶") && $0.contains("70022 bytes") })
        #expect(bench.screen.contains("payload  70022 bytes"))
        #expect(bench.state.scene?.detail?.payload == [])
        bench.press("Enter")
        #expect(bench.screen.contains("kim"))
    }

    @Test("a payload that is cut in the preview ends in a sign that says so")
    func cut() throws {
        func last(_ count: Int) throws -> String? {
            let fields = (1...count).map { #""field\#($0)":\#($0)"# }.joined(separator: ",")
            let bench = try Self.bench(["{\(fields)}"], width: 160, height: 40)
            let lines = bench.lines.compactMap { $0.split(separator: "│").last.map(String.init) }
            return lines.last { $0.contains("\"field") }
        }
        #expect(try last(60)?.contains(", …") == true)
        #expect(try last(4)?.contains("…") == false)
    }

    @Test("K4 room that short states do not need goes to what tasks are about")
    func room() throws {
        let about = "the first of many words that say what this task is about"
        let bench = try Self.bench([#"{"text":"\#(about)"}"#], width: 140, height: 32)
        #expect(bench.lines.contains { $0.contains("▶") && $0.contains(about.prefix(40)) })
        try bench.change { writer in
            guard var task = try writer.task(1) else { return }
            let reason = "connection refused by the relay of the other provider"
            task.state = .failed(Failure(at: Self.now, reason: reason, startPolicy: nil))
            try writer.update([task])
        }
        #expect(bench.lines.contains { $0.contains("!") && $0.contains(about.prefix(20)) })
        #expect(!bench.lines.contains { $0.contains("!") && $0.contains(about.prefix(40)) })
    }

    @Test("from 150 columns on the preview stands beside the list, and follows the cursor")
    func beside() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 160, height: 48), now: Self.now)
        func preview() -> String {
            bench.lines.map { $0.split(separator: "│").last.map(String.init) ?? "" }
                .joined(separator: "\n")
        }
        #expect(preview().contains("#1040 identify  next"), "\(bench.screen)")
        #expect(preview().contains("\"user\": \"dana\""))
        #expect(preview().contains("timed out"))
        bench.press("j j j")
        #expect(bench.screen.contains("│ #1043 metric"))
        #expect(!bench.screen.contains("│ #1040 identify"))
        try Pictures.check("preview-160x48", bench.buffer)
        bench.press("v")
        #expect(!preview().contains("#1043 metric") && !bench.state.showsPreview)
    }

    @Test("K1 a key is shown at once; the preview is read after it")
    func later() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 160, height: 48), now: Self.now)
        bench.holdsLoads = true
        bench.press("j")
        #expect(bench.screen.contains("│ #1041 track"))
        #expect(!bench.screen.contains("\"user\""))
        bench.releaseLoads()
        #expect(bench.screen.contains("\"user\": \"dana\""))
    }

    @Test("from 44 lines on it stands below, elsewhere on v, and not where there is no room")
    func below() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 100, height: 44), now: Self.now)
        #expect(bench.screen.contains("\"user\": \"dana\""))
        try Pictures.check("preview-100x44", bench.buffer)
        let small = Bench(
            store: try LivingScene.store(), size: Size(width: 100, height: 30), now: Self.now)
        #expect(!small.screen.contains("\"user\""))
        small.press("v")
        #expect(small.screen.contains("\"id\": 1040"), "\(small.screen)")
        small.press("v")
        #expect(!small.screen.contains("\"id\": 1040"))
        let tiny = Bench(
            store: try LivingScene.store(), size: Size(width: 70, height: 30), now: Self.now)
        tiny.press("v")
        #expect(tiny.message.contains("the preview needs 130 columns, or 80 and 30 lines"))
    }

    @Test(
        "K6 a preview leaves the list rows to go through",
        arguments: [Size(width: 80, height: 30), Size(width: 130, height: 22)])
    func room(_ size: Size) throws {
        let bench = Bench(store: try LivingScene.store(), size: size, now: Self.now)
        bench.press("v j j")
        #expect(bench.state.showsPreview && bench.state.layout.rowsHeight >= 3)
        #expect(bench.lines.contains { $0.contains(" 1042 ") && $0.contains("held by #1040") })
    }

    @Test("A7 the log of a running task runs in the preview")
    func running() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 160, height: 48), now: Self.now)
        bench.press("h j l")
        #expect(bench.screen.contains("#930 push"))
        try bench.change { writer in
            guard let task = try writer.task(930) else { return }
            var attempt = AttemptRecord(
                task: task, number: 1, runner: 1, startedAt: Self.now)
            attempt.log = ["rendering", "sent to relay"]
            try writer.put([attempt])
        }
        #expect(bench.screen.contains("sent to relay"), "\(bench.screen)")
    }
}
