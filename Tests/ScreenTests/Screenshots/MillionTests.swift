import SluiceSystem
import SluiceTestSupport
import Testing

/// The console at 1,000,000 tasks: a session that is recorded, with its times and pictures. `make
/// million` draws them again.
@Suite("a million tasks", .serialized, .enabled(if: MillionPlace.pictures != nil))
struct MillionTests {
    @Test("K6 a session at 1,000,000 tasks")
    func session() throws {
        let place = try MillionPlace()
        defer { try? place.remove() }
        let show = try MillionShow(place, into: try #require(MillionPlace.pictures))
        try show.begin()
        try show.look()
        try show.search()
        try show.tellMemory()
        try show.drain()
        try show.end(withRecording: true)
    }

    @Test("K6 1,000,000 tasks that failed with 200 kinds of error")
    func failures() throws {
        let place = try MillionPlace(areFailed: true)
        defer { try? place.remove() }
        let show = try MillionShow(place, into: try #require(MillionPlace.pictures))
        try show.failures()
        try show.tellMemory()
        try show.end(withRecording: false)
    }
}

/// A store of 1,000,000 tasks.
struct MillionPlace {
    static let count = 1_000_000
    /// The folder for pictures; `nil` draws none.
    static let pictures = ProcessIdentity.environment("SLUICE_MILLION")
    let folder: String
    var store: String { "\(folder)/million.db" }
    var handlers: String { "\(folder)/handlers.json" }
    let environment: [String]

    init(areFailed: Bool = false) throws {
        folder = try Files.makeTemporaryDirectory(prefix: "sluice-million")
        environment = [
            "XDG_CONFIG_HOME=\(folder)", "XDG_STATE_HOME=\(folder)", "SLUICE_USER=dana",
            "SLUICE_TEST_HOST=desk",
        ]
        let simulated = #"{"handlers": {"*": {"simulate": {}}}}"#
        try Files.writeAtomically(Array(simulated.utf8), to: handlers)
        let lines = "\(folder)/tasks.jsonl"
        try Files.writeAtomically(areFailed ? Self.failedLines() : Self.lines(), to: lines)
        try run("init")
        try run("queue", "set", "letters", "--concurrency", "64")
        try run("import", lines)
        try Files.remove(lines)
        for _ in 0..<12 { try run("enqueue", "thumbnails", "resize") }
        for _ in 0..<3 { try run("enqueue", "reports", "monthly", "--not-before", "+2h") }
    }

    func run(_ words: String...) throws {
        let child = try start(words)
        _ = try Poll.wait(fds: [PollInterest(child.pidfd.number)], timeoutMilliseconds: 300_000)
        try #require(try child.reap() == .code(0))
    }

    func start(_ words: [String]) throws -> ChildProcess {
        try ChildProcess.spawn(
            Spawn(
                BuiltProgram.path(), words + ["--store", store],
                environment: ProcessIdentity.environment() + environment, output: .null,
                errors: .null))
    }

    func remove() throws { try Files.removeTree(folder) }

    /// Payloads of 200 bytes. Twelve of them contain the search word.
    private static func lines() -> [UInt8] {
        let types = ["send", "send", "digest", "send", "receipt", "reminder", "send"]
        var text: [UInt8] = []
        text.reserveCapacity(count * 290)
        for number in 0..<count {
            let word = number % 90_909 == 31 ? "amsterdam" : "elsewhere"
            var payload = #"{"to":"customer-\#(number % 5000)","user":{"id":\#(number % 5000)},"#
            payload += #""city":"\#(word)","text":""#
            payload += String(repeating: "x", count: 198 - payload.utf8.count) + #""}"#
            let type = types[number % types.count]
            var line = #"{"queue":"letters","type":"\#(type)","payload":\#(payload)"#
            if number % 50_000 == 40 { line += #","groupStart":"customer-77""# }
            if (41..<44).contains(number % 50_000) {
                line += #","groupMembers":["customer-77"]"#
            }
            text += Array((line + "}\n").utf8)
        }
        return text
    }

    /// Tasks that were given up: 198 kinds of error that are common, and a few of two more.
    private static func failedLines() -> [UInt8] {
        let letters = Array("abcdefghijklmnopqrst")
        let begin = SystemClock.nowMilliseconds() - Int64(count)
        var text: [UInt8] = []
        text.reserveCapacity(count * 190)
        for number in 0..<count {
            let kind = number % 198
            var error = "the shop said \(letters[kind % 20])\(letters[kind / 20])"
            if number % 200_000 == 77 { error = "timeout after 30 s" }
            if number % 250_000 == 99 { error = "connection refused" }
            let at = begin + Int64(number)
            text += Array(
                (#"{"queue":"letters","type":"send","payload":{"n":\#(number)},"state":"failed","#
                    + #""attempts":3,"executions":3,"error":"\#(error)","life":{"state":"failed","#
                    + #""at":\#(at),"reason":"\#(error)"}}"# + "\n").utf8)
        }
        return text
    }
}
