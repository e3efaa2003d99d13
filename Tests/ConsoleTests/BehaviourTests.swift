import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("Behaviour")
struct BehaviourTests {
    private func bench(_ size: Size = Size(width: 120, height: 40)) throws -> Bench {
        Bench(store: try LivingScene.store(), size: size, now: LivingScene.now)
    }

    struct KeyCase: Sendable, CustomTestStringConvertible {
        var keys: String
        var typed = ""
        var after = ""
        var message: String
        var testDescription: String { "\(keys) \(typed)" }
    }

    static let verbs: [KeyCase] = [
        KeyCase(keys: "h j p", message: "pause messages | done · z undoes it"),
        KeyCase(keys: "r", message: "resume profiles | done · z undoes it"),
        KeyCase(keys: "r z", message: "undo 6 | undone by dana: profiles resumed by dana"),
        KeyCase(keys: "j j j R", message: "retry 1043 | done · z undoes it"),
        KeyCase(keys: "j j j x", message: "skip 1043 | done · z undoes it"),
        KeyCase(keys: "j j j j x", message: "unskip 1044 | done · z undoes it"),
        KeyCase(keys: "j j j d", message: "delete 1043 | done · z undoes it"),
        KeyCase(
            keys: "+",
            message: "priority 1040 6 | the order of profiles is fifo, so it has no effect"),
        KeyCase(keys: "D", message: "duplicate 1040 | done · z undoes it"),
        KeyCase(keys: "7 j +", message: "queue set messages --priority 6 | done · z undoes it"),
        KeyCase(keys: "h j j -", message: "queue set jobs --priority 0 | done · z undoes it"),
        KeyCase(
            keys: "t", typed: "+5m", after: "Enter",
            message: "postpone 1040 +5m | done · z undoes it"),
        KeyCase(
            keys: "h j P Enter", typed: "it's late", after: "Enter Enter",
            message: #"pause messages --reason 'it'\''s late' | done · z undoes it"#),
        KeyCase(
            keys: "i", typed: #"mail {"to":"a b"}"#, after: "Enter",
            message: #"enqueue profiles mail '{"to":"a b"}' | done · z undoes it"#),
        KeyCase(keys: "w Enter y", message: "resume profiles | done · z undoes it"),
        KeyCase(keys: "G k w Enter y", message: "retry 1051 | done · z undoes it"),
    ]

    @Test("each key that changes something says the command that does the same", arguments: verbs)
    func verb(_ example: KeyCase) throws {
        let bench = try bench()
        bench.press(example.keys)
        bench.type(example.typed)
        bench.press(example.after)
        #expect(bench.message.contains(example.message), "\(bench.message)")
    }

    @Test("K3 what is typed before the store was read is done when it was")
    func typedEarly() throws {
        let bench = Bench(store: try LivingScene.store(), now: LivingScene.now, holdsLoads: true)
        bench.press("h j p")
        #expect(bench.message == "")
        bench.releaseLoads()
        #expect(bench.message.contains("pause messages"), "\(bench.message)")
        let early = Bench(store: try LivingScene.store(), now: LivingScene.now, holdsLoads: true)
        early.press("p q")
        #expect(early.takeEffects().contains(.quit))
    }

    @Test("a group offers to retry its start only where that is legal")
    func offersRetry() throws {
        let bench = try bench()
        bench.press("2")
        #expect(bench.screen.contains("w says why"))
        #expect(!bench.screen.contains("R retry it"))
        bench.press("1 t")
        bench.type("+5m")
        bench.press("Enter 2")
        #expect(bench.screen.contains("R retry it"))
    }

    /// A step has opened the run of `profiles`.
    private func steppedBench() throws -> Bench {
        let bench = try bench()
        try bench.change { store in
            try store.transact(at: LivingScene.now) { mutation in
                try mutation.openRun("profiles", limit: .stepsOnly)
            }
        }
        return bench
    }

    @Test("D4 c takes up a run that steps opened, and is refused where one was asked for")
    func takesUpRun() throws {
        let bench = try steppedBench()
        bench.press("c")
        #expect(bench.message.contains("run profiles"), "\(bench.message)")
        bench.press("c")
        #expect(bench.message.contains("already open"), "\(bench.message)")
    }

    @Test("D3 s goes on while a step is under way: its own worker starts nothing by itself")
    func stepsOn() throws {
        let bench = try steppedBench()
        bench.press("r s")
        #expect(bench.message.contains("step profiles"), "\(bench.message)")
        // The step's process has a runner only for its permits.
        try bench.change { store in
            for var runner in try store.processes() where runner.role == .runner {
                runner.takesOnlyPermits = true
                try store.put(runner)
            }
        }
        bench.press("h j s")
        #expect(bench.message.contains("step messages"), "\(bench.message)")
    }

    static let refusals: [KeyCase] = [
        KeyCase(keys: "h j r", message: "messages is not paused"),
        KeyCase(keys: "h j s", message: "messages starts tasks automatically: p pauses it first"),
        KeyCase(keys: "R", message: "#1040 is due already"),
        KeyCase(keys: "j R", message: "#1041 has no timer to clear: #1040 holds it"),
        KeyCase(keys: "G x", message: "#1039 has failed: it cannot be skipped (R makes it wait)"),
        KeyCase(keys: "n", message: "no filter is set: / sets one"),
        KeyCase(keys: "0", message: "one place is open; sluice PLACE PLACE… opens several"),
        KeyCase(keys: "Q", message: "Q means nothing here; ? shows the keys"),
        KeyCase(keys: "h j j j j l d", message: "no task is selected"),
        KeyCase(keys: "Esc", message: "q ends the program"),
    ]

    @Test("K8 a key that is not legal says why", arguments: refusals)
    func refusal(_ example: KeyCase) throws {
        let bench = try bench()
        bench.press(example.keys)
        #expect(bench.message.contains(example.message), "\(bench.message)")
        #expect(bench.screen.contains(example.message))
    }

    @Test("K8 the legend dims what is not legal")
    func legend() throws {
        let bench = try bench()
        func role(of word: String) -> Role? {
            let line = bench.lines[bench.lines.count - 1]
            guard let place = line.range(of: word) else { return nil }
            return bench.buffer[place, bench.lines.count - 1]?.role
        }
        #expect(role(of: "retry") == .quiet)
        bench.press("j j j")
        #expect(role(of: "retry") == .text)
    }

    @Test("K9 what a start's deletion means is said before it is done")
    func consequence() throws {
        let bench = try bench()
        bench.press("d")
        #expect(bench.screen.contains("2 members of dana stay held"))
        bench.press("Esc")
        #expect(bench.message.contains("nothing was changed"))
        let name = try bench.store.readBlocking { try $0.requireTask(1040).state.name }
        #expect(name == .waiting)
        bench.press("x")
        #expect(bench.screen.contains("2 tasks of dana stay held by #1040"))
        bench.press("y")
        #expect(bench.message.contains("skip 1040"))
    }

    @Test("K9 a running task is deleted only after a yes")
    func deleteRunning() throws {
        let bench = try bench()
        bench.press("h j l d")
        #expect(bench.screen.contains("it runs: it is asked to stop, then goes to the trash"))
        bench.press("y")
        #expect(bench.message.contains("delete 930 --cancel"))
    }

    @Test("D11 a store that is open for reading only refuses every change on screen")
    func readOnly() throws {
        let bench = Bench(
            store: try LivingScene.store(), now: LivingScene.now, isReadOnly: true)
        for key in ["p", "r", "d", "x", "R", "s", "S", "c", "+", "D", "i", "z", "t", "m", "e"] {
            bench.press(key)
            #expect(bench.message.contains("open for reading only"), "\(key): \(bench.message)")
            #expect(bench.state.modal == nil)
        }
        #expect(bench.lines[0].contains("read-only"))
    }

    @Test("K8 a store that is busy or gone is a state on screen, and is tried again")
    func trouble() throws {
        let bench = try bench()
        bench.send(.loadFailed(QueueError(.storeBusy, "app.db is busy")))
        #expect(bench.lines[0].contains("store busy"))
        #expect(bench.screen.contains("1040  identify"))
        bench.wait(milliseconds: 1000)
        #expect(!bench.lines[0].contains("store busy"))
        bench.send(.loadFailed(QueueError(.serverGone, "the server does not answer")))
        #expect(bench.lines[0].contains("server away for "), "\(bench.lines[0])")
        bench.wait(milliseconds: 1000)
        #expect(!bench.lines[0].contains("server away"))
        var fresh = ConsoleState(
            settings: ConsoleSettings(storeName: "x.db", storeKind: "sqlite"),
            size: Size(width: 80, height: 24), now: LivingScene.now)
        _ = fresh.update(
            .loadFailed(QueueError(.damagedStore, "x.db is damaged", fix: "sluice doctor --repair"))
        )
        let screen = fresh.view(Size(width: 80, height: 24)).lines.joined(separator: "\n")
        #expect(screen.contains("x.db is damaged"))
        #expect(screen.contains("sluice doctor --repair"))
    }

    @Test("K8 P6 a damaged file is named with its place and the way out until it is mended")
    func damage() throws {
        let bench = try bench(Size(width: 80, height: 24))
        let error = QueueError(
            .damagedStore,
            "queue/inventory.json is damaged and was left as it is: line 1: it ends (offset 40)",
            fix: "copy the folder away, then fix the file or put an older one in its place")
        bench.send(.loadFailed(error))
        #expect(bench.lines[0].contains("store damaged"), "\(bench.lines[0])")
        let words = bench.screen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("inventory.json is damaged"), "\(bench.screen)")
        #expect(words.contains("offset 40"), "\(bench.screen)")
        #expect(words.contains("put an older one in its place"), "\(bench.screen)")
        bench.press("j")
        #expect(bench.screen.contains("inventory.json is damaged"), "\(bench.screen)")
        bench.wait(milliseconds: 1000)
        #expect(!bench.lines[0].contains("damaged") && !bench.screen.contains("inventory.json"))
    }

    @Test("a taken task keeps its queue running, where the others cannot start")
    func taken() throws {
        let bench = try bench()
        var line = try #require(bench.state.scene?.queues.first { $0.name == "messages" })
        line.system = "celery"
        line.overview.isStuck = false
        line.overview.lack = nil
        line.overview.state = .running
        line.tally = QueueTally()
        line.tally.skipped = 2
        #expect(QueueLook(line).word == "blocked")
        line.tally.taken = 1
        #expect(QueueLook(line).word == "running")
        (line.tally.skipped, line.tally.delayed) = (0, 2)
        #expect(QueueLook(line).word == "running")
    }

    @Test("K3 with nothing counting nothing wakes before the minute; a countdown ticks each second")
    func wakes() throws {
        let idle = Bench(store: MemoryStore(), now: LivingScene.now)
        #expect(idle.takeEffects().contains(.wakeAt(LivingScene.now + 38_000)))
        #expect(idle.lines[0].hasSuffix("14:03"))
        let bench = try bench()
        #expect(bench.takeEffects().contains(.wakeAt(LivingScene.now + 1000)))
        #expect(bench.lines[0].hasSuffix("14:03:22"))
        bench.wait(milliseconds: 1000)
        #expect(bench.screen.contains("retry in 11s"))
        bench.wait(milliseconds: 11_000)
        #expect(bench.screen.contains("1043  metric                     0   3/10  due"))
    }

    @Test("K3 a change is marked for one second by its glyph")
    func changeMark() throws {
        let bench = try bench()
        bench.press("j j j R")
        let row = try #require(bench.lines.firstIndex { $0.contains("1043  metric") })
        #expect(bench.lines[row].contains("•  1043"))
        bench.wait(milliseconds: 1000)
        #expect(!bench.lines[row].contains("•"))
    }

    @Test("K4 T goes through relative, local and UTC times")
    func times() throws {
        let bench = try bench()
        bench.send(.zone(.fixed(seconds: 7200)))
        #expect(bench.lines[0].hasSuffix("16:03:22"))
        bench.press("T")
        #expect(bench.screen.contains("retry at 16:03:34"))
        bench.press("T")
        #expect(bench.screen.contains("retry at 14:03:34"))
        #expect(bench.lines[0].hasSuffix("14:03:22 UTC"))
    }

    @Test("K5 ASCII signs alone when the terminal has no others")
    func ascii() throws {
        let bench = Bench(
            store: try LivingScene.store(), size: Size(width: 118, height: 32),
            now: LivingScene.now, glyphs: .ascii)
        for keys in ["", "w", "Esc Enter", "Esc 2 l", "3", "4", "6", "7", "?", "Esc a", "Esc p"] {
            bench.press(keys)
            let strange = bench.screen.unicodeScalars.first { !$0.isASCII }
            #expect(strange == nil, "after \(keys): \(strange.map { "\($0)" } ?? "")")
        }
    }

    @Test("K13 an empty store, an empty queue and a lonely store say what to do, with the command")
    func empty() throws {
        let bench = Bench(store: MemoryStore(), now: LivingScene.now)
        #expect(bench.screen.contains("The store is empty."))
        #expect(bench.screen.contains("$ sluice enqueue QUEUE TYPE PAYLOAD"))
        #expect(bench.lines[0].contains("no worker"))
        try bench.change { store in
            try store.put(QueueRecord(name: "my queue", createdAt: LivingScene.now))
        }
        #expect(bench.screen.contains("Nothing waits, runs or failed in my queue."))
        #expect(bench.screen.contains("$ sluice enqueue 'my queue' TYPE PAYLOAD"))
        bench.press("6")
        #expect(bench.screen.contains("$ sluice work --handlers FILE"))
        bench.press("1 i")
        bench.type("mail")
        bench.press("Enter")
        #expect(bench.screen.contains("follows") && bench.state.list.page.rows.count == 1)
    }

    @Test("the command line completes from the table of actions and remembers")
    func commandLine() throws {
        let bench = try bench()
        bench.press(":")
        bench.type("pau")
        bench.press("Tab")
        bench.type("pro")
        bench.press("Tab")
        bench.type("--dir")
        bench.press("Tab")
        bench.press("Tab")
        #expect(bench.screen.contains("work  enqueues  both"))
        bench.type("both")
        bench.press("Enter")
        #expect(
            bench.takeEffects().contains(
                .command("pause profiles --direction both", token: 1)))
        bench.send(
            .commanded(token: 1, CommandReport(lines: ["profiles paused"], isFailure: false)))
        #expect(bench.message == "pause profiles --direction both | profiles paused")
        bench.press(": Up")
        #expect(bench.screen.contains(":pause profiles --direction both"))
    }

    @Test("a filter that cannot be read says where, and the line stays")
    func badFilter() throws {
        let bench = try bench()
        bench.press("/")
        bench.type("stat:failed")
        bench.press("Enter")
        #expect(bench.screen.contains("did you mean state:?"))
        for _ in 0..<11 { bench.press("BkSp") }
        bench.type("state:failed")
        bench.press("Enter")
        #expect(bench.screen.contains("row 1 of 1 · only state:failed"))
        bench.press("Esc")
        #expect(bench.screen.contains("row 14 of 14"))
    }

    @Test("K10 a click selects a row, a queue, a tab, and does what the legend says")
    func mouse() throws {
        let bench = try bench()
        func click(_ text: String, in rows: Range<Int>? = nil) throws {
            let y = try #require(
                bench.lines.indices.first {
                    (rows ?? bench.lines.indices).contains($0) && bench.lines[$0].contains(text)
                })
            let x = try #require(bench.lines[y].range(of: text))
            bench.send(.input(.mouse(Mouse(.press(.left), at: Point(x: x, y: y)))))
        }
        try click("1043  metric")
        #expect(bench.state.selectedLine?.task.id == 1043)
        try click("R retry")
        #expect(bench.message.contains("retry 1043"))
        try click("jobs")
        #expect(bench.state.selectedQueue == "jobs")
        try click("groups")
        #expect(bench.state.view == .groups)
        bench.send(.input(.mouse(Mouse(.wheelDown, at: Point(x: 60, y: 10)))))
        try click("w why")
        #expect(bench.state.message?.text == "no task is selected")
    }
}

extension String {
    func range(of text: String) -> Int? {
        let letters = Array(self)
        let wanted = Array(text)
        guard letters.count >= wanted.count else { return nil }
        return (0...(letters.count - wanted.count)).first {
            Array(letters[$0..<$0 + wanted.count]) == wanted
        }
    }
}
