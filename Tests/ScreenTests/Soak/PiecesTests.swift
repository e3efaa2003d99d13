import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// Bytes of a terminal that arrive late, and a screen that other programs write to.
    @Suite("pieces", .serialized)
    struct PiecesTests {
        static let answers: [(first: String, rest: String)] = [
            ("\u{1b}]11;rgb:1d", "1d/1f1f/2121\u{1b}\\"),
            ("\u{1b}[", "<0;1;1M"), ("\u{1b}[1;", "5D"),
        ]

        /// A long pause changes nothing, so that the test does not depend on the machine's load.
        @Test("K8 an answer of the terminal in two pieces deletes no task", arguments: answers)
        func answer(first: String, rest: String) async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                _ = try place.enqueue("mail", count: 3)
                try place.json(["pause", "mail"])
                let console = try LiveConsole.open(at: place, showing: "mail")
                try console.terminal.send("g")
                try console.terminal.settle(quietMilliseconds: 100)
                try console.terminal.send(first)
                try console.terminal.settle(quietMilliseconds: 150)
                try console.terminal.send(rest)
                try console.terminal.settle(quietMilliseconds: 150)
                try console.terminal.send("?")
                try console.terminal.wait(forText: "Keys", timeoutSeconds: 30)
                #expect(try place.list([]).count == 3)
                #expect(console.terminal.bellCount == 0)
                try console.quit()
            }
        }

        @Test("K8 a worker in the background of the terminal writes nothing into the screen")
        func background() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
                _ = try place.enqueue("mail", count: 20)
                try place.json(["queue", "set", "mail", "--keep-finished", "100"])
                try place.json(["pause", "mail"])
                let terminal = try TerminalSession(
                    "bash", ["-c", Self.shell, BuiltProgram.path(), place.store],
                    environment: LiveConsole.environment(at: place), directory: place.path,
                    columns: 80, rows: 24)
                try terminal.wait(forText: "paused", timeoutSeconds: 30)
                try place.json(["resume", "mail"])
                try place.wait(for: "the tasks") { try place.count("mail", "succeeded") == 20 }
                try terminal.settle(quietMilliseconds: 200)
                let before = try terminal.screen.text
                // Every cell is painted again, so that a foreign line would be another picture.
                try terminal.key(.control("l"))
                try terminal.settle(quietMilliseconds: 200)
                #expect(try terminal.screen.text == before)
                try terminal.key(.control("c"))
                try terminal.wait(forText: "back in the shell", timeoutSeconds: 30)
            }
        }

        @Test(
            "K8 TERM and INT end a console that runs tasks itself, during a run and after it",
            arguments: [Signal.terminate, .interrupt], [true, false])
        func endsByRun(signal: Signal, isRunning: Bool) async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                let command = isRunning ? "touch begun; sleep 600" : "touch begun"
                try place.write(
                    #"{"handlers":{"*":{"command":["sh","-c","\#(command)"]}}}"#,
                    to: "handlers.json")
                _ = try place.enqueue("mail", count: 2)
                try place.json(["queue", "set", "mail", "--keep-finished", "9"])
                try place.json(["pause", "mail"])
                let terminal = try TerminalSession(
                    BuiltProgram.path(), [place.store, "--handlers", "handlers.json"],
                    environment: LiveConsole.environment(at: place), directory: place.path,
                    columns: 80, rows: 24)
                try terminal.wait(forText: "row 1 of 2", timeoutSeconds: 30)
                try terminal.send("s")
                try place.wait(for: "the handler") { Files.exists(place.file("begun")) }
                if !isRunning {
                    try place.wait(for: "its end") { try place.count("mail", "succeeded") == 1 }
                    try terminal.wait("the end of the step", timeoutSeconds: 30) {
                        $0.position(of: "under way") == nil
                    }
                }
                try terminal.kill(signal)
                #expect(try terminal.waitForExit() == .code(0))
                #expect(try !terminal.screen.isAlternate && !terminal.wantsMouse)
            }
        }

        private static let shell = """
            set -m
            "$0" work --store "$1" --handlers handlers.json &
            "$0" "$1" --theme dark
            kill %1
            wait
            echo back in the shell
            read -r line
            """

        @Test("K8 Ctrl-L paints every cell again, also within a question")
        func repaints() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace.withStore()
                _ = try place.enqueue("mail", count: 3)
                try place.json(["pause", "mail"])
                let console = try LiveConsole.open(at: place, showing: "mail")
                for page in ["", "?", "\u{1b}", ":"] {
                    try console.terminal.send(page)
                    try console.terminal.settle(quietMilliseconds: 200)
                    let received = console.terminal.received.count
                    try console.terminal.key(.control("l"))
                    try console.terminal.wait("the picture") { _ in
                        console.terminal.received.count > received + 500
                    }
                    try console.terminal.settle(quietMilliseconds: 100)
                }
                try console.quit()
            }
        }
    }
}
