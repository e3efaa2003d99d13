import SluiceTestSupport
import Testing

/// The judge itself must detect the errors it checks for.
@Suite("end to end: the judge")
struct TestimonyTests {
    /// Lines from words such as `start 1 by 7`.
    private func told(_ lines: (String, Int, Int)...) -> Testimony {
        Testimony(lines.map { "\($0.0) \($0.1) 1 \($0.2) 0\n" }.joined())
    }

    @Test("an order that was held is no breach, and repeats before the next task are none")
    func held() {
        let good = told(
            ("start", 1, 7), ("fail", 1, 7), ("start", 1, 8), ("end", 1, 8), ("start", 2, 9),
            ("end", 2, 9))
        #expect(good.strictBreaches(of: [1, 2]) == [])
        #expect(good.overlaps == [])
        #expect(good.crowd == 1)
        #expect(good.tally("start") == [1: 2, 2: 1])
    }

    @Test("a task that begins before an earlier one ended, or again after a later one, is a breach")
    func breaches() {
        let early = told(("start", 1, 7), ("start", 2, 8), ("end", 1, 7), ("end", 2, 8))
        #expect(early.strictBreaches(of: [1, 2]) == ["#2 began before #1"])
        #expect(early.crowd == 2)
        let again = told(
            ("start", 1, 7), ("end", 1, 7), ("start", 2, 8), ("end", 2, 8), ("start", 1, 9))
        #expect(again.strictBreaches(of: [1, 2]) == ["#1 began after a later one"])
        let skipped = told(("skip", 1, 0), ("start", 2, 8), ("end", 2, 8), ("start", 1, 9))
        #expect(skipped.strictBreaches(of: [1, 2]) == [])
    }

    @Test("so many tasks may be behind as there are other slots, and no more")
    func slots() {
        let behind = told(("start", 3, 7), ("start", 1, 8), ("start", 2, 9))
        #expect(behind.breaches(of: [1, 2, 3], concurrency: 3) == [])
        #expect(behind.breaches(of: [1, 2, 3], concurrency: 2) == ["#3 began before #1"])
    }

    @Test("two executions of one task at once are seen by the end of the first, and by the lock")
    func overlaps() {
        let late = told(("start", 1, 7), ("start", 1, 8), ("end", 1, 7), ("end", 1, 8))
        #expect(late.overlaps == ["#1 went on"])
        #expect(told(("start", 1, 7), ("overlap", 1, 8)).overlaps == ["#1 held its lock"])
        let killed = told(("start", 1, 7), ("start", 1, 8), ("end", 1, 8))
        #expect(killed.overlaps == [])
    }

    @Test("a line that a kill cut off is none")
    func cut() {
        #expect(Testimony("start 1 1 7 0\nend 1").lines.count == 1)
    }
}
