import Testing

@testable import SluiceStore

@Suite("How often those who look look again")
struct ReadThrottleTests {
    private static let millisecond: Int64 = 1_000_000
    private static let second: Int64 = 1_000_000_000

    @Test("K3 what costs little is looked at as soon as it changes")
    func quiet() {
        let budget = LookingBudget(ofProcessor: 1, in: 10)
        var moment: Int64 = 0
        for now in stride(from: Int64(0), to: 60 * Self.second, by: Int(100 * Self.millisecond)) {
            moment = budget.paid(10 * Self.millisecond, from: moment, at: now)
            #expect(budget.rest(until: moment, at: now) == 0)
        }
    }

    @Test("K3 who looks all the time is executed for no more than its part", arguments: [1, 5, 50])
    func busy(milliseconds: Int64) {
        let budget = LookingBudget(ofProcessor: 1, in: 10)
        let cost = milliseconds * Self.millisecond
        var (moment, now, executed): (Int64, Int64, Int64) = (0, 0, 0)
        while now < 60 * Self.second {
            (now, executed) = (now + cost, executed + cost)
            moment = budget.paid(cost, from: moment, at: now)
            now += budget.rest(until: moment, at: now)
        }
        #expect(Double(executed) / Double(now) < 0.105)
        #expect(Double(executed) / Double(now) > 0.095)
    }

    @Test("K3 a reader of a busy store takes a twentieth of a processor, its first second included")
    func reader() {
        let (cost, span) = (3 * Self.millisecond, 10 * Self.second)
        var (moment, now, executed): (Int64, Int64, Int64) = (0, 0, 0)
        while now < span {
            (now, executed) = (now + cost, executed + cost)
            moment = LookingBudget.ofReader.paid(cost, from: moment, at: now)
            now += LookingBudget.ofReader.rest(until: moment, at: now)
        }
        #expect(Double(executed) / Double(span) < 0.06)
    }

    @Test("K3 many who look share their part, and each has its turn")
    func many() {
        let budget = LookingBudget(ofProcessor: 1, in: 10)
        let cost = 4 * Self.millisecond
        var (moment, executed): (Int64, Int64) = (0, 0)
        var turns = (0..<40).map { _ in (due: Int64(0), count: 0) }
        while let first = turns.indices.min(by: { turns[$0].due < turns[$1].due }),
            turns[first].due < 60 * Self.second
        {
            let now = turns[first].due
            executed += cost
            moment = budget.paid(cost, from: moment, at: now)
            turns[first].due = now + max(cost, budget.rest(until: moment, at: now))
            turns[first].count += 1
        }
        #expect(Double(executed) / Double(60 * Self.second) < 0.11)
        let counts = turns.map(\.count).sorted()
        #expect(counts[0] > 30 && counts[39] < 2 * counts[0])
    }

    @Test("K3 a moment that cannot be true makes nobody wait")
    func untrue() {
        let budget = LookingBudget(ofProcessor: 1, in: 10)
        let now = 5 * Self.second
        for wrong in [Int64.max / 2, now + 4 * Self.second, 0, -1] {
            let moment = budget.paid(Self.millisecond, from: wrong, at: now)
            #expect(moment == now + 10 * Self.millisecond)
            #expect(budget.rest(until: moment, at: now) == 0)
        }
        #expect(
            budget.rest(until: budget.paid(now, from: now, at: now), at: now) <= 2 * Self.second)
    }
}
