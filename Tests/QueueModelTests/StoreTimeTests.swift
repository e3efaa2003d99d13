import SluiceModel
import Testing

/// The time of a store as a value.
@Suite("The time of a store")
struct StoreTimeTests {
    private func at(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: 1_800_000_000_000 + milliseconds)
    }

    @Test("G3 each clock shows its time at a real moment, and goes at its rate")
    func shows() {
        let clocks: [(StoreTime, [Int64], Double, Int64)] = [
            (.real, [0, 1000], 1, 0), (.offset(-300_000), [-300_000, -299_000], 1, -300_000),
            (.frozen(at: at(7)), [7, 7], 0, 7),
            (.rate(10, from: at(5), since: at(-1)), [15, 10_015], 10, 15),
            (.rate(0.5, from: at(0), since: at(0)), [0, 500], 0.5, 0),
        ]
        for (clock, shown, rate, offset) in clocks {
            #expect([clock.time(at: at(0)), clock.time(at: at(1000))] == shown.map(at))
            #expect(clock.rate == rate && clock.offset(at: at(0)) == offset)
        }
    }

    @Test("G3 the real moment of a time is the first at which the clock shows it")
    func moments() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<2000 {
            let from = at(Int64.random(in: -1_000_000_000...1_000_000_000, using: &random))
            let since = at(Int64.random(in: -1_000_000...1_000_000, using: &random))
            let rate = Double(Int.random(in: 1...100_000, using: &random)) / 100
            let clocks: [StoreTime] = [
                .real, .offset(from - since), .rate(rate, from: from, since: since),
            ]
            for clock in clocks {
                let time = clock.time(at: at(0)) + Int64.random(in: 1...90_000, using: &random)
                guard let moment = clock.moment(of: time) else {
                    Issue.record("\(clock) never shows \(time)")
                    continue
                }
                #expect(clock.time(at: moment) >= time, "\(clock)")
                #expect(clock.time(at: moment + -1) < time, "\(clock)")
            }
        }
        #expect(StoreTime.frozen(at: at(7)).moment(of: at(8)) == nil)
        #expect(StoreTime.frozen(at: at(7)).moment(of: at(7)) != nil)
    }

    @Test(
        "G3 it is set, stopped and let go from what it shows; where it is the real one it says so")
    func changes() {
        #expect(StoreTime.real.set(to: at(5), at: at(0)) == .offset(5))
        #expect(StoreTime.offset(5).set(to: at(0), at: at(0)) == .real)
        #expect(StoreTime.offset(5).frozen(at: at(1)) == .frozen(at: at(6)))
        #expect(StoreTime.frozen(at: at(6)).set(to: at(9), at: at(100)) == .frozen(at: at(9)))
        let fast = StoreTime.frozen(at: at(6)).going(10, at: at(100))
        #expect(fast == .rate(10, from: at(6), since: at(100)))
        #expect(fast.set(to: at(0), at: at(200)) == .rate(10, from: at(0), since: at(200)))
        #expect(fast.going(1, at: at(101)) == .offset(-85))
    }

    @Test("G3 no clock goes past the year 9999, and none fails at the ends of time")
    func ends() {
        let far: [StoreTime] = [
            .offset(.max), .rate(1000, from: at(0), since: Timestamp(milliseconds: .min)),
        ]
        for clock in far {
            #expect(clock.time(at: at(0)) == StoreTime.last)
            #expect(clock.moment(of: StoreTime.last + 1) == nil)
        }
        let slow = StoreTime.rate(0.01, from: at(0), since: at(0))
        #expect(slow.moment(of: StoreTime.last) != nil)
        #expect(TimeText.rfc3339(StoreTime.last) == "9999-12-31T23:59:59.999Z")
    }
}
