import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand
@testable import SluiceTerminalUI

/// A store whose every text would steer a terminal, and every command that reads it.
@Suite("Output without control characters")
struct CleanOutputTests {
    /// The line break would start a new line.
    static let evil =
        "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{9d}0;x\u{9c}\u{7f}\u{202e}\u{2066}\u{2028}x"
        + "\r\nFORGED"

    /// Characters that control a terminal, reorder a line, or imitate a line of the program.
    static func raw(_ text: String) -> [String] {
        let signs = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
        // A report has errors and payloads in fences, line by line.
        let lines = text.hasPrefix("# ") ? [] : text.split(separator: "\n")
        let forged = lines.filter { $0.hasPrefix("FORGED") }
        return signs.map { "U+\(String($0.value, radix: 16))" } + forged.map(String.init)
    }

    /// Tasks of every state, copied with names that no enqueue would take.
    private static func bench() throws -> Bench {
        var bench = Bench(evil)
        (bench.environment["SLUICE_USER"], bench.environment["NO_COLOR"]) = (evil, "1")
        let texts = ["--label", evil, "--session", "s"]
        for count in 0..<8 {
            _ = bench.run(["enqueue", "q", "t\(count)", evil] + texts)
            _ = bench.run(["enqueue", "q", "t", JSONValue.object([evil: .string(evil)]).text])
        }
        try bench.store.transactBlocking(at: Bench.start) { try work($0) }
        for words in [
            ["skip", "7"], ["delete", "8"], ["postpone", "9", "+1h"],
            ["pause", "q", "--reason", evil], ["checkpoint", "c"],
            ["break", "label~x", "--keep"], ["fault", "label~x", "error", evil],
            ["schedule", "set", "s", "@hourly", "q", "t", evil],
        ] { _ = bench.run(words) }
        try bench.store.writeBlocking { try copy($0) }
        return bench
    }

    private static func work(_ mutation: Mutation) throws {
        var process = ProcessRecord(
            id: 0, role: .runner, host: evil, bootID: evil, pid: 7, lockName: evil,
            attachedAt: Bench.start)
        process.slots = 8
        let runner = try mutation.attach(process).id
        let endings: [HandlerOutcome?] = [
            .success(result: Array(evil.utf8)), .giveUp(error: evil),
            .retry(afterMilliseconds: 60_000, error: evil), .park(error: evil), nil, nil,
        ]
        for ending in endings {
            let claimed = try mutation.claim(
                ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
            guard let task = claimed.first?.task, let ending else { continue }
            var done = Completion(
                task: task.id, token: task.running?.token ?? 0, ending: .handler(ending))
            var progress = AttemptProgress()
            (progress.log, progress.text, progress.fraction) = ([evil, evil], evil, 0.5)
            done.progress = progress
            _ = try mutation.settle([done])
        }
    }

    private static func copy(_ store: any StoreWriter) throws {
        var queue = try #require(try store.queue(named: "q"))
        queue.name = evil
        try store.put(queue)
        for id in 1...16 as ClosedRange<TaskID> {
            guard var task = try store.task(id) else { continue }
            task.id += 100
            (task.queue, task.type, task.session) = (evil, evil, evil)
            (task.groupStart, task.uniqueKey) = (id == 10 ? evil : nil, "\(id)\(evil)")
            if id > 10 { task.groupMembers = [evil] }
            task.lastError = evil
            try store.insert([NewTask(task: task, payload: Array(evil.utf8))])
            try store.put(
                try store.attempts(of: id).map { attempt in
                    var other = attempt
                    (other.task, other.queue, other.type) = (task.id, evil, evil)
                    (other.error, other.consequence) = (evil, evil)
                    return other
                })
        }
        for kind in [evil, "paused", JournalEvent.step] {
            try store.append([
                JournalEvent(
                    at: Bench.start, kind: kind, queue: evil, task: 101, by: evil, text: evil)
            ])
        }
    }

    private static let ids = Array(1...16) + Array(101...116)
    /// Commands that read, and rejected commands that quote the text.
    private static let reading: [[String]] =
        [
            ["queues"], ["failures"], ["failures", "--by", "type"], ["timers"], ["runners"],
            ["log"], ["log", "--limit", "5"], ["stats"], ["stats", evil], ["schedule", "list"],
            ["break", "list"], ["fault", "list"], ["checkpoint", "list"], ["diff", "c"], ["clock"],
            ["doctor"], ["groups"], ["groups", evil], ["results", "s"], ["results", evil],
            ["forecast"], ["forecast", evil], ["network"], ["metrics"], ["list"],
            ["list", evil], ["list", "--filter", "state:failed"], ["list", "--filter", evil],
            ["list", "--fields", "id,queue,type,label,error,group,session"],
            ["expect", "empty(\(evil))"], ["expect", "empty(q)"],
            ["expect", "count(queue:q) == 0"], ["expect", "state(#101) == failed"],
            ["expect", "order(q) == [1]"], ["expect", "payload(#102).x == 1"], ["expect", evil],
            ["report", "--filter", "label~x"], ["show", evil], ["why", evil], ["help", evil],
            [evil], ["queues", evil], ["filter", "list"], ["watch", "--for", "0s"],
        ]
        + ids.flatMap { [["show", "\($0)"], ["why", "\($0)"], ["report", "\($0)"]] }
    private static let changing: [[String]] = [
        ["pause", evil], ["pause", "q", "--reason", evil], ["resume", evil], ["resume", "q"],
        ["skip", "101", "102"], ["unskip", "101"], ["delete", "103", "104"], ["undelete", "103"],
        ["retry", "102", "103"], ["postpone", "104", "+1h"], ["priority", "104", "4"],
        ["move", "104", "--last"], ["move", "104", "--queue", evil],
        ["edit", "104", "--set", evil],
        ["edit", "104", "--set", "label=\(evil)"], ["duplicate", "104"], ["cancel", "105"],
        ["reclaim", "106"], ["delete", "--filter", "label~x", "--dry-run"],
        ["delete", "--filter", "label~x", "--yes"], ["undo"], ["redo"], ["network", "off"],
        ["queue", "set", evil], ["queue", "delete", evil, "--yes"], ["step", evil],
        ["run", evil], ["enqueue", evil, "t"], ["enqueue", "q", evil], ["enqueue", "q", "t", evil],
        ["checkpoint", evil], ["restore", "c", "--dry-run"], ["restore", evil],
        ["break", evil], ["fault", "label~x", evil], ["clock", evil], ["schedule", "set", evil],
        ["schedule", "remove", evil], ["protect"], ["unprotect"], ["purge", "--dry-run"],
        ["acknowledge", evil], ["filter", "save", evil, "x"], ["break", "remove", evil],
    ]

    @Test("K11 JSON escapes each character that texts show by a number or a sign")
    func json() throws {
        var escaped = 0
        for number in Array(0...0xFFFF as ClosedRange<UInt32>) + Array(0xE0000...0xE0FFF) {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let (text, json) = (String(scalar), JSONValue.string(String(scalar)).text)
            switch ScalarKind(scalar) {
            case .control, .deceptive:
                #expect(!json.unicodeScalars.contains(scalar), "\(number)")
                #expect(try JSONValue.parse(json).string == text)
                escaped += 1
            default: #expect(json.utf8.count <= text.utf8.count + 3, "\(number)")
            }
        }
        #expect(escaped > 200)
    }

    @Test("K11 no command writes what steers a terminal, whatever a store says", arguments: [0, 1])
    func own(width: Int) throws {
        var bench = try Self.bench()
        bench.columns = width == 0 ? nil : 60
        var (shown, count) = (0, 0)
        for words in Self.reading + Self.changing {
            for isJSON in [false, true] where !isJSON || words.first != "report" {
                let outcome = bench.run(words + (isJSON ? ["--json"] : []))
                for text in [outcome.output, outcome.errors] where !text.isEmpty {
                    let raw = Self.raw(text)
                    #expect(raw.isEmpty, "\(words), JSON \(isJSON): \(raw)")
                    count += 1
                    if text.contains("owned") { shown += 1 }
                }
            }
        }
        // An output that does not have the text shows nothing.
        #expect(count > 250 && shown > 150, "\(shown) of \(count) have it")
    }
}
