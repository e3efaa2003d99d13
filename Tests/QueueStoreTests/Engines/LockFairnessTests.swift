import SluiceStore
import Testing

@Suite("How a writer lets others at the store")
struct LockFairnessTests {
    private static let millisecond: UInt64 = 1_000_000

    /// The pauses of a writer with back-to-back commits of this duration.
    private func rests(
        commitMilliseconds: UInt64, gapMilliseconds: UInt64 = 0, gapMicroseconds: UInt64 = 0
    ) -> [Int] {
        var fairness = LockFairness()
        var moment: UInt64 = 1_000_000_000_000
        return (0..<10).map { _ in
            let rest = fairness.rest(before: moment)
            moment += UInt64(rest) * Self.millisecond
            let end = moment + commitMilliseconds * Self.millisecond
            fairness.held(from: moment, to: end)
            moment = end + gapMilliseconds * Self.millisecond + gapMicroseconds * 1000
            return rest
        }
    }

    @Test("D10 a writer that never pauses rests for a moment each 15 ms, longer after long commits")
    func saturated() {
        #expect(rests(commitMilliseconds: 10) == [0, 0, 1, 0, 1, 0, 1, 0, 1, 0])
        #expect(rests(commitMilliseconds: 100) == [0] + Array(repeating: 5, count: 9))
        #expect(rests(commitMilliseconds: 2000) == [0] + Array(repeating: 20, count: 9))
    }

    @Test("a writer that pauses by itself never rests")
    func idle() {
        let rests = rests(commitMilliseconds: 100, gapMilliseconds: 2)
        #expect(rests == Array(repeating: 0, count: 10))
    }

    @Test("D10 nor does one that leaves a twentieth of the time free, in whatever pieces")
    func gaps() {
        #expect(rests(commitMilliseconds: 10, gapMicroseconds: 900).allSatisfy { $0 == 0 })
        #expect(rests(commitMilliseconds: 10, gapMicroseconds: 100).contains(1))
    }

    @Test("D10 who lets be seen that it waits goes first after 5 ms without a break")
    func asking() {
        var fairness = LockFairness(timeoutMilliseconds: 30)
        let begin: UInt64 = 1_000_000_000_000
        fairness.held(from: begin, to: begin + 4 * Self.millisecond)
        let early = fairness.isDue(before: begin + 4 * Self.millisecond)
        fairness.held(
            from: begin + 4 * Self.millisecond, to: begin + 8 * Self.millisecond)
        let due = fairness.isDue(before: begin + 8 * Self.millisecond)
        fairness.rested()
        let again = fairness.isDue(before: begin + 8 * Self.millisecond)
        fairness.held(
            from: begin + 8 * Self.millisecond, to: begin + 20 * Self.millisecond)
        let rest = fairness.rest(before: begin + 20 * Self.millisecond)
        let late = fairness.isDue(before: begin + 22 * Self.millisecond)
        #expect([early, due, again, late] == [false, true, false, false])
        #expect(rest == 0)
    }
}
