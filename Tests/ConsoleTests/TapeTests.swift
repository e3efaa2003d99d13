import SluiceControl
import SluiceModel
import SluiceTerminalUI
import Testing

@testable import SluiceConsole
@testable import SluiceStore

@Suite("tapes on the screen")
struct TapeTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// A tape of 250 events, of a store with two tasks.
    private func bench(size: Size = Size(width: 118, height: 30)) throws -> Bench {
        let store = MemoryStore()
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: "mail", createdAt: Self.start))
            try store.transact(at: Self.start) { mutation in
                let requests = ["a", "b"].map { EnqueueRequest(type: $0, payload: []) }
                _ = try mutation.enqueue(requests, to: "mail")
                try mutation.store.append([
                    JournalEvent(
                        at: Self.start + 7 * 60_000, kind: "pause", queue: "mail", task: nil,
                        by: "dana", text: "mail paused by dana")
                ])
            }
        }
        let bench = Bench(
            store: store, size: size, now: Self.start, name: "incident.tape", isReadOnly: true)
        bench.tapeCount = 250
        bench.send(.storeChanged)
        return bench
    }

    private func event(_ bench: Bench) -> Int? { bench.state.scene?.tape?.event }

    @Test("G6 the keys go one event and a hundred back and forth, and say where it ends")
    func keys() throws {
        let bench = try bench()
        #expect(event(bench) == 0 && bench.lines[0].contains("event 0 of 250"))
        bench.press(",")
        #expect(event(bench) == 0 && bench.message.contains("this is the beginning"))
        bench.press(". . .")
        #expect(event(bench) == 3)
        bench.press(",")
        #expect(event(bench) == 2 && bench.lines[0].contains("event 2 of 250"))
        bench.press("} }")
        #expect(event(bench) == 202)
        bench.press("}")
        #expect(event(bench) == 250)
        bench.press(".")
        #expect(event(bench) == 250 && bench.message.contains("this is the end of the tape"))
        bench.press("{")
        #expect(event(bench) == 150)
        #expect(
            bench.lines.last?.contains(", earlier  . later  { 100 earlier  } 100 later") == true)
    }

    @Test("G6 keys that come faster than the tape is read are all counted")
    func fast() throws {
        let bench = try bench()
        bench.holdsLoads = true
        bench.press(". . . } ,")
        #expect(event(bench) == 0)
        bench.releaseLoads()
        #expect(event(bench) == 102)
    }

    @Test("G6 where a moment cannot be read the tape stays where it was and says why")
    func unreadable() throws {
        let bench = try bench()
        bench.press(". . .")
        bench.holdsLoads = true
        bench.press("}")
        let error = QueueError(.damagedStore, "event 7 cannot be read")
        bench.send(.loadFailed(error, of: bench.state.reads.generation))
        #expect(event(bench) == 3 && bench.message.contains("event 7 cannot be read"))
        #expect(!bench.lines[0].contains("store gone"))
        bench.holdsLoads = false
        bench.press(".")
        #expect(event(bench) == 4)
    }

    @Test("G6 at goes to an event or a time, and names what it does not understand")
    func anywhere() throws {
        let bench = try bench()
        func say(_ line: String) -> String {
            bench.press(":")
            bench.type(line)
            bench.press("Enter")
            guard case .prompt(let prompt)? = bench.state.modal else { return "" }
            bench.press("Esc")
            return prompt.note ?? ""
        }
        #expect(say("at 120") == "" && event(bench) == 120)
        #expect(say("at +5m") == "" && event(bench) == 125)
        #expect(say("at -25m") == "" && event(bench) == 100)
        // The tests begin at 08:00.
        #expect(say("at 08:30:00") == "" && event(bench) == 30)
        #expect(say("at 08:31") == "" && event(bench) == 31)
        #expect(say("at 2027-01-15T08:32:10Z") == "" && event(bench) == 32)
        #expect(say("at +5h") == "" && event(bench) == 250)
        #expect(bench.message.contains("this is the end of the tape"))
        #expect(say("at -50h") == "" && event(bench) == 0)
        #expect(bench.message.contains("this is the beginning"))
        #expect(say("at 2027-01-15T08:32:10Z") == "" && event(bench) == 32)
        #expect(say("at 251").contains("there is no event 251; the last one is 250"))
        #expect(say("at noon").contains("at takes an event or a time"))
        #expect(event(bench) == 32)
        bench.tapeCount = nil
        bench.send(.storeChanged)
        #expect(say("at 3").contains("at is for a tape"))
    }

    @Test("G6 times are those of the moment, nothing can be changed, and nothing ticks")
    func past() throws {
        let bench = try bench()
        bench.press("}")
        // A hundred minutes later.
        #expect(bench.lines[0].contains("09:40:00") && !bench.lines[0].contains("read-only"))
        for key in ["d", "p", "s", "x", "e"] {
            bench.press(key)
            #expect(
                bench.message.contains("incident.tape is a tape: the past cannot"), "\(key)")
        }
        let reads = bench.effects.count { if case .load = $0 { true } else { false } }
        bench.wait(milliseconds: 3_600_000)
        #expect(reads == bench.effects.count { if case .load = $0 { true } else { false } })
    }

    @Test("G6 K8 pages offer nothing that changes something, and w says why it cannot be")
    func pages() throws {
        let bench = try bench()
        let control = Control(
            store: bench.store, person: "ann", now: { Self.start }, chance: { 0.5 })
        _ = try control.performBlocking(.pause(PauseRequest(.queue("mail"))))
        bench.send(.storeChanged)
        func offered() -> [String] {
            ["Enter do", "s step", "S step", "r resume", "R retry", "x skip", "d delete", "e edit"]
                .filter { bench.lines.last?.contains($0) == true }
        }
        bench.press("w Enter")
        #expect(bench.message.contains("incident.tape is a tape: the past cannot"))
        #expect(offered() == [])
        bench.press("Esc Enter")
        #expect(bench.state.page != nil && bench.lines.last?.contains("w why") == true)
        #expect(offered() == [])
    }

    @Test("G6 J leads back to the event and the queue that were looked at")
    func back() throws {
        let bench = try bench()
        try bench.change { try $0.put(QueueRecord(name: "other", createdAt: Self.start)) }
        bench.press("} . h j")
        #expect(event(bench) == 101 && bench.state.selectedQueue == "other")
        bench.tapeCount = nil
        bench.send(.opened(name: "app.db", kind: "sqlite", isReadOnly: false))
        #expect(bench.state.scene?.tape == nil && bench.state.selectedQueue == "mail")
        bench.tapeCount = 250
        bench.send(.opened(name: "incident.tape", kind: "tape", isReadOnly: true))
        #expect(event(bench) == 101 && bench.state.selectedQueue == "other", "\(bench.screen)")
        bench.press(".")
        #expect(event(bench) == 102)
    }

    @Test("G6 Enter on a line of view 4 goes to its moment")
    func activity() throws {
        let bench = try bench()
        bench.press("4 G Enter")
        #expect(event(bench) == 7 && bench.state.page == nil)
    }

    @Test("G6 Enter goes to a line's moment although a load of the former one is under way")
    func lateLoad() throws {
        let bench = try bench()
        bench.press("4 G")
        bench.holdsLoads = true
        bench.send(.storeChanged)
        bench.press("Enter")
        bench.releaseLoads()
        #expect(event(bench) == 7)
    }

    @Test("G6 the bar says how far along it is, and gives way where there is no room")
    func bar() throws {
        let bench = try bench()
        bench.press("}")
        #expect(bench.lines[0].contains("█"))
        let small = try self.bench(size: Size(width: 80, height: 24))
        small.press("}")
        #expect(small.lines[0].contains("event 100 of 250") && small.lines[0].contains("█"))
        let narrow = try self.bench(size: Size(width: 60, height: 20))
        narrow.press("}")
        #expect(narrow.lines[0].contains("event 100 of 250") && !narrow.lines[0].contains("█"))
    }

    @Test("G6 the page why names no command that would change something on a tape")
    func advice() throws {
        var state = MemoryState(identity: "tape")
        var queue = QueueRecord(name: "mail", createdAt: Self.start)
        queue.pauses = [
            Pause(cause: .person, by: "dana", reason: nil, since: Self.start, until: nil)
        ]
        state.set(queue, named: "mail")
        for (id, isFailed) in [(TaskID(1), false), (2, true)] {
            var task = QueueTask(
                id: id, queue: "mail", type: "send", position: id, createdAt: Self.start)
            if isFailed {
                task.state = .failed(
                    Failure(at: Self.start, reason: "HTTP 500", startPolicy: nil))
            }
            state.put(task)
        }
        func open(isPast: Bool) -> Bench {
            state.isPast = isPast
            let bench = Bench(
                store: MemoryStore(name: "incident.tape", showing: state), now: Self.start,
                isReadOnly: true)
            bench.tapeCount = isPast ? 1 : nil
            bench.send(.storeChanged)
            return bench
        }
        let store = open(isPast: false)
        store.press("w")
        #expect(store.screen.contains("$ sluice resume mail"), "\(store.screen)")
        let tape = open(isPast: true)
        tape.press("w")
        #expect(tape.screen.contains("paused by dana") && !tape.screen.contains("$ sluice"))
        tape.press("Enter")
        #expect(tape.message.contains("the past cannot be changed"), "\(tape.message)")
        tape.press("Esc j w")
        #expect(tape.screen.contains("HTTP 500") && !tape.screen.contains("$ sluice"))
    }

    @Test("G6 in a store the keys of tapes say what they are for")
    func store() throws {
        let bench = Bench(store: MemoryStore(), now: Self.start)
        bench.press(",")
        #expect(bench.message.contains("that is for a tape: sluice record makes one"))
    }
}
