import SluiceControl
import SluiceModel
import Testing

@testable import SluiceConsole

@Suite("Flow by time")
struct FlowTrackTests {
    private static let now = Timestamp(milliseconds: 1_769_868_202_000)

    /// Attempts that ended in the ten seconds of a moment.
    private func tally(_ succeeded: Int, failed: Int = 0, at moment: Timestamp) -> EndTally {
        let minute = Timestamp(milliseconds: EndedCounts.minute(of: moment) * 60_000)
        func counts(_ outcome: EndedOutcome, _ count: Int) -> EndedCounts {
            var sixths = Array(repeating: 0, count: 6)
            sixths[EndedCounts.sixth(of: moment)] = count
            let what = EndedCounts.Class.attempts(outcome, DurationBucket(milliseconds: 5))
            return EndedCounts(what, minute: minute, sixths: sixths)
        }
        return EndTally(
            [counts(.succeeded, succeeded), counts(.failed, failed)], since: moment + -3_600_000)
    }

    private func stock(_ held: Int, _ succeeded: Int, at moment: Timestamp) -> FlowStock {
        FlowStock(held: held, ends: .kept(tally(succeeded, at: moment)))
    }

    @Test("a million a second")
    func million() {
        var track = FlowTrack(keepsDay: true)
        for second in 0..<60 {
            let at = Self.now + Int64(second) * 1000
            let ten = (Self.now.milliseconds / 1000 + Int64(second)) % 10
            track.apply(stock(5, Int(ten + 1) * 1_000_000, at: at), at: at)
        }
        let rates = track.perMinute(at: Self.now + 59_000)
        #expect(rates.came ?? 0 > 50_000_000)
        let series = track.series(.twoMinutes, at: Self.now + 60_000)
        #expect(series.succeeded.compactMap(\.self).max() ?? 0 >= 1_000_000)
        #expect(FlowLane.rate(60_000_000) == "1.0M/s" && FlowLane.rate(59) == "59/min")
        #expect(FlowLane.rate(90) == "1.5/s" && FlowLane.rate(600) == "10/s")
    }

    @Test("few ends in two minutes are drawn by ten seconds, in whole numbers")
    func few() {
        var track = FlowTrack(keepsDay: true)
        // The moment is in the third second of its ten.
        for (after, held, ended) in [(0, 5, 7), (2000, 8, 7), (4000, 8, 7)] as [(Int64, Int, Int)] {
            track.apply(
                FlowStock(held: held, ends: .kept(tally(ended, failed: 2, at: Self.now))),
                at: Self.now + after)
        }
        let (series, words) = track.chart(.twoMinutes, at: Self.now + 4000)
        #expect(words == "2 minutes by 10 s")
        #expect(series.succeeded.compactMap(\.self) == Array(repeating: 0, count: 11) + [7])
        #expect(series.failed.last == 2 && series.most == 7)
        #expect(series.came.compactMap(\.self) == [3], "not known before the console looked")
        track.apply(stock(8, 90, at: Self.now + 5000), at: Self.now + 5000)
        #expect(track.chart(.twoMinutes, at: Self.now + 6000).words == "2 minutes by second")
        #expect(track.chart(.hour, at: Self.now + 6000).words == "hour by minute")
    }

    @Test("few ends of another system are drawn by ten seconds since the console looked")
    func fewForeign() {
        var track = FlowTrack(keepsDay: true)
        for (after, held) in [(0, 9), (2000, 7), (9000, 6)] as [(Int64, Int)] {
            track.apply(
                FlowStock(held: held, ends: .counted(succeeded: 0, failed: 0)),
                at: Self.now + after)
        }
        let (series, words) = track.chart(.twoMinutes, at: Self.now + 9000)
        #expect(words == "2 minutes by 10 s")
        #expect(series.succeeded.compactMap(\.self) == [2], "one in the ten in progress is no fall")
        let later = track.chart(.twoMinutes, at: Self.now + 18_000).series
        #expect(later.succeeded.compactMap(\.self) == [2, 1])
        #expect(series.came.count == 12 && series.came.first == .some(nil))
    }

    @Test("a scale has whole numbers, and little room above its greatest value")
    func scales() {
        for (most, top) in [
            (0.1, 2.0), (1, 2), (3, 3), (7, 8), (9, 10), (11, 12), (23, 25), (401, 500),
        ] {
            #expect(Painter.roundedUp(most) == top)
        }
    }

    @Test("a rate is not cut in a narrow column")
    func narrowRates() {
        for (perMinute, width, isAbout, text) in [
            (32, 6, true, "~32/m"), (32, 7, true, "~32/min"), (32, 5, false, "32/m"),
            (90, 4, true, "~1/s"), (18_600, 6, true, "~310/s"), (1_200_000, 6, true, "~20k/s"),
        ] {
            #expect(FlowLane.rate(perMinute, width: width, isAbout: isAbout) == text)
        }
    }

    @Test("a clock that went back begins anew, and counts nothing twice")
    func backwards() {
        var track = FlowTrack(keepsDay: true)
        track.apply(stock(10, 0, at: Self.now), at: Self.now)
        track.apply(stock(14, 0, at: Self.now + 5000), at: Self.now + 5000)
        let early = Self.now + -600_000
        track.apply(stock(14, 0, at: early), at: early)
        #expect(track.since == early && track.perMinute(at: early).came == nil)
        track.apply(stock(15, 0, at: early + 2000), at: early + 2000)
        let series = track.series(.twoMinutes, at: early + 3000)
        #expect(series.came.compactMap(\.self).reduce(0, +) == 1)
    }

    @Test("moments before 1970 have their own seconds")
    func beforeTime() {
        #expect(FlowTrack.index(Timestamp(milliseconds: -1), 1000) == -1)
        #expect(FlowTrack.index(Timestamp(milliseconds: -1000), 1000) == -1)
        var track = FlowTrack(keepsDay: true)
        track.apply(
            FlowStock(held: 1, ends: .counted(succeeded: 0, failed: 0)),
            at: Timestamp(milliseconds: -5))
        let series = track.series(.day, at: Timestamp(milliseconds: -5))
        #expect(series.came.count == 96 && series.most == 0)
    }

    @Test("another system's counts: what left without an end that is kept has ended")
    func foreign() {
        var track = FlowTrack(keepsDay: true)
        func apply(_ held: Int, _ succeeded: Int, _ failed: Int, after milliseconds: Int64) {
            track.apply(
                FlowStock(held: held, ends: .counted(succeeded: succeeded, failed: failed)),
                at: Self.now + milliseconds)
        }
        apply(10, 0, 0, after: 0)
        apply(13, 0, 0, after: 1000)
        apply(9, 0, 1, after: 2000)
        apply(9, 2, 1, after: 3000)
        let series = track.series(.twoMinutes, at: Self.now + 4000)
        #expect(series.came.suffix(4).compactMap(\.self) == [3, 0, 2])
        #expect(series.succeeded.suffix(4).compactMap(\.self) == [0, 4, 2])
        #expect(series.failed.suffix(4).compactMap(\.self) == [0, 1, 0])
        #expect(series.came.first == .some(nil), "not known before the console looked")
    }

    @Test("the trash is no end, and what is purged from it is no arrival")
    func purge() {
        var track = FlowTrack(keepsDay: false)
        track.apply(stock(100, 0, at: Self.now), at: Self.now)
        track.apply(stock(60, 0, at: Self.now + 2000), at: Self.now + 2000)
        #expect(track.perMinute(at: Self.now + 2000).came == 0)
    }

    @Test("changes after a wait of three seconds are spread over them, later ones are not")
    func spreading() {
        var track = FlowTrack(keepsDay: true)
        track.apply(stock(0, 0, at: Self.now), at: Self.now)
        track.apply(stock(7, 0, at: Self.now + 3000), at: Self.now + 3000)
        track.apply(stock(17, 0, at: Self.now + 30_000), at: Self.now + 30_000)
        let series = track.series(.twoMinutes, at: Self.now + 31_000)
        #expect(series.came.compactMap(\.self).filter { $0 > 0 } == [2, 2, 3, 10])
    }

    @Test("the parts of a tally hold what ended in them, at their edges")
    func parts() {
        let now = Timestamp(milliseconds: 1_000_000_020_000 + 34_000)
        let minute = Timestamp(milliseconds: EndedCounts.minute(of: now) * 60_000)
        let what = EndedCounts.Class.attempts(.succeeded, DurationBucket(milliseconds: 5))
        let tally = EndTally(
            [
                EndedCounts(what, minute: minute, sixths: [1, 2, 3, 4, 0, 0]),
                EndedCounts(what, minute: minute + -60_000, sixths: [0, 0, 0, 0, 0, 7]),
                EndedCounts(what, minute: minute + -7_200_000, sixths: [9, 9, 9, 9, 9, 9]),
            ], since: now + -3_600_000)
        let tens = tally.parts(of: 1, count: 12, until: now).map(\.succeeded)
        #expect(tens.reduce(0, +) == 17 && tens.count == 12)
        let sixth = EndedCounts.sixth(of: now)
        #expect(tens.last == [1, 2, 3, 4, 0, 0][sixth])
        let minutes = tally.parts(of: 6, count: 60, until: now).map(\.succeeded)
        #expect(minutes.suffix(2) == [7, 10] && minutes.reduce(0, +) == 17)
    }

    @Test("the cells of a bar have each part and no more than its length")
    func cells() {
        #expect(FlowLane.cells([1, 1_000_000, 1], length: 10) == [1, 8, 1])
        #expect(FlowLane.cells([0], length: 10) == [0])
        #expect(FlowLane.cells([5, 5], length: 1).reduce(0, +) == 1)
        #expect(FlowLane.cells([3, 1], length: 8) == [6, 2])
    }
}
