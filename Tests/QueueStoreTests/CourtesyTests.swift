import QueueStore
import Testing

@Suite("How a writer lets others at the store")
struct CourtesyTests {
    private static let millisecond: UInt64 = 1_000_000

    /// The rests of a writer whose commits take so long, each right behind the one before.
    private func rests(commitMilliseconds: UInt64, gapMilliseconds: UInt64 = 0) -> [Int] {
        var courtesy = WriterCourtesy()
        var moment: UInt64 = 1_000_000_000_000
        return (0..<10).map { _ in
            let rest = courtesy.rest(before: moment)
            moment += UInt64(rest) * Self.millisecond
            let end = moment + commitMilliseconds * Self.millisecond
            courtesy.held(from: moment, to: end)
            moment = end + gapMilliseconds * Self.millisecond
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
}
