import Testing

@testable import SluiceCommand

@Suite("the pace of the screen at a busy store")
struct NoticePaceTests {
    private static let millisecond: UInt64 = 1_000_000

    @Test("its work takes a sixteenth of the time, between 30 and 250 ms apart")
    func pace() {
        var pace = NoticePace()
        let begin = 5000 * Self.millisecond
        #expect(pace.next(worked: 100 * Self.millisecond) <= begin, "the first one is not held")
        pace.begin(at: begin, worked: 100 * Self.millisecond)
        func waits(_ worked: UInt64) -> UInt64 {
            (pace.next(worked: (100 + worked) * Self.millisecond) - begin) / Self.millisecond
        }
        #expect([0, 1, 3, 15, 16, 9000].map(waits) == [30, 30, 48, 240, 250, 250])
        #expect(pace.next(worked: 0) == begin + 30 * Self.millisecond)
    }
}
