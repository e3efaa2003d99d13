import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("The clock of a store on another machine")
struct ClockTests {
    @Test("G3 it goes on by the monotonic clock from what it showed, halfway through the answer")
    func goesOn() {
        let instant = Protected<Int64>(1000)
        let clock = StoreClock { instant.withLock { $0 } }
        #expect(clock.now == nil && clock.moment == 1000)
        clock.record(shown: 50_000, between: 900, and: 1000)
        #expect(clock.now == Timestamp(milliseconds: 50_050))
        instant.withLock { $0 = 61_000 }
        #expect(clock.now == Timestamp(milliseconds: 110_050))
    }

    @Test("G3 of two answers the surer one counts, unless the clock was set anew")
    func surer() {
        let instant = Protected<Int64>(0)
        let clock = StoreClock { instant.withLock { $0 } }
        func shows() -> Int64? { clock.now?.milliseconds }
        clock.record(shown: 5000, between: 0, and: 0)
        // An answer that took four seconds knows less.
        clock.record(shown: 6000, between: 0, and: 4000)
        #expect(shows() == 5000)
        // After an hour the first reading may be wrong by a third of a second, a new one by less.
        instant.withLock { $0 = 3_600_000 }
        clock.record(shown: 3_605_100, between: 3_600_000 - 200, and: 3_600_000)
        #expect(shows() == 3_605_200)
        // Drift cannot explain ten minutes, so the server's clock was set.
        clock.record(shown: 4_205_000, between: 3_596_000, and: 3_600_000)
        #expect(shows() == 4_207_000)
    }
}
