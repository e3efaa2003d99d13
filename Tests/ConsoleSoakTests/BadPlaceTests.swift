import Platform
import ProgramHarness
import QueueControl
import QueueModel
import QueueStore
import TerminalHarness
import Testing

extension ConsoleSoak {
    /// Places where the console has no store, or loses it (K8, P3).
    @Suite("bad places", .serialized)
    struct BadPlaceTests {
        @Test("K8 P3 what is no store is refused in words, and the terminal is left as it was")
        func refusals() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace()
                try place.write("Dear diary\n", to: "diary.txt")
                try place.makeFolder("folder")
                let cases = [
                    ("missing.db", "sluice init"), ("diary.txt", "not an SQLite file"),
                    ("folder", "folder"), ("no/where.db", "sluice init"),
                ]
                for (name, sentence) in cases {
                    let console = try LiveConsole(at: place, store: place.file(name))
                    #expect(try console.terminal.waitForExit() == .code(2), "\(name)")
                    let text = try console.terminal.screen.text
                    #expect(text.contains(sentence), "\(name): \(text)")
                    #expect(try console.terminal.leftovers == [])
                }
                #expect(place.text("diary.txt") == "Dear diary\n")
            }
        }

        @Test("D11 a read-only console shows all, says so, and changes nothing")
        func readOnly() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let console = try LiveConsole.open(at: place, ["--read-only"], showing: "read-only")
                try console.terminal.wait(forText: "row 1 of 5")
                for key in "pdxrD+" {
                    try console.terminal.send(String(key))
                    try console.terminal.wait(forText: "for reading only")
                    try console.terminal.settle(quietMilliseconds: 30)
                }
                _ = try place.enqueue("mail", count: 1)
                try console.terminal.wait(forText: "of 6")
                try console.quit()
                #expect(try place.queue("mail")["state"] != "paused")
                #expect(try place.count("mail", "waiting") == 6)
            }
        }

        @Test("K8 a store that goes is said to be gone, and comes back by itself when it does")
        func comesBack() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let console = try LiveConsole.open(at: place, showing: "row 1 of 5")
                let terminal = console.terminal
                let (store, aside) = (place.store, place.file("aside.db"))
                try Files.rename(store, to: aside)
                try terminal.wait(forText: "store gone", timeoutSeconds: 5)
                try terminal.send("p")
                try terminal.wait(forText: "was removed or replaced", timeoutSeconds: 5)
                // Looking at what is known goes on.
                try terminal.send("jj")
                try terminal.wait(forText: "row 3 of 5")
                try Files.rename(aside, to: store)
                try terminal.wait("the store", timeoutSeconds: 5) {
                    $0.position(of: "store gone") == nil
                }
                try terminal.send("p")
                try terminal.wait(forText: "paused by tester", timeoutSeconds: 5)
                #expect(try place.queue("mail")["state"] == "paused")
                try console.quit()
            }
        }

        @Test(
            "K8 a store that was deleted or replaced is said to be gone",
            arguments: ["rm -r \"$1\"*", "rm \"$1\"-*; mv \"$2\" \"$1\"", "mv \"$2\" \"$1\""])
        func gone(deed: String) async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let other = place.file("other.db")
                try place.expecting(0, place.sluice(["init", other]))
                try place.json(["enqueue", "letters", "job", "--store", other])
                let console = try LiveConsole.open(at: place, showing: "row 1 of 5")
                try place.expecting(
                    0, place.start("sh", ["-c", deed, "sh", place.store, other]).answer())
                try console.terminal.wait(forText: "store gone", timeoutSeconds: 5)
                try console.terminal.send("p")
                try console.terminal.wait(forText: "was removed or replaced", timeoutSeconds: 5)
                try console.quit()
            }
        }

        @Test("K8 while others hold the store for long, the console shows it, and says who waits")
        func locked() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let neighbour = try Neighbour(at: place)
                let console = try LiveConsole.open(at: place, showing: "row 1 of 5")
                let terminal = console.terminal
                let isFree = Protected(false)
                let milliseconds = Soak.count(900, soak: 12_000)
                let thread = try Thread(name: "hog") {
                    _ = try? neighbour.hold(milliseconds: milliseconds)
                    isFree.withLock { $0 = true }
                }
                _ = try Poll.wait(fds: [], timeoutMilliseconds: 200)
                try terminal.send("p")
                // Looking goes on at once.
                let moved = try terminal.nanosecondsToFirstByte { try terminal.send("j") }
                try terminal.wait(forText: "row 2 of 5", timeoutSeconds: 1)
                print("locked: j beside a held store to first byte: \(Double(moved) / 1e6) ms")
                #expect(!isFree.withLock { $0 })
                if Soak.isOn { try terminal.wait(forText: "locked by", timeoutSeconds: 13) }
                thread.join()
                if Soak.isOn { try terminal.send("p") }
                try terminal.wait(forText: "paused by tester", timeoutSeconds: 5)
                try console.quit()
                #expect(try place.queue("mail")["state"] == "paused")
            }
        }

        private static func place() throws -> Workplace {
            let place = try Workplace.withStore()
            _ = try place.enqueue("mail", count: 5)
            return place
        }
    }
}
