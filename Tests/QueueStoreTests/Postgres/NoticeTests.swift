import Testing

@testable import SluiceSQL

@Suite("When whoever watches is told")
struct NoticeTests {
    /// The notified moments, given the times of `own` and `other` notices.
    private func told(own: Set<Int64>, other: Set<Int64>, until end: Int64) -> [Int64] {
        var throttle = NoticeThrottle()
        var told: [Int64] = []
        for instant in 0...end {
            if own.contains(instant) { throttle.handle(isOwn: true) }
            if other.contains(instant) { throttle.handle(isOwn: false) }
            if throttle.tells(at: instant) { told.append(instant) }
        }
        return told
    }

    @Test("P7 a commit of another is told at once, also among one's own; a stream of them in turns")
    func others() {
        #expect(told(own: [], other: [3, 9, 20], until: 60) == [3, 9, 20])
        #expect(told(own: [4, 6, 10], other: [3, 9], until: 60) == [3, 9, 29])
        #expect(told(own: [], other: Set(0...12), until: 60) == [0, 5, 10, 15])
    }

    @Test("P7 where others commit all the time that is told half as often, until they do not")
    func stream() {
        let busy = told(own: [], other: Set(0...400), until: 400)
        #expect(busy.prefix(4) == [0, 5, 10, 15])
        #expect(zip(busy, busy.dropFirst()).suffix(20).allSatisfy { $1 - $0 == 10 })
        let calm = told(own: [], other: Set(stride(from: 0, through: 400, by: 6)), until: 410)
        #expect(calm == Array(stride(from: 0, through: 400, by: 6)))
    }

    @Test("P7 one's own commits are told once in 20 ms, and a lone one at once")
    func own() {
        #expect(told(own: [5], other: [], until: 60) == [5])
        #expect(told(own: Set(0...50), other: [], until: 100) == [0, 20, 40, 60])
    }
}
