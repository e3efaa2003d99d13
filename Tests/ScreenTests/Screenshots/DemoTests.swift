import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// `demo`, as a person meets it: the real program on a terminal.
@Suite("demonstration", .serialized)
struct DemoTests {
    /// A demonstration with its own place for temporary files.
    private final class Stage {
        let folder: String
        let session: TerminalSession

        init(_ words: [String], columns: Int = 118, rows: Int = 32) throws {
            folder = try Files.makeTemporaryDirectory(prefix: "sluice-stage")
            session = try TerminalSession(
                BuiltProgram.path(), ["demo"] + words,
                environment: [
                    "TMPDIR=\(folder)", "XDG_CONFIG_HOME=\(folder)/config",
                    "XDG_STATE_HOME=\(folder)/state",
                ],
                directory: folder, columns: columns, rows: rows)
        }

        deinit { try? Files.removeTree(folder) }

        /// The one folder that the demonstration made there.
        func scene() throws -> String {
            let name = try #require(try Files.list(folder).first { $0.hasPrefix("sluice-demo") })
            return "\(folder)/\(name)"
        }

        func step(until sign: String) throws -> ScreenPicture {
            try session.send("s")
            return try session.wait(forText: sign)
        }
    }

    @Test("the first line to read says what to press, and the next what to look at")
    func hints() throws {
        let stage = try Stage([])
        try stage.session.wait(
            forText:
                "profiles is paused: s runs exactly one task · w says why another waits · J opens")
        _ = try stage.step(
            until: "exactly one task ran: j w says why the row below waits · s one more · R retries"
        )
        // How long it took depends on how busy the machine is.
        let screen = try stage.session.wait(forText: "#1 identify failed after ")
        #expect(screen.text.contains("HTTP 500 Internal Server Error (simulated)"))
        try stage.session.send("q")
        #expect(try stage.session.waitForExit() == .code(0))
        #expect(try Files.list(stage.folder).isEmpty)
    }

    @Test("G1 G6 it tells of a stop at a breakpoint, of a tape of an incident, and of the way back")
    func tour() throws {
        let stage = try Stage([])
        try stage.session.wait(
            forText: "a breakpoint stopped messages: press h j l to go to it", timeoutSeconds: 60)
        for key in ["h", "j", "l"] { try stage.session.send(key) }
        try stage.session.wait(
            forText: "stopped since it failed twice: Enter shows both · R s tries again · r resumes"
        )
        try stage.session.send("r")
        try stage.session.wait(forText: "that was a breakpoint: J opens a tape of an incident")
        try stage.session.send("J")
        try stage.session.wait(forText: "a tape of an incident, at its beginning: . goes one event")
        // Each part appears in order, and its text is visible.
        var told: [String] = []
        let parts = [
            "lee lets payments run 8 at a time", "the provider refuses some: HTTP 429",
            "the first payment is given up", "mira stops payments and looks for the cause",
            "two at a time again; failed payments are due", "all are paid: the end of the tape",
        ]
        let signs = [
            "8 at a time", "429", "failed 1", "429 from the provider", "2 at a time", "empty",
        ]
        for _ in 0..<400 where told != parts {
            try stage.session.send(".")
            let screen = try stage.session.settle(quietMilliseconds: 20)
            guard let part = parts.first(where: { screen.text.contains($0 + ":") }),
                part != told.last
            else { continue }
            #expect(screen.text.contains(signs[told.count]), "\(screen.text)")
            told.append(part)
        }
        #expect(told == parts)
        try stage.session.send("J")
        let back = try stage.session.wait(forText: "back in the demonstration: b sets a breakpoint")
        #expect(back.text.contains("demo.db"))
        try stage.session.send("q")
        #expect(try stage.session.waitForExit() == .code(0))
        #expect(try Files.list(stage.folder).isEmpty)
    }

    @Test("P6 demo --customer-io: when registerPushToken fails, deletePushToken alone is held")
    func customerIO() throws {
        let stage = try Stage(["--customer-io"])
        try stage.session.wait(forText: "push is paused: s runs exactly one task")
        let first = try stage.session.wait(forText: "1 worker")
        #expect(first.text.contains("\"registerPushToken fails at first (simulated)\""))
        let inventory = "\(try stage.scene())/push/queue/inventory.json"
        let entries = try JSONValue.parse(try Files.read(inventory, limitBytes: 1 << 20))
        let members = entries.array?.filter { entry in
            entry["group_member"]?.array?.contains("registered_push_tokenc25cef9e") ?? false
        }
        #expect(entries.array?.count == 8)
        #expect(members?.map { $0["task_type"] } == ["deletePushToken"])
        let name = String(members?.first?["task_persisted_id"]?.string?.prefix(8) ?? "?")

        _ = try stage.step(until: "identifyProfile succeeded")
        _ = try stage.step(until: "trackEvent succeeded")
        let failed = try stage.step(until: "HTTP 500 Internal Server Error (simulated)")
        let held = failed.lineTexts.filter { $0.contains("held by ") && !$0.contains("fails") }
        #expect(held.count == 1 && held[0].contains(name), "\(failed.text)")
        for _ in 0..<3 { _ = try stage.step(until: "succeeded after 3") }
        _ = try stage.step(until: "the run ended")
        let ended = try stage.session.settle(quietMilliseconds: 200)
        // The cursor is on either: who steps before a picture has come does not wait for it.
        #expect(ended.lineTexts.contains { $0.hasSuffix(" of 2") }, "\(ended.text)")
        let next = ended.lineTexts.first { $0.contains("▶") }
        #expect(next?.contains("registerPushToken") == true, "\(ended.text)")
        try stage.session.send("q")
        #expect(try stage.session.waitForExit() == .code(0))
        #expect(try Files.list(stage.folder).isEmpty)
    }

    @Test("a folder that is named stays, and one that holds something is left as it is")
    func namedFolder() throws {
        let stage = try Stage(["--customer-io", "mine"])
        try stage.session.wait(forText: "mine is paused")
        try stage.session.send("q")
        #expect(try stage.session.waitForExit() == .code(0))
        let inventory = "\(stage.folder)/mine/inventory.json"
        let before = try Files.read(inventory, limitBytes: 1 << 20)
        let second = try TerminalSession(
            BuiltProgram.path(), ["demo", "--customer-io", "mine"], directory: stage.folder)
        #expect(try second.waitForExit() == .code(1))
        #expect(try second.screen.text.contains("mine is there and not empty"))
        #expect(try Files.read(inventory, limitBytes: 1 << 20) == before)
    }

    @Test("the worker of a demonstration ends by itself when its console is killed")
    func killed() throws {
        let stage = try Stage([])
        try stage.session.wait(forText: "1 worker")
        let locks = "\(try stage.scene())/demo.db-run"
        #expect(try held(locks) == 1)
        try stage.session.kill(.kill)
        _ = try stage.session.waitForExit()
        for _ in 0..<500 where try held(locks) > 0 {
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 10)
        }
        #expect(try held(locks) == 0)
    }

    private func held(_ folder: String) throws -> Int {
        try Files.list(folder).filter { name in
            guard name.hasSuffix(".lock") else { return false }
            return try FileLock.isHeld("\(folder)/\(name)")
        }.count
    }
}
