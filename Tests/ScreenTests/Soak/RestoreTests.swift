import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// The end of the console, however it comes (K8).
    @Suite("restore", .serialized)
    struct RestoreTests {
        @Test(
            "K8 a signal or a crash gives the terminal back and leaves the store whole",
            arguments: [("TERM", 0), ("HUP", 0), ("INT", 0), ("SEGV", 128 + 11)])
        func signals(name: String, code: Int) async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let shell = try ShellScene(at: place)
                // The console attaches at its first change; it must leave again.
                try shell.terminal.send("p")
                try shell.terminal.wait(forText: "paused by tester")
                try shell.signal(name)
                let found = try shell.code()
                let left = try shell.leftovers
                #expect(found == code, "\(name)")
                #expect(left == [], "\(name): \(shell.terminal.lastBytes)")
                // A process that did not leave is all that there may be to mend.
                if code != 0 {
                    try place.expecting(0, place.sluice(["doctor", "--repair"]))
                }
                try place.expecting(0, place.sluice(["doctor"]))
                #expect(try place.count("mail", "waiting") == 5)
            }
        }

        @Test("K8 Ctrl-Z gives the terminal back, and the console comes back as it was")
        func suspension() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                // A shell with job control, so that it can resume the console.
                let terminal = try TerminalSession(
                    "sh", ["-i"],
                    environment: LiveConsole.environment(at: place) + ["PS1=prompt>"],
                    directory: place.path, columns: 110, rows: 30)
                try terminal.wait(forText: "prompt>")
                try terminal.send("\(BuiltProgram.path()) \(place.store) --theme dark\n")
                try terminal.wait(forText: "row 1 of 5")
                try terminal.keys(.down, .down)
                try terminal.wait(forText: "row 3 of 5")
                try terminal.settle(quietMilliseconds: 100)
                let before = try terminal.screen
                try terminal.key(.control("z"))
                try terminal.wait("the shell's screen") { !$0.isAlternate }
                let left = try terminal.leftovers
                #expect(left == [])
                try terminal.send("echo is'back'\n")
                try terminal.wait(forText: "isback")
                try terminal.send("fg\n")
                try terminal.wait("the same rows") { screen in
                    screen.isAlternate && screen.lineTexts[2..<20] == before.lineTexts[2..<20]
                }
                try terminal.send("q")
                try terminal.wait("the shell's screen") { !$0.isAlternate }
                try terminal.send("exit $?\n")
                #expect(try terminal.waitForExit() == .code(0))
            }
        }

        @Test("P2 A2 kill -9 of the console leaves the store whole, and others go on")
        func kill() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
                let worker = try place.startWorker()
                try place.wait(for: "the tasks") { try place.count("mail", "waiting") == 0 }
                for round in 0..<Soak.count(3, soak: 30) {
                    let console = try LiveConsole.open(at: place, showing: "mail")
                    try console.terminal.send("p")
                    try console.terminal.wait(forText: "paused by tester")
                    _ = try place.enqueue("mail", count: 3)
                    try console.terminal.send("ss")
                    if round % 3 > 0 { _ = try console.terminal.timeOfByte() }
                    try console.terminal.kill(.kill)
                    #expect(try console.terminal.waitForExit() == .signal(.kill))
                    try place.json(["resume", "mail"])
                    try place.wait(for: "the rest") { try place.count("mail", "waiting") == 0 }
                    // Until the worker has reaped the console, doctor names it.
                    try place.wait(for: "the reaping", seconds: 20) {
                        try place.sluice(["doctor"]).code == 0
                    }
                }
                try worker.signal(.terminate)
                try place.expecting(0, worker.answer())
                #expect(place.processes() == [])
            }
        }

        private static func place() throws -> Workplace {
            let place = try Workplace.withStore()
            try place.json(["queue", "set", "mail", "--keep-finished", "1000"])
            _ = try place.enqueue("mail", count: 5)
            return place
        }
    }
}
