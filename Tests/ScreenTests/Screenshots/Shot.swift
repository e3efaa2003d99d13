import SluiceSystem
import SluiceTestSupport

/// One picture: the program's arguments, the typed keys, and the text to wait for.
struct Shot: Sendable, CustomStringConvertible {
    var name: String
    var theme = "dark"
    var keys = ""
    var sign: String
    var ground = Ground.store

    /// The subject of the picture.
    enum Ground: Sendable {
        /// The demonstration's store, without a worker.
        case store
        /// The same with a worker, when a tester has stepped through the marked queue.
        case atWork
        /// The same when a breakpoint has stopped that queue.
        case stopped
        case tape
        /// A Customer.io folder.
        case folder
    }

    var description: String { name }

    static let all = [
        Shot(name: "work", keys: "jjjjjS", sign: "retry in 20s", ground: .atWork),
        Shot(name: "inventory", sign: "next #1"),
        Shot(name: "inventory-light", theme: "light", sign: "next #1"),
        Shot(name: "groups", keys: "2", sign: "tasks wait for #1"),
        Shot(name: "timers", keys: "3", sign: "begins"),
        Shot(name: "why", keys: "jjw", sign: "with all four gone"),
        Shot(name: "detail", keys: "\r", sign: "identifier"),
        Shot(name: "queues", keys: "7jj", sign: "last hour of jobs"),
        Shot(name: "step", keys: "s", sign: "HTTP 500"),
        Shot(name: "folder", keys: "sss", sign: "HTTP 500", ground: .folder),
        Shot(name: "stop", keys: "jj", sign: "◆ breakpoint 1 before #8", ground: .stopped),
        Shot(name: "debugger", keys: "8", sign: "before-release", ground: .stopped),
        Shot(
            name: "tape", keys: "}4/stopped\r\r1", sign: "◆ breakpoint 1 before #8", ground: .tape),
    ]
}

/// The real program on the demonstration's scene without its worker, with the clock stopped.
struct Scene {
    /// 2026-01-15T14:03:22Z.
    static let now = "1768485802000"

    /// The text on screen after a worker has filled its slots.
    static let atWork = "● uploads   running            2"

    let folder: String
    let environment: [String]

    init() throws {
        folder = try Files.makeTemporaryDirectory(prefix: "sluice-shot")
        environment =
            ProcessIdentity.environment().filter {
                !$0.hasPrefix("SLUICE_") && !$0.hasPrefix("TERM") && !$0.hasPrefix("COLORTERM")
                    && !$0.hasPrefix("NO_COLOR") && !$0.hasPrefix("TZ=")
                    && !$0.hasPrefix("LC_") && !$0.hasPrefix("LANG=") && !$0.hasPrefix("COLORFGBG")
            } + [
                "SLUICE_TEST_NOW=\(Self.now)", "SLUICE_TEST_HOST=desk", "SLUICE_TEST_PID=4711",
                "SLUICE_USER=dana", "TZ=UTC", "LANG=C.UTF-8",
                "XDG_CONFIG_HOME=\(folder)/config", "XDG_STATE_HOME=\(folder)/state",
            ]
        try Files.writeAtomically(
            Array(Self.handlers(else: #""*": {"simulate": {}}"#).utf8), to: handlers)
        let scene = try TerminalSession(
            BuiltProgram.path(), ["__demo-scene", store], environment: environment)
        _ = try scene.waitForExit()
        try writeFolder()
    }

    /// A folder as the SDK leaves it, written by hand.
    private func writeFolder() throws {
        try Files.makeDirectory("\(sdkFolder)/tasks", withParents: true)
        let dana = #"["identified_profile_dana"]"#
        let token = "registered_push_tokenc25cef9e"
        let tasks = [
            ("3143DAD0-E28A-42E6-84B1-D9F6779DCF91", "identifyProfile", ""),
            ("6C0BEF56-E407-4176-89D3-A498CBEA671F", "trackEvent", #""group_member":\#(dana),"#),
            (
                "AA6418AC-40D0-4580-93B9-C6262257BAA3", "registerPushToken",
                #""group_member":\#(dana),"group_start":"\#(token)","#
            ),
            ("1C8B0F7D-02B5-4F3A-9E55-7A1D6C2E4B90", "trackEvent", #""group_member":\#(dana),"#),
            ("F05E9A33-7C41-4D0E-8B27-31C9A4D8E6F2", "trackPushMetric", ""),
            (
                "8E2D7B64-95A0-4C18-BF3C-E4F1076D2A5B", "deletePushToken",
                #""group_member":["\#(token)","identified_profile_dana"],"#
            ),
            ("4B97C1E8-6D3F-4A52-90E4-5F8A2B7C0D16", "trackEvent", #""group_member":\#(dana),"#),
        ]
        let entries = tasks.enumerated().map { place, task in
            #"{"created_at":\#(1_768_485_700 + 12 * place),\#(task.2)"#
                + #""task_persisted_id":"\#(task.0)","task_type":"\#(task.1)"}"#
        }
        try write("[\(entries.joined(separator: ","))]", "inventory.json")
        for task in tasks {
            try write(
                #"{"data":"e30=","run_results":{"total_runs":0},"#
                    + #""storage_id":"\#(task.0)","type":"\#(task.1)"}"#, "tasks/\(task.0).json")
        }
    }

    private func write(_ text: String, _ name: String) throws {
        try Files.writeAtomically(Array(text.utf8), to: "\(sdkFolder)/\(name)")
    }

    var sdkFolder: String { "\(folder)/shop/queue" }

    var store: String { "\(folder)/demo.db" }
    private var tape: String { "\(folder)/incident.tape" }
    private var handlers: String { "\(folder)/handlers.json" }

    private static func handlers(else rest: String, without endless: String? = nil) -> String {
        let types: [String] = ["track", "metric", "screen", "unregister"]
        let ended = types.filter { $0 != endless }.map {
            "\"\($0)\": {\"simulate\": {}}"
        }
        let failed = ["identify", "register", "registerPushToken"].map {
            "\"\($0)\": {\"simulate\": {\"fail\": 1, \"error\": "
                + "\"HTTP 500 Internal Server Error (simulated)\"}}"
        }
        return "{\"handlers\": {\((ended + failed + [rest]).joined(separator: ",\n"))}}"
    }

    /// Serves the store from some seconds before the picture on; what no handler is pretended for
    /// runs on.
    func serve(
        secondsAgo: Int, adding words: [String] = [], endless: String? = nil
    ) throws -> TerminalSession {
        let path = "\(folder)/serve.json"
        let rest = #""*": {"command": ["/bin/sh", "-c", "exec sleep 900"]}"#
        let text = Self.handlers(else: rest, without: endless)
        try Files.writeAtomically(Array(text.utf8), to: path)
        let worker = try TerminalSession(
            BuiltProgram.path(), ["work", "--store", store, "--handlers", path] + words,
            environment: environment(secondsAgo: secondsAgo, process: 4712), columns: 100)
        try worker.wait(forText: "is attached")
        return worker
    }

    /// A tester's commands on the marked queue before the picture.
    private func step() throws {
        try act([
            (115, ["step", "profiles"]), (100, ["retry", "1"]), (90, ["step", "profiles"]),
            (41, ["step", "profiles"]),
        ])
    }

    /// Runs commands in the past, each this many seconds ago.
    private func act(_ past: [(Int, [String])]) throws {
        for (seconds, words) in past {
            let command = try TerminalSession(
                BuiltProgram.path(),
                words + ["--store", store]
                    + (words[0] == "step" ? ["--handlers", handlers] : []),
                environment: environment(secondsAgo: seconds))
            _ = try command.waitForExit()
        }
    }

    /// Sets a breakpoint that stops the marked queue, a fault, a checkpoint, a recording and a
    /// stopped clock. Returns the running sessions.
    ///
    /// For a tape the worker serves only that queue, for reproducible events, and the recording has
    /// ended. A recorder with a stopped clock counts as gone after ten seconds.
    private func stop(onTape: Bool) throws -> [TerminalSession] {
        let recorder = try TerminalSession(
            BuiltProgram.path(), ["record", tape, "--store", store],
            environment: environment(secondsAgo: 12, process: 4713), columns: 100)
        try recorder.wait(forText: "until ^C")
        try act([
            (12, ["checkpoint", "before-release"]),
            (11, ["break", "type:identify queue:profiles"]),
            (10, ["fault", "type:identify", "fail=HTTP 500", "--times", "2"]),
            (9, ["edit", "12", "--set", "label=at the start"]),
            (8, ["resume", "profiles"]),
        ])
        let log = try TerminalSession(
            BuiltProgram.path(), ["log", "--follow", "--store", store],
            environment: environment(secondsAgo: 8, process: 4714), columns: 150)
        let worker = try serve(secondsAgo: 7, adding: onTape ? ["--queues", "profiles"] : [])
        try log.wait(forText: "stopped profiles before #8")
        guard onTape else {
            try act([(5, ["clock", "freeze"])])
            return [worker, recorder]
        }
        // The recorder reads a commit a moment later.
        for _ in 0..<500 where try !isOnTape("stopped profiles before #8") {
            try recorder.settle(quietMilliseconds: 20)
        }
        try recorder.kill(.interrupt)
        _ = try recorder.waitForExit()
        return [worker]
    }

    private func isOnTape(_ words: String) throws -> Bool {
        String(decoding: try Files.read(tape, limitBytes: 1 << 24), as: UTF8.self).contains(words)
    }

    private func environment(secondsAgo: Int, process: Int = 4711) -> [String] {
        environment.filter { !$0.hasPrefix("SLUICE_TEST_NOW") && !$0.hasPrefix("SLUICE_TEST_PID") }
            + [
                "SLUICE_TEST_NOW=\((Int(Self.now) ?? 0) - secondsAgo * 1000)",
                "SLUICE_TEST_PID=\(process)",
            ]
    }

    func picture(of shot: Shot) throws -> ScreenPicture {
        var (place, others): (String, [TerminalSession]) = (store, [])
        defer { for other in others { try? other.kill(.terminate) } }
        switch shot.ground {
        case .store: break
        case .folder: place = sdkFolder
        case .atWork:
            try step()
            others = [try serve(secondsAgo: 14)]
        case .stopped, .tape:
            try step()
            others = try stop(onTape: shot.ground == .tape)
            if shot.ground == .tape { place = tape }
        }
        let session = try open(place, theme: shot.theme)
        if [.atWork, .stopped].contains(shot.ground) { try session.wait(forText: Self.atWork) }
        try session.wait(forText: shot.ground == .folder ? "next 3143DAD0" : "next #")
        // Keys go one by one: what one opens must be there for the next.
        for key in shot.keys {
            try session.send(String(key))
            try session.settle(quietMilliseconds: 120)
        }
        try session.wait(forText: shot.sign)
        try session.settle(quietMilliseconds: 300)
        let picture = try session.screen
        try session.kill(.terminate)
        _ = try session.waitForExit()
        return picture
    }

    /// The console on a store, with simulated handlers.
    func open(
        _ store: String, theme: String = "dark", adding variables: [String] = []
    ) throws -> TerminalSession {
        try TerminalSession(
            BuiltProgram.path(), [store, "--theme", theme, "--handlers", handlers],
            environment: environment + variables, columns: 118, rows: 32)
    }

    func remove() throws { try Files.removeTree(folder) }
}
