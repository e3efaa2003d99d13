import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

@Suite("view 8, the debugger")
struct DebuggerTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// A paused queue of two tasks.
    private func bench(
        size: Size = Size(width: 140, height: 30), glyphs: GlyphSet = .unicode,
        isReadOnly: Bool = false
    ) throws -> Bench {
        let store = MemoryStore()
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: "mail", createdAt: Self.start))
            try store.transact(at: Self.start) { mutation in
                let requests = ["send", "other"].map { EnqueueRequest(type: $0, payload: []) }
                _ = try mutation.enqueue(requests, to: "mail")
                try mutation.addPause(
                    Pause(cause: .person, by: "ann", reason: nil, since: Self.start, until: nil),
                    to: "mail")
            }
        }
        return Bench(
            store: store, size: size, now: Self.start, isReadOnly: isReadOnly, glyphs: glyphs)
    }

    private func act(_ bench: Bench, _ verbs: Verb...) throws {
        let now = bench.now
        let control = Control(store: bench.store, person: "bea", now: { now }, chance: { 0.5 })
        for verb in verbs { try control.performBlocking(verb) }
        bench.send(.storeChanged)
    }

    private func setAll(_ bench: Bench) throws {
        var stop = BreakRequest(try TaskFilter("type:send"))
        stop.forMilliseconds = nil
        var fault = FaultRequest(try TaskFilter("type:send"), .fail("HTTP 500"))
        fault.times = 3
        try act(
            bench, .setBreakpoint(stop), .setFault(fault), .setClock(ClockRequest(.freeze)),
            .takeCheckpoint(CheckpointRequest("before-release")))
    }

    @Test("G what columns cut off the chosen row is told in full above its keys")
    func whole() throws {
        let bench = try bench(size: Size(width: 80, height: 24))
        let filter = "type:send payload.customer.plan=professional"
        var fault = FaultRequest(try TaskFilter(filter), .fail("HTTP 500 Internal Server Error"))
        fault.times = 2
        try act(
            bench, .setFault(fault),
            .takeCheckpoint(CheckpointRequest("before-release-of-november")))
        bench.press("8")
        let said = "fail=HTTP 500 Internal Server Error in \(filter) · 2 left"
        func text() -> String {
            bench.screen.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        }
        #expect(row(bench, "fault 1").contains("…") && text().contains(said), "\(bench.screen)")
        bench.press("j")
        #expect(text().contains("before-release-of-november · 0 changed, taken"))
        #expect(!text().contains("Server Error in \(filter)"))
        // A wide screen shows nothing twice.
        bench.send(.resized(Size(width: 160, height: 30)))
        bench.press("k")
        let count = bench.lines.count { $0.contains("in \(filter)") }
        #expect(count == 1, "\(bench.screen)")
    }

    private func record(_ bench: Bench) throws -> StoreRecord {
        try bench.store.readBlocking { try $0.storeRecord() }
    }

    /// The row of the view that names it, above the rule.
    private func row(_ bench: Bench, _ name: String) -> String {
        let rows = bench.state.layout.rows
        return bench.lines[rows.y..<rows.maxY].first {
            $0.contains(name) && !$0.contains("the clock of waiting")
        }
            ?? ""
    }

    @Test("G1 G2 G3 G5 it shows what stands, what it did, whose it is and when it ends")
    func shows() throws {
        let bench = try bench()
        bench.press("8")
        #expect(bench.screen.contains("Nothing of the debugger is set in this store."))
        for line in [
            "stop a queue before or after a matching task", "make attempts of matching tasks fail",
            "the clock of waiting tasks",
        ] {
            #expect(bench.screen.contains(line), "\(line)")
        }
        // Others set things while one looks.
        try setAll(bench)
        let stop = row(bench, "breakpoint 1 ")
        #expect(stop.contains("◆") && stop.contains("before type:send"))
        #expect(stop.contains("when removed") && stop.contains("bea"))
        let fault = row(bench, "fault 1 ")
        #expect(fault.contains("↯") && fault.contains("fail=HTTP 500 in type:send"))
        #expect(fault.contains("in 1h") && fault.contains("3 left"))
        #expect(row(bench, " clock ").contains("frozen at 08:00:00 (+0s)"))
        #expect(row(bench, " checkpoint ").contains("before-release"))
        #expect(row(bench, " checkpoint ").contains("0 changed, taken"))
        #expect(!bench.screen.contains("stop a queue before"))
        // Expiries count down in real time, independent of the store's clock.
        bench.wait(milliseconds: 1_800_000)
        #expect(row(bench, "fault 1 ").contains("in 30m"))
        bench.wait(milliseconds: 1000)
        #expect(row(bench, "fault 1 ").contains("in 29m 59s"))
        bench.wait(milliseconds: 1_800_000)
        #expect(row(bench, "fault 1 ").isEmpty)
        #expect(bench.screen.contains("make attempts of matching tasks fail"))
    }

    @Test("G1 a breakpoint that stops a queue says so, and c resumes from it")
    func stop() throws {
        let bench = try bench()
        try setAll(bench)
        try bench.store.writeBlocking { store in
            try store.transact(at: Self.start) { mutation in
                let found = try mutation.store.storeRecord().breakpoints.all
                guard let breakpoint = found.first, let task = try mutation.store.task(1) else {
                    return
                }
                try mutation.changeQueue("mail") { queue in
                    queue.pauses = [
                        Pause(hits: [BreakpointHit(breakpoint, at: task)], since: Self.start)
                    ].compactMap { $0 }
                }
            }
        }
        bench.send(.storeChanged)
        bench.press("8")
        #expect(row(bench, "breakpoint 1 ").contains("stops mail before #1 send"))
        #expect(bench.screen.contains("c resume mail --breakpoints"))
        bench.press("c")
        #expect(bench.message.contains("resume mail --breakpoints"))
        let queue = try bench.store.readBlocking { try $0.requireQueue("mail") }
        #expect(queue.pauses.isEmpty && !bench.screen.contains("stops mail"))
        bench.press("c")
        #expect(bench.message.contains("the breakpoint stops no queue"))
    }

    @Test("G1 G2 G3 G5 d removes the row, its command is shown, and z takes that back")
    func removes() throws {
        let bench = try bench()
        try setAll(bench)
        bench.press("8")
        for (command, kind) in [
            ("break remove 1", "breakpoint 1 "), ("fault remove 1", "fault 1 "),
            ("clock real", " clock "),
        ] {
            #expect(bench.screen.contains("d \(command)"))
            bench.press("d")
            #expect(bench.message.contains(command) && bench.message.contains("z undoes it"))
            #expect(row(bench, kind).isEmpty)
        }
        #expect(try record(bench).breakpoints.isEmpty && record(bench).faults.isEmpty)
        #expect(try record(bench).clock == nil)
        // Nothing brings a checkpoint back.
        #expect(bench.screen.contains("d checkpoint remove before-release"))
        bench.press("d")
        #expect(bench.screen.contains("forget the checkpoint before-release?"))
        bench.press("n")
        #expect(try !record(bench).checkpoints.isEmpty)
        bench.press("d y")
        #expect(try record(bench).checkpoints.isEmpty)
        #expect(bench.screen.contains("Nothing of the debugger is set"))
        bench.press("d")
        #expect(bench.message.contains("nothing is selected here"))
        bench.press("z")
        #expect(try record(bench).clock != nil)
        bench.press("z")
        #expect(row(bench, "fault 1 ").contains("fail=HTTP 500"))
    }

    @Test("G5 R says what a restore changes and what stays, asks, and z takes it back")
    func restores() throws {
        let bench = try bench()
        try act(bench, .takeCheckpoint(CheckpointRequest("before-release")))
        try act(bench, .resume(.queue("mail")))
        try act(bench, .enqueue(queue: "mail", [EnqueueRequest(type: "late", payload: [])]))
        bench.press("8")
        #expect(row(bench, " checkpoint ").contains("2 changed, taken"))
        #expect(bench.screen.contains("R restore before-release"))
        bench.press("R")
        #expect(bench.screen.contains("restore before-release?"))
        #expect(bench.screen.contains("1 task that came since is in the trash"))
        #expect(bench.screen.contains("queue mail is restored"))
        bench.press("n")
        #expect(try bench.store.readBlocking { try $0.task(3) }?.state.name == .waiting)
        bench.press("R y")
        #expect(bench.message.contains("restore before-release"))
        #expect(try bench.store.readBlocking { try $0.task(3) }?.state.name == .deleted)
        bench.press("z y")
        #expect(try bench.store.readBlocking { try $0.task(3) }?.state.name == .waiting)
    }

    @Test("G1 G2 G3 G5 Enter lists what a row is about, opens the clock's line or the difference")
    func opens() throws {
        let bench = try bench()
        try setAll(bench)
        bench.press("8 G Enter")
        #expect(
            bench.effects.contains { effect in
                if case .command("diff before-release", _) = effect { true } else { false }
            })
        bench.press("k Enter")
        guard case .prompt(let prompt)? = bench.state.modal,
            case .form(let form) = prompt.question, form.value is ClockPrompt
        else {
            Issue.record("the line of the clock is not open")
            return
        }
        bench.press("Esc k Enter")
        #expect(bench.state.view == .inventory && bench.state.isAll)
        #expect(bench.state.list.filter?.description == "type:send")
        #expect(bench.state.list.page.rows.map(\.task.id) == [1])
    }

    @Test("G3 G5 G6 what was taken and begun is told by the real time, whatever the clock shows")
    func realTime() throws {
        let bench = try bench()
        try act(bench, .setClock(ClockRequest(.freeze)))
        bench.wait(milliseconds: 1_800_000)
        try act(bench, .takeCheckpoint(CheckpointRequest("late")))
        let now = bench.now
        try bench.change { store in
            try store.transact(at: now) { try $0.beginRecording(by: "bea", recorder: 7) }
        }
        bench.press("8")
        #expect(row(bench, " clock ").contains("set 30m ago"))
        #expect(row(bench, " checkpoint ").contains("taken <1m ago"))
        #expect(row(bench, " recording ").contains("begun <1m ago"))
    }

    @Test("G6 a recording says who records and where it ends")
    func recording() throws {
        let bench = try bench()
        try bench.change { store in
            try store.transact(at: Self.start) {
                try $0.beginRecording(by: "bea", recorder: 7)
            }
        }
        bench.press("8")
        let row = row(bench, " recording ")
        #expect(row.contains("onto a tape") && row.contains("bea") && row.contains("with process"))
        #expect(row.contains("process 7"))
        bench.press("d")
        #expect(bench.message.contains("a recording ends with its process, 7"))
    }

    private func told(_ bench: Bench) -> [ConsoleEffect] {
        bench.takeEffects().filter { effect in
            switch effect {
            case .record, .endRecording: true
            default: false
            }
        }
    }

    @Test("G6 V asks for a file, records, the top line says so, and V ends it")
    func records() throws {
        let bench = try bench(size: Size(width: 80, height: 24))
        bench.press("V")
        guard case .prompt(let prompt)? = bench.state.modal else {
            Issue.record("V asks nothing")
            return
        }
        #expect(prompt.editor.text == "app-20270115-080000.tape")
        bench.type(" --fr 1m")
        #expect(bench.screen.contains("--fr"))
        bench.press("Enter")
        #expect(bench.state.modal != nil && told(bench).isEmpty)
        bench.press("^U")
        bench.type("x.tape --for 1m")
        bench.press("Enter")
        #expect(told(bench) == [.record("x.tape --for 1m")])
        #expect(!bench.lines[0].contains("recording"))
        try bench.change { store in
            try store.transact(at: Self.start) {
                try $0.beginRecording(by: "dana", recorder: 7)
            }
        }
        bench.send(.recorded(.begun(path: "x.tape", line: "x.tape --for 1m")))
        #expect(bench.lines[0].contains("● recording"))
        #expect(bench.message.contains("record x.tape --for 1m | recording · V ends it"))
        bench.press("8")
        #expect(row(bench, " recording ").contains("into x.tape"))
        #expect(row(bench, " recording ").contains("with console"))
        #expect(bench.screen.contains("d ends it"))
        bench.press("d")
        #expect(told(bench) == [.endRecording])
        bench.press("V")
        #expect(told(bench) == [.endRecording])
        try bench.change { store in
            try store.transact(at: Self.start) { _ = try $0.endRecording(of: 7, by: "dana") }
        }
        bench.send(.recorded(.ended(lines: ["x.tape: 2 events"], isWhole: true)))
        #expect(bench.message.contains("x.tape: 2 events"))
        #expect(!bench.lines[0].contains("recording") && row(bench, " recording ").isEmpty)
        bench.press("V")
        #expect(bench.state.modal != nil)
    }

    @Test("G6 V says who else records, what could not begin, and record is the same in a line")
    func refusesRecording() throws {
        let bench = try bench()
        bench.send(.recorded(.failed(QueueError(.denied, "x.tape is there", fix: "name another"))))
        #expect(bench.message.contains("x.tape is there"))
        bench.press(":")
        bench.type("record y.tape")
        bench.press("Enter")
        #expect(told(bench) == [.record("y.tape")])
        try bench.change { store in
            try store.transact(at: Self.start) {
                try $0.beginRecording(by: "bea", recorder: 7)
            }
        }
        bench.press("V")
        #expect(bench.message.contains("bea records this store already: process 7"))
        #expect(bench.state.modal == nil && bench.lines[0].contains("● recording"))
        let readOnly = try self.bench(isReadOnly: true)
        readOnly.press("V")
        #expect(readOnly.state.modal == nil && readOnly.message.contains("reading only"))
    }

    @Test("G1 G2 b and f are about the queue; what is for a task or a queue says where those are")
    func sets() throws {
        let bench = try bench()
        bench.press("8 b")
        func field() -> String {
            guard case .prompt(let prompt)? = bench.state.modal else { return "" }
            return prompt.editor.text
        }
        #expect(field() == "queue:mail --before")
        bench.press("Tab")
        #expect(field() == "queue:mail --on-failure")
        bench.press("Enter")
        #expect(row(bench, "breakpoint 1 ").contains("on failure queue:mail"))
        bench.press("f Enter")
        #expect(row(bench, "fault 1 ").contains("fail in queue:mail"))
        // The view shows no queue, so `p` pauses none.
        bench.press("p")
        #expect(bench.message.contains("that is for a task or a queue: 1 shows them"))
        bench.press("x")
        #expect(bench.message.contains("that is for a task or a queue: 1 shows them"))
        bench.press("h")
        #expect(bench.state.focus == .view)
    }

    @Test("K5 at 80 columns what the keys do to a row is not cut: a word stands for a command")
    func commandEvents() throws {
        let bench = try bench(size: Size(width: 80, height: 24))
        try setAll(bench)
        bench.press("8 g")
        let y = try #require(bench.state.layout.nextY)
        var found: [String] = []
        for _ in 0..<4 {
            found.append(String(bench.lines[y].drop { $0 == " " }))
            bench.press("j")
        }
        #expect(
            found == [
                "Enter lists its tasks · d break remove 1",
                "Enter lists its tasks · d fault remove 1",
                "Enter sets it · d clock real",
                "Enter diff before-release · R restore before-release · d removes it",
            ])
    }

    @Test("K5 it is whole at 80x24, in ASCII too, and says nothing of setting where nothing can be")
    func pictures() throws {
        for (name, size, glyphs) in [
            ("debugger-80x24", Size(width: 80, height: 24), GlyphSet.unicode),
            ("debugger-ascii-80x24", Size(width: 80, height: 24), .ascii),
            ("debugger-118x32", Size(width: 118, height: 32), .unicode),
        ] {
            let bench = try bench(size: size, glyphs: glyphs)
            try setAll(bench)
            bench.press("8")
            try Pictures.check(name, bench.buffer)
        }
        let empty = try bench(size: Size(width: 80, height: 24))
        empty.press("8")
        try Pictures.check("debugger-empty-80x24", empty.buffer)
        let readOnly = try bench(isReadOnly: true)
        readOnly.press("8")
        #expect(readOnly.screen.contains("Nothing of the debugger is set"))
        #expect(!readOnly.screen.contains("stop a queue before"))
    }
}
