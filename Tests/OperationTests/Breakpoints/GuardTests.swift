import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("guards")
struct GuardTests {
    /// A queue with a guard: half of four attempts in a minute.
    private static func bench(
        _ engine: Engine, _ change: (inout BreakRequest) -> Void = { _ in }
    ) throws -> (bench: Bench, runner: ProcessID) {
        let bench = try Bench(engine)
        try bench.makeQueue("q") {
            $0.concurrency = 8
            $0.attemptLimit = 1
        }
        try bench.perform(
            stop("queue:q") { request in
                request.moment = .onFailure
                request.forMilliseconds = nil
                request.limit = FailureLimit(percent: 50, attempts: 4, milliseconds: 60_000)
                change(&request)
            })
        return (bench, try bench.attach())
    }

    /// Runs one task. Returns whether the queue is stopped afterwards.
    private static func run(
        _ bench: Bench, _ runner: ProcessID, fails: Bool
    ) throws -> Bool {
        _ = try bench.enqueue([request("a")])
        let claimed = try #require(try bench.claim(runner).first)
        try bench.settle(claimed, fails ? .giveUp(error: "boom") : .done)
        return try bench.record().pauses.contains { $0.cause == .breakpoint }
    }

    private static func breakpoint(_ bench: Bench) throws -> Breakpoint? {
        try bench.read { try $0.storeRecord().breakpoints[1] }
    }

    @Test(
        "G1 it stops its queue from the share of enough attempts on, and counts anew after that",
        arguments: Engine.all)
    func fires(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        for fails in [true, false, true] {
            #expect(try !Self.run(bench, runner, fails: fails))
        }
        #expect(try Self.run(bench, runner, fails: true))
        let pause = try #require(bench.record().pauses.first)
        #expect(pause.by == "guard 1" && pause.until == nil)
        #expect(pause.reason == "3 of 4 attempts failed")
        let line = try #require(bench.events().last { $0.kind == "breakpoint" })
        #expect(line.text == "guard 1 stopped q: 3 of 4 attempts failed")
        let firing = try #require(Self.breakpoint(bench)?.firing)
        #expect(firing.rate == FailureLimit.Rate(failed: 3, attempts: 4))
        let waiting = try bench.enqueue([request("a")])[0]
        #expect(try bench.claim(runner).isEmpty)
        let now = bench.now
        let why = try bench.read {
            try Reading($0, now: now).line(waiting).blockers.first { $0.kind == .queuePaused }?.text
        }
        #expect(why?.hasPrefix("guard 1 stopped the queue q: 3 of 4 attempts failed, ") == true)
        try bench.perform(.resume(.queue("q")))
        bench.pass(10_000)
        let first = try #require(try bench.claim(runner).first)
        try bench.settle(first, .giveUp(error: "boom"))
        for _ in 0..<2 { #expect(try !Self.run(bench, runner, fails: true)) }
        #expect(try Self.run(bench, runner, fails: true))
    }

    @Test("G1 attempts before its time do not count, and fewer failures do not stop")
    func old() throws {
        let (bench, runner) = try Self.bench(.memory)
        for _ in 0..<3 { #expect(try !Self.run(bench, runner, fails: true)) }
        bench.pass(80_000)
        for _ in 0..<3 { #expect(try !Self.run(bench, runner, fails: true)) }
        for _ in 0..<20 { #expect(try !Self.run(bench, runner, fails: false)) }
        #expect(try !Self.run(bench, runner, fails: true))
    }

    @Test("G1 it only warns, or pauses for a time")
    func deeds() throws {
        let (warned, first) = try Self.bench(.memory) { $0.isLog = true }
        for _ in 0..<4 { #expect(try !Self.run(warned, first, fails: true)) }
        let line = try #require(warned.events().last { $0.kind == "breakpoint" })
        #expect(line.text == "guard 1 warns of q: 4 of 4 attempts failed")
        let note = try Self.breakpoint(warned)?.note([]) { _ in "14:00" }
        #expect(note == "fired at 14:00: 4 of 4 failed, only warns")
        let (paused, second) = try Self.bench(.memory) { $0.limit?.pauseMilliseconds = 600_000 }
        for _ in 0..<3 { #expect(try !Self.run(paused, second, fails: true)) }
        #expect(try Self.run(paused, second, fails: true))
        _ = try paused.enqueue([request("a")])
        #expect(try paused.claim(second).isEmpty)
        paused.pass(600_000)
        #expect(try paused.claim(second).count == 1)
        #expect(try Self.breakpoint(paused) != nil)
    }

    @Test("G1 a queue that is paused already keeps its pause, and undo removes the guard with its")
    func pausedAlready() throws {
        let (bench, runner) = try Self.bench(.memory)
        let ids = try bench.enqueue((0..<4).map { _ in request("a") })
        let claimed = try bench.claim(runner, slots: 4)
        #expect(claimed.count == ids.count)
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        for one in claimed { try bench.settle(one, .giveUp(error: "boom")) }
        #expect(try bench.record().pauses.map(\.cause) == [.person, .breakpoint])
        try bench.perform(.removeBreakpoints(.numbers([1])))
        #expect(try bench.record().pauses.map(\.cause) == [.person])
    }

    @Test("G1 two people may guard one queue, a missing queue is refused, a deleted one forgotten")
    func people() throws {
        let (bench, runner) = try Self.bench(.memory)
        let again = try bench.perform(
            stop("queue:q") { request in
                request.moment = .onFailure
                request.limit = .usual
            })
        #expect(again.consequences == ["guard 1 by ann watches the same tasks"])
        #expect(throws: QueueError.self) {
            try bench.perform(
                stop("queue:none") { request in
                    request.moment = .onFailure
                    request.limit = .usual
                })
        }
        for _ in 0..<3 { #expect(try !Self.run(bench, runner, fails: true)) }
        try bench.perform(.deleteQueue("q", evenWithTasks: true))
        try bench.makeQueue("q") { $0.attemptLimit = 1 }
        for _ in 0..<3 { #expect(try !Self.run(bench, runner, fails: true)) }
        #expect(try Self.run(bench, runner, fails: true))
    }

    @Test("its command reads and writes the same words")
    func words() throws {
        func request(_ words: String) throws -> BreakRequest {
            let all = words.split(separator: " ").map { Word(String($0)) }
            let found = try #require(Action.command(in: all.map(\.text)))
            let arguments = try Arguments(found.named.command, words: all[found.words...])
            return found.named.action.id == .setGuard
                ? try BreakRequest(guard: arguments) : try BreakRequest(arguments)
        }
        let usual = try request("guard set charge")
        #expect(usual.limit == .usual && usual.forMilliseconds == nil && !usual.isLog)
        let whole = try request("guard set charge --failed 5% --of 9 --in 1m --do warn --for 2h")
        #expect(
            whole.limit
                == FailureLimit(
                    percent: 5, attempts: 9, milliseconds: 60_000, pauseMilliseconds: 7_200_000))
        #expect(whole.isLog)
        let command = whole.command(
            in: CommandText(names: TaskNames(), now: Timestamp(milliseconds: 0)))
        #expect(
            command
                == "break queue:charge --on-failure --failed 5% --of 9 --in 1m --pause 2h"
                + " --for none --log")
        #expect(try request(command) == whole)
        for wrong in [
            "guard set charge --failed 0", "guard set charge --failed 101%",
            "guard set charge --in 2h", "guard set charge --of 0", "guard set charge --do stop",
            "guard set charge --for x", "guard set", "break type:a --of 3",
            "break type:a --failed 5% --before",
        ] {
            #expect(throws: QueueError.self, "\(wrong)") { try request(wrong) }
        }
    }
}
