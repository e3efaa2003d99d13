import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("moments that no rule gives any more")
struct BeyondRuleTests {
    private static let month: Int64 = 30 * 86_400_000

    private static func tick() throws -> Verb { try schedule("tick", "every 5s") }

    /// A store whose clock was a month ahead, either its own or the machine's.
    private func scene(byMachine: Bool) throws -> Bench {
        let bench = try Bench(.sqlite)
        try bench.makeQueue()
        if byMachine {
            bench.pass(Self.month)
        } else {
            try bench.perform(.setClock(ClockRequest(.move(Self.month))))
        }
        try bench.perform(Self.tick())
        try bench.perform(
            .pause(PauseRequest(.queue("q"), reason: "look", forMilliseconds: 10_000)))
        if byMachine {
            bench.pass(-Self.month)
        } else {
            let answer = try bench.perform(.setClock(ClockRequest(.real)))
            #expect(answer.consequences.count == 2)
            #expect(answer.consequences.first?.contains("sluice schedule resume tick") == true)
            #expect(answer.consequences.last?.contains("sluice resume q") == true)
        }
        return bench
    }

    @Test("G3 times of tasks that were set while the clock was ahead are named as it goes back")
    func ownTimes() throws {
        let bench = try Bench(.sqlite)
        try bench.makeQueue()
        try bench.perform(.setClock(ClockRequest(.move(Self.month))))
        var expiring = EnqueueRequest(type: "e")
        expiring.expiresAt = bench.now + Self.month + 7_200_000
        try bench.perform(
            .enqueue(queue: "q", [EnqueueRequest(type: "p"), EnqueueRequest(type: "s"), expiring]))
        try bench.perform(
            .postpone([TaskTarget(1)], until: bench.now + Self.month + 3_600_000))
        try bench.perform(.skip([TaskTarget(2)], forMilliseconds: 3_600_000))
        let answer = try bench.perform(.setClock(ClockRequest(.real)))
        #expect(answer.consequences.count == 3)
        for (line, (start, end)) in zip(
            answer.consequences.sorted(),
            [
                ("#1 p begins at ", "; sluice postpone 1 +1h counts that from now, sluice retry"),
                ("#2 s is skipped until ", "; sluice unskip 2 takes it back in"),
                ("#3 e expires at ", "; sluice edit 3 --set expires=+2h counts it from now"),
            ])
        {
            #expect(line.hasPrefix(start) && line.contains(end), "\(line)")
        }
        let now = bench.now
        let why = try bench.read { try Reading($0, now: now).why(1) }
        #expect(
            why.first?.blockers.first?.text.contains("for 1h later while the clock was ahead")
                == true)
        let control = Control(
            store: bench.store, person: "ann", now: { now }, chance: { 0.5 })
        let found = try control.examine(repairs: false).problems
        #expect(found.sorted() == answer.consequences.sorted())
    }

    private func next(_ bench: Bench) throws -> Int64? {
        try bench.read { try $0.storeRecord().schedules["tick"]?.next }.map { $0 - bench.now }
    }

    @Test(
        "R4 G3 a schedule that went by a clock that was ahead is counted anew by set and resume",
        arguments: [false, true])
    func anew(_ byMachine: Bool) throws {
        let bench = try scene(byMachine: byMachine)
        #expect(try next(bench) ?? 0 > Self.month - 5000)
        let resumed = try bench.perform(.schedule(.resume, name: "tick"))
        #expect(resumed.summary == "schedule tick counted anew by ann")
        #expect(try (1...5000).contains(next(bench) ?? 0))
        try bench.perform(.undo(event: nil))
        let other = try scene(byMachine: byMachine)
        let set = try other.perform(Self.tick())
        #expect(set.summary.hasSuffix("counted anew by the clock as it is now"))
        #expect(try (1...5000).contains(next(other) ?? 0))
        #expect(try other.perform(Self.tick()).summary == "schedule tick is that already")
    }

    @Test("P3 R4 doctor names what waits beyond its rule, and fixes it", arguments: [false, true])
    func doctor(_ byMachine: Bool) throws {
        let bench = try scene(byMachine: byMachine)
        let control = Control(
            store: bench.store, person: "ann", now: { bench.now }, chance: { 0.5 })
        let found = try control.examine(repairs: false)
        #expect(found.problems.count == 2)
        #expect(found.problems.first?.hasPrefix("schedule tick makes no task until ") == true)
        #expect(found.problems.last?.hasPrefix("the pause of q by ann lasts until ") == true)
        let mended = try control.examine(repairs: true)
        #expect(mended.isRepaired && mended.done.count == 2 && mended.undo.count == 1)
        #expect(try (1...5000).contains(next(bench) ?? 0))
        let pause = try #require(try bench.read { try $0.requireQueue("q").pauses.first })
        #expect(pause.until == bench.now + 10_000 && pause.since == bench.now)
        #expect(try control.examine(repairs: false).problems == [])
    }

    @Test("R2 a clock that was set back a little makes no moment twice, and nothing is told")
    func little() throws {
        let bench = try Bench(.sqlite)
        try bench.makeQueue()
        try bench.perform(Self.tick())
        bench.pass(5000)
        try bench.act { _ = try $0.enqueueScheduled() }
        let next = try bench.read { try $0.storeRecord().schedules["tick"]?.next }
        bench.pass(-2000)
        let now = bench.now
        let found = try bench.read { try $0.beyondRule(at: now) }
        #expect(found.isEmpty)
        #expect(try bench.perform(.schedule(.resume, name: "tick")).undo == nil)
        #expect(try bench.read { try $0.storeRecord().schedules["tick"]?.next } == next)
    }
}
