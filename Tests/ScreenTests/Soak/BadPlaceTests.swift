import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
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

        @Test("a server that takes a connection and never answers is named before it is given up")
        func silent() async throws {
            try await Workplace.onOwnThread {
                let silent = try ListeningSocket(host: "127.0.0.1", port: 0)
                defer { withExtendedLifetime(silent) {} }
                let address = "redis://127.0.0.1:\(silent.port)/0"
                let place = try Workplace()
                let console = try LiveConsole(at: place, store: address)
                let terminal = console.terminal
                try terminal.wait(forText: "\(address) does not answer yet", timeoutSeconds: 30)
                #expect(try terminal.waitForExit(timeoutSeconds: 60) == .code(2))
                #expect(try terminal.screen.text.contains("does not answer within 10 s"))
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
                try terminal.wait(forText: "store gone")
                try terminal.send("p")
                try terminal.wait(forText: "was removed or replaced")
                // Reading loaded data still works.
                try terminal.send("jj")
                try terminal.wait(forText: "row 3 of 5")
                try Files.rename(aside, to: store)
                try terminal.wait("the store") {
                    $0.position(of: "store gone") == nil
                }
                try terminal.send("p")
                try terminal.wait(forText: "paused by tester")
                #expect(try place.queue("mail")["state"] == "paused")
                try console.quit()
            }
        }

        @Test(
            "K8 a store that is deleted is said to be gone, and a new one at its place is shown",
            arguments: [#"rm -r "$1"*"#, #"rm "$1""#, #"rm -r "${1%/*}""#])
        func gone(deed: String) async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let console = try LiveConsole.open(at: place, showing: "row 1 of 5")
                let terminal = console.terminal
                try terminal.send("jd")
                try terminal.wait(forText: "deleted by tester")
                try place.expecting(
                    0, place.start("sh", ["-c", deed, "sh", place.store]).answer())
                try terminal.wait(forText: "store gone")
                try terminal.send("p")
                try terminal.wait(forText: "was removed or replaced")
                try Files.makeDirectory(Files.parent(of: place.store))
                try place.json(["enqueue", "letters", "note"])
                try terminal.wait(forText: "this is another store")
                try terminal.wait(forText: "row 1 of 1")
                // The console receives changes, and its verbs work.
                try place.json(["enqueue", "letters", "note"])
                try terminal.wait(forText: "of 2")
                try terminal.send("p")
                try terminal.wait(forText: "paused by tester")
                #expect(try place.queue("letters")["state"] == "paused")
                try console.quit()
                #expect(try place.sluice(["doctor"]).code == 0)
                #expect(try place.json(["runners"])["runners"]?.array == [])
            }
        }

        @Test("K8 K1 a store that is moved over the shown one is shown; its question is gone")
        func replaced() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let other = place.file("other.db")
                try place.expecting(0, place.sluice(["init", other]))
                for _ in 0..<3 { try place.json(["enqueue", "mail", "note", "--store", other]) }
                let console = try LiveConsole.open(at: place, showing: "row 1 of 5")
                try console.terminal.send("  ")
                try console.terminal.wait(forText: "2 tasks are marked")
                try Files.rename(other, to: place.store)
                try console.terminal.wait(forText: "this is another store")
                try console.terminal.wait(forText: "row 1 of 3")
                #expect(try !console.shows("2 tasks are marked"))
                #expect(try place.count("mail", "waiting") == 3)
                try console.quit()
            }
        }

        @Test("K8 P6 a Customer.io folder that goes is said to be gone; the next one is shown")
        func folder() async throws {
            try await Workplace.onOwnThread {
                let place = try Workplace()
                for isUsed in [false, true] {
                    let tasks = (1...3).map { CustomerTask($0, "track") }
                    let folder = try place.makeCustomerFolder("site", tasks)
                    if isUsed {
                        try place.expecting(0, place.sluice(["pause", "site", "--store", folder]))
                    }
                    let console = try LiveConsole(at: place, store: folder)
                    let terminal = console.terminal
                    try terminal.wait(forText: "row 1 of 3")
                    try Files.rename(folder, to: place.file("aside-\(isUsed)"))
                    try terminal.wait(forText: "store gone")
                    let next = (4...5).map { CustomerTask($0, "push") }
                    _ = try place.makeCustomerFolder("site", next)
                    try terminal.wait(forText: "this is another store")
                    try terminal.wait(forText: "row 1 of 2")
                    try terminal.wait(forText: next[0].name)
                    _ = try place.makeCustomerFolder("site", next + [CustomerTask(6, "last")])
                    try terminal.wait(forText: "row 1 of 3")
                    try console.quit()
                    try Files.removeTree(folder)
                }
            }
        }

        @Test("K8 while others hold the store for long, the console shows it, and says who waits")
        func locked() async throws {
            try await Workplace.onOwnThread {
                let place = try Self.place()
                let neighbour = try Neighbour(at: place)
                let console = try LiveConsole.open(at: place, showing: "row 1 of 5")
                let terminal = console.terminal
                let (isHeld, isOver) = (try EventSignal(), try EventSignal())
                defer { isOver.signal() }
                let isFree = Protected(false)
                let thread = try Thread(name: "hog") {
                    try? neighbour.hold(isHeld, until: isOver)
                    isFree.withLock { $0 = true }
                }
                _ = try Poll.wait(
                    fds: [PollInterest(isHeld.descriptor.number)], timeoutMilliseconds: 10_000)
                #expect(isHeld.drain())
                try terminal.send("p")
                // Reading works again immediately.
                let moved = try terminal.nanosecondsToFirstByte { try terminal.send("j") }
                try terminal.wait(forText: "row 2 of 5")
                print("locked: j beside a held store to first byte: \(Double(moved) / 1e6) ms")
                #expect(!isFree.withLock { $0 })
                if Soak.isOn { try terminal.wait(forText: "locked by", timeoutSeconds: 13) }
                isOver.signal()
                thread.join()
                if Soak.isOn { try terminal.send("p") }
                try terminal.wait(forText: "paused by tester")
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
