import SluiceControl
import SluiceModel
import SluiceReports
import SluiceStore
import Testing

@testable import SluiceCommand

/// Reports of tasks whose names, payloads, errors and logs want to be something else.
@Suite("Reports of hostile tasks")
struct HostileReportTests {
    /// Marks every hostile text, and occurs only there.
    private static let sign: Character = "§"
    private static let pieces = [
        "```", "````", "~~~", "`", "``", "\n```\n", "\r\n# ", "\n- ", "<script>", "<!--", "|", "*",
        "](http://x)", "\u{1b}[31m", "\u{7}", "\u{9b}2J", "\u{0}", "\u{202e}", "\u{2028}", "\u{85}",
        "\t", "    ", " ", "$(rm)", "\\", "\"", "é", "字", "x",
    ]

    private static func text(_ random: inout Draw) -> String {
        (0..<Int.random(in: 1...12, using: &random)).reduce("") { text, _ in
            text + String(sign) + (pieces.randomElement(using: &random) ?? "")
        }
    }

    /// A draw that a seed repeats.
    struct Draw: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state ^ (state >> 29)) &* 0xbf58_476d_1ce4_e5b9
        }
    }

    private func store(_ random: inout Draw) throws -> MemoryStore {
        let store = MemoryStore(name: Self.text(&random), identity: "s")
        let start = Bench.start
        let (name, error) = ("q", Self.text(&random))
        // Names have no control characters.
        let group = Self.text(&random).filter { letter in
            letter.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
                && !["\u{2028}", "\u{202e}"].contains(letter)
        }
        let logs = (0..<3).map { _ in Self.text(&random) }
        var request = EnqueueRequest(type: "t", payload: Array(Self.text(&random).utf8))
        if Bool.random(using: &random) {
            request.payload = Array(
                JSONValue.object([Self.text(&random): .string(Self.text(&random))]).text.utf8)
        }
        request.label = Self.text(&random)
        request.groupStart = group
        let wanted = request
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: name, createdAt: start))
            try store.transact(at: start) { mutation in
                _ = try mutation.enqueue([wanted, wanted], to: name)
                var process = ProcessRecord(
                    id: 0, role: .runner, host: error, bootID: "b", pid: 7, lockName: "l",
                    attachedAt: start)
                process.slots = 2
                let runner = try mutation.attach(process).id
                for _ in 0..<2 {
                    let claimed = try mutation.claim(
                        ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
                    for one in claimed {
                        var done = Completion(
                            task: one.task.id, token: one.task.running?.token ?? 0,
                            ending: .handler(.retry(afterMilliseconds: nil, error: error)))
                        var progress = AttemptProgress()
                        progress.log = logs
                        done.progress = progress
                        _ = try mutation.settle([done])
                    }
                }
            }
        }
        return store
    }

    @Test("G7 K11 any report is one document without control characters", arguments: 0..<300)
    func document(seed: Int) throws {
        var random = Draw(state: UInt64(seed) &* 7919 &+ 1)
        let store = try store(&random)
        let call = ReportCall(selection: .tasks([.number(1), .number(2)]), redacted: [])
        let text = try ReportText.read(call, of: store, at: Bench.start).text
        let hidden = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar != "\n"
            default: false
            }
        }
        #expect(hidden.isEmpty)
        let outside = try #require(Self.outsideOfCode(text))
        #expect(!outside.contains(Self.sign))
        let headings = outside.split(separator: "\n").filter { $0.hasPrefix("#") }
        #expect(headings.first == "# 2 tasks")
        #expect(headings.filter { $0.hasPrefix("## Task #") }.count == 2)
        #expect(headings.filter { $0 == "### Payload" }.count == 2)
        #expect(headings.filter { $0.hasPrefix("### Queue") }.count == 2)
    }

    /// The text outside of fences and backticks, as Markdown parses them. `nil` if one is not
    /// closed.
    private static func outsideOfCode(_ text: String) -> String? {
        var (outside, fence) = ("", 0)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let ticks = line.prefix { $0 == "`" }.count
            if fence > 0 {
                if ticks >= fence, ticks == line.count { fence = 0 }
            } else if ticks >= 3, !line.dropFirst(ticks).contains("`") {
                fence = ticks
            } else {
                guard let rest = withoutSpans(String(line)) else { return nil }
                outside += rest + "\n"
            }
        }
        return fence == 0 ? outside : nil
    }

    private static func withoutSpans(_ line: String) -> String? {
        var (rest, made) = (line[...], "")
        while let start = rest.firstIndex(of: "`") {
            made += rest[..<start]
            let ticks = rest[start...].prefix { $0 == "`" }
            rest = rest[ticks.endIndex...]
            var end: Substring.Index?
            var place = rest.startIndex
            while end == nil {
                guard let next = rest[place...].firstIndex(of: "`") else { return nil }
                let run = rest[next...].prefix { $0 == "`" }
                if run.count == ticks.count { end = run.endIndex }
                place = run.endIndex
            }
            rest = rest[(end ?? rest.endIndex)...]
        }
        return made + rest
    }
}
