import SluiceSystem
import SluiceTestSupport
import Testing

/// A person's actions, repeated by a shell script.
@Suite("end to end: scripts of the log", .serialized)
struct ScriptTests {
    /// A stopped clock, so that both stores have the same times.
    private static let clock = "SLUICE_TEST_NOW=1800000000000"
    private static let handlers = #"{"handlers":{"*":{"simulate":{"outcome":"success"}}}}"#
    /// More than fifteen different verbs.
    private static let session: [[String]] = [
        ["enqueue", "mail", "welcome", #"{"to":"it's \"kim\""}"#, "--label=first $(touch X)"],
        ["queue", "set", "mail", "--concurrency", "3", "--retry", "fixed(5s)"],
        [
            "enqueue", "--priority", "7", "--group", "g", "--unique", "k:keep", "--", "mail", "-t",
            "-p",
        ],
        ["pause", "mail", "--reason", "line\nbreak; touch X"],
        ["skip", "2", "3"], ["unskip", "3"], ["priority", "4", "-3"], ["postpone", "5", "+2h"],
        ["move", "6", "--first"],
        ["edit", "7", "--payload", "\u{1b}[31m\nred", "--set", "label=x"],
        ["duplicate", "1"], ["delete", "8", "9"], ["undelete", "9"], ["undo"], ["redo"],
        ["retry", "5"], ["step", "mail", "--handlers", "handlers.json"], ["network", "off"],
        ["break", "type:t payload.a=\"x y\"", "--for", "none"], ["fault", "type:q", "fail=no way"],
        ["break", "remove", "1"], ["resume", "mail"], ["queue", "set", "other"],
        ["queue", "delete", "other"], ["purge", "8"], ["protect"],
        ["delete", "4", "6", "--store-name", "app.db"],
    ]

    private func export(_ place: Workplace, _ store: String) throws -> String {
        let answer = try place.sluice(
            ["export", "-", "--store", store, "--format", "lines"], environment: [Self.clock])
        return try place.expecting(0, answer).output
    }

    @Test("G7 the script of a session, run on an untouched copy, makes the same store")
    func again() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(Self.handlers, to: "handlers.json")
            try place.expecting(
                0,
                place.sluice(
                    ["enqueue", "mail", "--jsonl", "-"],
                    input: String(repeating: "{\"type\":\"t\",\"payload\":{\"n\":1}}\n", count: 9),
                    environment: [Self.clock]))
            try place.makeFolder("copy")
            let copy = place.file("copy/app.db")
            for name in try Files.list(Files.parent(of: place.store)) where name.hasPrefix("app.db")
            {
                let path = "\(Files.parent(of: place.store))/\(name)"
                guard Files.kind(path) == .file else { continue }
                try Files.writeAtomically(
                    try Files.read(path, limitBytes: 1 << 24), to: place.file("copy/\(name)"))
            }
            for words in Self.session {
                var named = words
                let end = words.firstIndex(of: "--") ?? words.endIndex
                named.insert(words[0] == "network" ? "--by=bo's" : "--by=ann", at: end)
                let answer = try place.sluice(named, environment: [Self.clock])
                #expect(answer.code == 0, "\(words): \(answer.errors)")
            }
            let told = try place.sluice(
                ["log", "--script", "--since", "2026-01-01T00:00:00Z"], environment: [Self.clock])
            let mine = try place.sluice(["log", "--script", "--by", "ann"])
            #expect(!mine.output.contains("network off") && mine.output.contains("sluice skip 2 3"))
            // Skip the tester's enqueues from before the copy.
            let lines = told.output.split(separator: "\n", omittingEmptySubsequences: false)
            let first = try #require(lines.firstIndex { $0.contains("SLUICE_USER=ann") })
            let script = (lines.prefix(6) + lines[first...]).joined(separator: "\n")
            #expect(!script.unicodeScalars.contains("\u{1b}"))
            try place.write(script, to: "again.sh", isProgram: true)
            let program = try BuiltProgram.path()
            let shell = try place.start(
                "sh", ["-c", "PATH=\"$(dirname \(program)):$PATH\" ./again.sh"],
                environment: ["SLUICE_STORE=\(copy)", Self.clock, "HANDLERS=handlers.json"]
            ).answer()
            #expect(shell.code == 0, "\(shell.errors)\n\(script)")
            #expect(!Files.exists(place.file("X")))
            let (done, again) = (try export(place, place.store), try export(place, copy))
            #expect(done == again && done.split(separator: "\n").count > 6)
        }
    }

    @Test("G7 what took back a bulk from before the script is one line of it")
    func bulkBefore() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            func run(_ words: [String], input: String = "", at time: Int) throws -> String {
                let clock = "SLUICE_TEST_NOW=\(time)"
                let answer = try place.sluice(words, input: input, environment: [clock])
                return try place.expecting(0, answer).output
            }
            let start = 1_800_000_000_000
            _ = try run(
                ["enqueue", "mail", "--jsonl", "-"],
                input: String(repeating: "{\"type\":\"t\"}\n", count: 2100), at: start)
            _ = try run(["delete", "--filter", "type:t", "--yes"], at: start + 1000)
            _ = try run(["undo"], at: start + 60_000)
            func undos(_ script: String) -> Int {
                script.split(separator: "\n").filter { $0.hasPrefix("sluice undo") }.count
            }
            let whole = try run(["log", "--script"], at: start + 61_000)
            #expect(undos(whole) == 3)
            let moment = "2027-01-15T08:00:30Z"
            let later = try run(["log", "--script", "--since", moment], at: start + 61_000)
            #expect(undos(later) == 1, "\(later)")
        }
    }
}
