import SluiceControl
import SluiceModel
import Testing

@testable import SluiceConsole

@Suite("View 7: what is known by time")
struct PulseTrackTests {
    /// The beginning of a minute.
    private static let start = Timestamp(milliseconds: 1_769_868_000_000)

    private func ends(
        _ minute: Int64, _ count: Int, _ outcome: EndedOutcome = .succeeded, took: Int64 = 100,
        sixth: Int = 0
    ) -> EndedCounts {
        var sixths = [0, 0, 0, 0, 0, 0]
        sixths[sixth] = count
        return EndedCounts(
            .attempts(outcome, DurationBucket(milliseconds: took)),
            minute: Self.start + minute * 60_000, sixths: sixths)
    }

    private func pulse(
        _ ends: [EndedCounts], since minute: Int64, due: Timestamp? = nil
    ) -> QueuePulse {
        QueuePulse(ends: ends, firstDue: due, since: Self.start + minute * 60_000)
    }

    private func known(_ values: [Double?]) -> [Double] { values.compactMap(\.self) }

    @Test("kept counts are ends by ten seconds, by minute and by 15 minutes")
    func spans() {
        var track = PulseTrack()
        let now = Self.start + 30_000
        track.apply(
            pulse(
                [ends(0, 3), ends(0, 2, .failed, took: 900, sixth: 2), ends(-59, 7)],
                since: -60), at: now)
        let minutes = track.series(.hour, at: now)
        #expect(minutes.succeeded.count == 60 && minutes.succeeded.last == 3)
        #expect(minutes.succeeded.first == 7 && minutes.failed.last == 2)
        #expect(minutes.failedShare.last == 0.4 && minutes.failedShare[30] == nil)
        #expect((800...1100).contains(minutes.slow.last.flatMap(\.self) ?? 0))
        #expect((80...125).contains(minutes.median.last.flatMap(\.self) ?? 0))
        #expect(minutes.median[30] == nil, "nothing ended, so nothing took")
        let tens = track.series(.quarter, at: now)
        #expect(tens.succeeded.count == 90 && tens.succeeded[86] == 3 && tens.failed[88] == 2)
        let day = track.series(.day, at: now)
        #expect(known(day.succeeded).reduce(0, +) == 10)
        #expect(day.succeeded.first == .some(nil), "before the console opened the store kept less")
    }

    @Test("waits from due to start have percentiles of their own, and end nothing")
    func waits() {
        var track = PulseTrack()
        let now = Self.start + 30_000
        func wait(_ minute: Int64, _ milliseconds: Int64, _ count: Int) -> EndedCounts {
            EndedCounts(
                .waits(DurationBucket(milliseconds: milliseconds)),
                minute: Self.start + minute * 60_000, sixths: [count, 0, 0, 0, 0, 0])
        }
        var pulse = pulse([ends(0, 3, took: 100)], since: -60)
        pulse.waits = [wait(0, 5, 18), wait(0, 4000, 2), wait(-59, 40, 1)]
        track.apply(pulse, at: now)
        let minutes = track.series(.hour, at: now)
        #expect((4...6).contains(minutes.waitMedian.last.flatMap(\.self) ?? 0))
        #expect((3500...4500).contains(minutes.waitSlow.last.flatMap(\.self) ?? 0))
        #expect(minutes.waitSlow[30] == nil && known(minutes.waitSlow).count == 2)
        #expect((80...125).contains(minutes.slow.last.flatMap(\.self) ?? 0))
        #expect(known(minutes.succeeded).reduce(0, +) == 3)
        #expect((3500...4500).contains(known(track.series(.quarter, at: now).waitSlow).max() ?? 0))
        #expect((3500...4500).contains(known(track.series(.day, at: now).waitSlow).max() ?? 0))
    }

    @Test("a look replaces the minutes that it read, and keeps those before")
    func looks() {
        var track = PulseTrack()
        track.apply(pulse([ends(-50, 4), ends(0, 3)], since: -60), at: Self.start + 30_000)
        track.apply(pulse([ends(0, 5), ends(1, 1)], since: -2), at: Self.start + 70_000)
        #expect(known(track.series(.hour, at: Self.start + 70_000).succeeded).reduce(0, +) == 10)
        // Two hours later an hour is not known.
        let later = Self.start + 7_200_000
        track.apply(pulse([ends(120, 9)], since: 60), at: later)
        let day = track.series(.day, at: later)
        #expect(known(day.succeeded).reduce(0, +) == 9 && known(day.succeeded).count <= 6)
    }

    @Test("a clock that went back leaves no end in the future")
    func back() {
        var track = PulseTrack()
        track.apply(pulse([ends(10, 5)], since: -50), at: Self.start + 600_000)
        track.apply(pulse([ends(0, 2)], since: -60), at: Self.start)
        let series = track.series(.hour, at: Self.start)
        #expect(known(series.succeeded).reduce(0, +) == 2)
        #expect(track.series(.hour, at: Self.start + 600_000).succeeded.last != 5)
    }

    @Test("a million a second, one end, and none")
    func amounts() {
        var track = PulseTrack()
        track.apply(pulse((0..<60).map { ends(-$0, 60_000_000) }, since: -60), at: Self.start)
        let all = PulseChart.all(of: track, .hour, at: Self.start)
        #expect(all[0].top == 60_000_000 && all[0].topWords.count <= 6, "\(all[0].topWords)")
        var one = PulseTrack()
        one.apply(pulse([ends(0, 1, took: 0)], since: -60), at: Self.start)
        let charts = PulseChart.all(of: one, .hour, at: Self.start)
        #expect(charts[0].top == 2 && charts[1].top == 0)
        #expect(charts[2].top == 1, "it took 0 ms")
        var none = PulseTrack()
        none.apply(pulse([], since: -60), at: Self.start)
        #expect(PulseChart.all(of: none, .hour, at: Self.start).allSatisfy { $0.top == 0 })
        #expect(known(PulseTrack().series(.hour, at: Self.start).succeeded).isEmpty)
    }

    @Test("a waiting count holds until the next look, and nothing is known before the first")
    func samples() {
        var track = SampleTrack(keeps: .most)
        track.apply(5, at: Self.start)
        track.apply(9, at: Self.start + 20_000)
        track.apply(2, at: Self.start + 21_000)
        let zero = Self.start.milliseconds
        #expect(track.value(from: zero - 60_000, to: zero - 1) == nil)
        #expect(track.value(from: zero, to: zero + 10_000) == .some(5))
        #expect(track.value(from: zero + 10_000, to: zero + 20_000) == .some(5))
        #expect(track.value(from: zero + 20_000, to: zero + 30_000) == .some(9))
        #expect(track.value(from: zero + 30_000, to: zero + 40_000) == .some(2))
        #expect(track.value(from: zero - 60_000, to: zero + 60_000) == .some(9))
        // The screen was frozen or away: that time is not known.
        track.apply(4, at: Self.start + 600_000)
        #expect(track.value(from: zero, to: zero + 10_000) == nil)
        #expect(track.since == Self.start + 600_000)
        // The clock went back.
        track.apply(3, at: Self.start)
        #expect(track.since == Self.start)
    }

    @Test("the first due task waits longer with the time; without one nothing waits")
    func due() {
        var track = PulseTrack()
        let due = Self.start + -90_000
        track.apply(pulse([], since: -60, due: due), at: Self.start + 5000)
        track.apply(pulse([], since: -3), at: Self.start + 65_000)
        let series = track.series(.hour, at: Self.start + 130_000)
        #expect(series.oldest.suffix(3).map { $0 ?? -1 } == [150_000, 210_000, 0])
        #expect(series.oldest[50] == nil)
    }

    @Test("what waited before the console opened is known from the beginnings of minutes")
    func waitingStarts() {
        var track = PulseTrack()
        let now = Self.start + 30_000
        let minute = EndedCounts.minute(of: Self.start)
        var pulse = pulse([], since: -60)
        pulse.starts = [minute - 40: 0, minute - 38: 30, minute - 20: 12]
        track.apply(waiting: 5, at: now)
        track.apply(pulse, at: now)
        let hour = track.series(.hour, at: now).waiting
        #expect(hour.prefix(19).allSatisfy { $0 == nil } && known(hour).count == 41)
        // It grew to 30, stayed so until it fell, and is 5 since then.
        #expect(hour[19...22].map { $0 } == [30, 30, 30, 12])
        #expect(hour[38...41].map { $0 } == [12, 12, 5, 5] && hour.last == 5)
        #expect(known(track.series(.day, at: now).waiting) == [30, 12, 5, 5])
        let charts = PulseChart.all(of: track, .quarter, at: now)
        #expect(charts.first { $0.title == "waiting" }?.since == nil)
        // Ten seconds of a minute with a change are between its ends.
        pulse.starts = [minute - 3: 0, minute - 2: 60]
        track.apply(pulse, at: now)
        let tens = track.series(.quarter, at: now).waiting.suffix(22).prefix(6)
        #expect(tens.map { $0 } == [5, 15, 25, 35, 45, 55])
    }

    @Test("a curve keeps the peak of each of its parts")
    func curve() {
        #expect(PulseCurve.folded([1, nil, 5, 2], to: 2) == [1, 5])
        #expect(PulseCurve.folded([1, nil], to: 4) == [1, 0])
        #expect(PulseCurve.folded([], to: 4) == [] && PulseCurve.folded([1], to: 0) == [])
    }

    @Test("ends in another system's queue are those that this console saw, and no time is known")
    func seen() {
        var track = PulseTrack()
        func look(_ second: Int64, held: Int, failed: Int) {
            track.apply(
                seen: FlowStock(held: held, ends: .counted(succeeded: 0, failed: failed)),
                firstDue: Self.start, at: Self.start + second * 1000)
        }
        look(5, held: 20, failed: 0)
        look(15, held: 14, failed: 2)
        look(75, held: 9, failed: 2)
        let now = Self.start + 75_000
        let minutes = track.series(.hour, at: now)
        // Six left in the first minute, and two failed.
        #expect(known(minutes.succeeded) == [6, 5] && known(minutes.failed) == [2, 0])
        #expect(known(minutes.median).isEmpty && minutes.median.count == 60)
        let tens = track.series(.quarter, at: now)
        #expect(tens.succeeded.count == 90 && known(tens.succeeded) == [0, 6, 0, 0, 0, 0, 0, 5])
        #expect(known(tens.failed).reduce(0, +) == 2)
        #expect(known(track.series(.day, at: now).failed) == [2])
        #expect(minutes.oldest.last == .some(75_000))
        let charts = PulseChart.all(of: track, .hour, at: now)
        #expect(charts.map(\.title) == ["ended in a minute", "waiting", "first due task waits"])
        #expect(charts[0].since == Self.start + 5000)
        track.apply(
            seen: FlowStock(held: 9, ends: .counted(succeeded: 0, failed: 2)), firstDue: nil,
            knowsAge: false, at: now)
        #expect(PulseChart.all(of: track, .hour, at: now).count == 2, "an unknown age is no 0")
        #expect(PulseChart.all(of: PulseTrack(), .hour, at: now).map(\.title).contains("took"))
    }
}
