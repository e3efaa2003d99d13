import Sluice
import SluiceSystem
import Testing

/// How Customer.io's SDK works its queue off, worked off by us: in a file of ours and in its own
/// folder.
@Suite("scenarios of Customer.io: runs", .serialized, .timeLimit(.minutes(10)))
struct CustomerRunTests {
    typealias Engine = CustomerBench.Engine
    private static let day: Int64 = 86_400_000

    @Test(
        "CIO-21 CIO-29 CIO-35 CIO-45 a run of an empty queue ends at once and executes nothing",
        arguments: Engine.allCases)
    func empty(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        try await bench.working { app in
            let answer = try await app.run("site")
            #expect(answer.stepped == [] && answer.next == nil)
            #expect(answer.run == RunReport(isOpen: false, attempted: 0, left: 0))
            #expect(try await app.lines("runEnded") == 0)
        }
        #expect(bench.handled == [])
    }

    @Test(
        "Q4 CIO-49 CIO-50 nine wait for 30 s after the first; the tenth begins a run",
        arguments: Engine.allCases)
    func threshold(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        let app = try await bench.workingLife()
        let begin = bench.now + 30_000
        for _ in 1...9 {
            try await app.add(customerTask("t"))
            #expect(try await app.nextRun() == begin)
            bench.pass(1000)
        }
        let now = bench.now
        #expect(try await app.store.read { try $0.counts(queue: "site")[.waiting] } == 9)
        try await app.add(customerTask("t"))
        try #require(try await app.nextRun() == now)
        try await app.drain()
        #expect(bench.handled.count == 10)
        // Alone it waits for its time; then the next life runs it without being asked.
        try await app.add(customerTask("alone"))
        #expect(try await app.nextRun() == now + 30_000)
        app.store.close()
        bench.pass(30_000)
        let next = try await bench.workingLife()
        try await next.drain()
        #expect(bench.handled.last == "alone" && bench.handled.count == 11)
    }

    @Test(
        "CIO-93 a backlog that is found at the opening runs without another task",
        arguments: Engine.allCases)
    func backlog(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        try await bench.working({ _ in .fail }) { app in
            try await app.add(customerTask("tried"))
            try await app.run("site")
        }
        let former = try await bench.life()
        try await former.add(customerTask("new"))
        former.store.close()
        bench.pass(10_000)
        // The SDK's files contain no time before the opening.
        if engine == .folder { try bench.forgetDatabase() }
        let next = try await bench.workingLife()
        let wait: Int64 = engine == .folder ? 30_000 : 20_000
        try #require(try await next.nextRun() == bench.now + wait)
        bench.pass(wait)
        try await next.drain()
        #expect(bench.handled == ["tried", "tried", "new"])
        #expect(try await next.waiting() == [])
        // Reaching the threshold starts a run immediately.
        for _ in 1...10 { try await next.add(customerTask("ten")) }
        next.store.close()
        if engine == .folder { try bench.forgetDatabase() }
        let last = try await bench.workingLife()
        try #require(try await last.nextRun() == bench.now)
        try await last.drain()
        #expect(bench.handled.count { $0 == "ten" } == 10)
    }

    @Test(
        "CIO-22 CIO-23 the first of two is next, then the second, also when the first has failed",
        arguments: Engine.allCases)
    func inOrder(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        try await bench.working({ $0.task.type == "first" ? .fail : .done }) { app in
            let ids = try await app.add(customerTask("first"), customerTask("second"))
            let now = bench.now
            let next = try await app.store.read {
                try Reading($0, now: now).forecast(queue: "site", limit: 9).lines.map(\.id)
            }
            #expect(next == ids)
            let answer = try await app.run("site")
            #expect(answer.stepped.map(\.id) == ids)
        }
        #expect(bench.handled == ["first", "second"])
    }

    @Test(
        "CIO-24 CIO-27 a start that fails holds its members for that run, and no longer",
        arguments: Engine.allCases)
    func startFails(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        let isDown = Protected(true)
        try await bench.working({ execution in
            isDown.withLock { $0 } && execution.task.groupStart != nil ? .fail : .done
        }) { app in
            let ids = try await app.add(
                customerTask("start", start: "g"), customerTask("member", members: ["g"]),
                customerTask("other"))
            try await app.run("site")
            #expect(bench.handled == ["start", "other"])
            #expect(try await app.waiting().map(\.id) == Array(ids[..<2]))
            let now = bench.now
            let held = try await app.store.read { try Reading($0, now: now).line(ids[1]) }
            #expect(held.heldBy == ids[0])
            isDown.withLock { $0 = false }
            try await app.run("site")
            #expect(try await app.waiting() == [])
        }
        #expect(bench.handled == ["start", "other", "start", "member"])
    }

    @Test(
        "CIO-25 CIO-26 a member that fails holds nobody, and a run without failures leaves nothing",
        arguments: Engine.allCases)
    func memberFails(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        try await bench.working({ $0.task.type == "bad" ? .fail : .done }) { app in
            try await app.add(
                customerTask("start", start: "g"), customerTask("member", members: ["g"]))
            try await app.run("site")
            try await app.add(
                customerTask("bad", members: ["g"]), customerTask("good", members: ["g"]))
            let answer = try await app.run("site")
            #expect(answer.stepped.map(\.type) == ["bad", "good"])
            #expect(try await app.waiting().map(\.type) == ["bad"])
        }
        #expect(bench.handled == ["start", "member", "bad", "good"])
    }

    @Test(
        "CIO-30 CIO-32 CIO-36 CIO-38 tasks that succeed are executed once and gone; one run ended",
        arguments: Case.all([1, 2]))
    func success(_ test: Case) async throws {
        let bench = try CustomerBench(test.engine)
        try await bench.working { app in
            for _ in 1...test.count { try await app.add(customerTask("t")) }
            let answer = try await app.run("site")
            #expect(answer.stepped.map(\.outcome) == test.times(.success))
            #expect(try await app.waiting() == [])
            #expect(try await app.lines("runEnded") == 1)
        }
        #expect(try bench.files() == [])
        #expect(bench.handled.count == test.count)
    }

    @Test(
        "CIO-13 CIO-31 CIO-37 CIO-39 CIO-54 tasks that fail stay in order, counted once in a run",
        arguments: Case.all([1, 2]))
    func failure(_ test: Case) async throws {
        let bench = try CustomerBench(test.engine)
        try await bench.working({ _ in .fail }) { app in
            for _ in 1...test.count { try await app.add(customerTask("t")) }
            let ids = try await app.waiting().map(\.id)
            let isFolder = test.engine == .folder
            let inventory = isFolder ? try bench.content("inventory.json") : ""
            for run in 1...2 {
                let answer = try await app.run("site")
                #expect(answer.stepped.map(\.id) == ids)
                #expect(answer.stepped.map(\.outcome) == test.times(.retry))
                let tasks = try await app.waiting()
                #expect(tasks.map(\.id) == ids)
                #expect(tasks.map(\.attempts) == test.times(run))
                guard isFolder else { continue }
                // The files follow each commit before the next one.
                try await app.store.write { _ in }
                #expect(try bench.content("inventory.json") == inventory)
                for name in try bench.files() {
                    let isCounted = try bench.content("tasks/\(name)")
                        .contains(#""run_results":{"total_runs":\#(run)}"#)
                    #expect(isCounted)
                }
            }
            #expect(try await app.lines("runEnded") == 2)
        }
        #expect(bench.handled.count == 2 * test.count)
    }

    @Test(
        "CIO-34 one is chosen when the one before has ended, however it waits",
        arguments: Engine.allCases)
    func oneByOne(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        let gate = Gate()
        try await bench.working({ execution in
            if execution.task.type == "a" { await gate.pass() }
            for _ in 1...9 { await Task.yield() }
            bench.note("\(execution.task.type) ends")
            return .done
        }) { app in
            let ids = try await app.add(
                customerTask("a"), customerTask("b"), customerTask("c"), customerTask("d"))
            let run = try await app.control.openRun("site")
            await gate.reached()
            // Nothing of the rest is chosen yet.
            try await app.control.perform(.move(TaskTarget(ids[3]), .before(ids[1])))
            let target = [TaskTarget(ids[2])]
            try await app.control.perform(
                .delete(target, cancelsRunning: false, members: nil))
            gate.open()
            #expect(try await app.end(of: run).stepped.map(\.type) == ["a", "d", "b"])
        }
        #expect(bench.handled == ["a", "a ends", "d", "d ends", "b", "b ends"])
    }

    @Test(
        "Q4 CIO-28 CIO-43 CIO-44 CIO-46 CIO-47 CIO-51 who joins a run is told its end, like all",
        arguments: Engine.allCases)
    func joined(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        let gate = Gate()
        try await bench.working({ execution in
            if execution.task.type == "slow" { await gate.pass() }
            return .done
        }) { app in
            try await app.add(customerTask("slow"), customerTask("next"))
            let first = try await app.control.openRun("site")
            await gate.reached()
            let second = try await app.control.openRun("site")
            #expect(first.number != nil && second.number == first.number)
            #expect(second.summary == "a run of site is already open, after 1 attempt")
            #expect(bench.handled == ["slow"])
            // No outcome exists before the end.
            let now = bench.now
            let early = try await app.store.read { try first.outcome(in: Reading($0, now: now)) }
            #expect(early == nil)
            async let ends = [app.end(of: first), app.end(of: second)]
            gate.open()
            for answer in try await ends {
                #expect(answer.stepped.map(\.type) == ["slow", "next"])
                #expect(answer.run == RunReport(isOpen: false, attempted: 2, left: 0))
            }
            #expect(try await app.lines("runEnded") == 1)
            // It has ended: the next one is another.
            try await app.add(customerTask("later"))
            let third = try await app.control.openRun("site")
            #expect(third.number != nil && third.number != first.number)
            #expect(try await app.end(of: third).stepped.map(\.type) == ["later"])
            #expect(try await app.end(of: first).run?.isOpen == false)
        }
        #expect(bench.handled == ["slow", "next", "later"])
    }

    @Test(
        "D4 who waits for a run is told too when a task pauses its queue, or stops waiting",
        arguments: Engine.allCases)
    func stopped(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        let pause = HandlerOutcome.pauseQueue(
            milliseconds: 300_000, isCounted: false, error: "401")
        try await bench.working({ $0.task.type == "refused" ? pause : .done }) { app in
            try await app.add(customerTask("refused"), customerTask("next"))
            let answer = try await app.run("site")
            #expect(answer.run == RunReport(isOpen: true, attempted: 1, left: 2))
            #expect(answer.stepped.map(\.outcome) == [.pauseQueue])
        }
        let lonely = try await bench.life()
        let run = try await lonely.control.openRun("site")
        #expect(run.number != nil)
        let waiting = Task { try await lonely.end(of: run) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(bench.handled == ["refused"])
    }

    @Test(
        "Q8 CIO-17 CIO-18 CIO-19 CIO-20 ten days expire a member, but no start and nothing new",
        arguments: Engine.allCases)
    func expiry(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        try await bench.working { app in
            if engine == .folder {
                try await app.control.perform(.setQueue("site", [.expires(3 * Self.day)]))
            }
            try await app.run("site")
            // Paused, so that no run begins on its schedule.
            try await app.control.perform(.pause(PauseRequest(.queue("site"))))
            let ids = try await app.add(
                customerTask("start", start: "g"), customerTask("member", members: ["g"]))
            bench.pass(10 * Self.day)
            try await app.add(customerTask("new"))
            let answer = try await app.run("site")
            #expect(answer.stepped.map(\.type) == ["start", "new"])
            #expect(answer.run?.isOpen == false)
            let member = try await app.store.read { try $0.requireTask(ids[1]) }
            #expect(member.state.name == .failed && member.lastError == "expired")
            #expect(try await app.waiting() == [])
        }
        #expect(try bench.files() == [])
        #expect(bench.handled == ["start", "new"])
    }

    struct Case: Sendable {
        let engine: Engine
        let count: Int

        static func all(_ counts: [Int]) -> [Case] {
            Engine.allCases.flatMap { engine in counts.map { Case(engine: engine, count: $0) } }
        }

        func times<Value>(_ value: Value) -> [Value] { Array(repeating: value, count: count) }
    }
}

/// A gate that blocks until opened.
final class Gate: Sendable {
    private let arrivals = AsyncStream<Void>.makeStream()
    private let openings = AsyncStream<Void>.makeStream()

    func pass() async {
        arrivals.continuation.yield()
        for await _ in openings.stream { return }
    }

    /// Returns when a caller waits at the gate.
    func reached() async {
        for await _ in arrivals.stream { return }
    }

    func open() { openings.continuation.yield() }
}
