import Testing

@testable import SluiceRunner

/// The schedule of a runner's other duties, without a clock.
@Suite("what is due for a worker")
struct RunnerAgendaTests {
    @Test("A2 the dead are looked for when nothing else is to be done, or after 250 ms")
    func missedSleep() {
        var agenda = RunnerAgenda()
        let isIdle = agenda.consumeReap(at: 1000, isIdle: true)
        #expect(!isIdle, "nobody wants it")
        agenda.woke(isNoticed: true, at: 1000)
        #expect(agenda.polls.isWanted)
        let isBusy = agenda.consumeReap(at: 1249, isIdle: false)
        let isLate = agenda.consumeReap(at: 1250, isIdle: false)
        #expect(!isBusy && isLate)
        let isAgain = agenda.consumeReap(at: 1251, isIdle: true)
        #expect(!isAgain)
    }

    @Test("A2 at a server the dead are looked for twice a second at most")
    func reapAtServer() {
        var agenda = RunnerAgenda(isShared: true)
        agenda.wantReap(at: 1000)
        let isFirstDue = agenda.consumeReap(at: 1000, isIdle: true)
        agenda.reaps(at: 1000)
        agenda.wantReap(at: 1001)
        let isSoon = agenda.consumeReap(at: 1001, isIdle: true)
        #expect(isFirstDue && !isSoon && agenda.reapAt == 1500)
    }

    @Test("R2 a schedule wakes the first of alike workers at its moment, another a little later")
    func schedules() {
        var agenda = RunnerAgenda()
        agenda.expectSchedule(in: 3000, isFirst: true, at: 1000)
        #expect(agenda.sleepMilliseconds(at: 1000, hasMore: false, machine: nil) == 3000)
        let isEarly = agenda.consumeSchedule(at: 3999)
        let isDue = agenda.consumeSchedule(at: 4000)
        let isAgain = agenda.consumeSchedule(at: 4000)
        #expect(!isEarly && isDue && !isAgain)
        agenda.expectSchedule(in: -5, isFirst: false, at: 5000)
        #expect(agenda.scheduleAt == 5500)
        agenda.expectSchedule(in: nil, isFirst: true, at: 5000)
        #expect(agenda.scheduleAt == nil)
        agenda.expectSchedule(in: .max, isFirst: true, at: 5000)
        #expect(agenda.sleepMilliseconds(at: 5000, hasMore: false, machine: nil) == 1 << 50)
    }

    @Test("R2 what cannot be done here rests for a minute, so that nothing turns without end")
    func rest() {
        var agenda = RunnerAgenda()
        agenda.letSchedulesRest(at: 1000)
        agenda.expectSchedule(in: 0, isFirst: true, at: 1000)
        #expect(agenda.scheduleAt == 61_000)
        agenda.expectSchedule(in: 90_000, isFirst: true, at: 1000)
        #expect(agenda.scheduleAt == 91_000)
        agenda.giveUp()
        #expect(agenda.scheduleAt == nil)
    }

    @Test("A2 the dead are looked for at most ten times a second")
    func pace() {
        var agenda = RunnerAgenda()
        agenda.reaps(at: 1000)
        agenda.wantReap(at: 1010)
        let isSoon = agenda.consumeReap(at: 1010, isIdle: true)
        #expect(!isSoon && agenda.reapAt == 1100)
        #expect(agenda.sleepMilliseconds(at: 1010, hasMore: false, machine: nil) == 90)
        agenda.woke(isNoticed: false, at: 1099)
        #expect(agenda.reapWantedAt == nil)
        agenda.woke(isNoticed: false, at: 1100)
        let isDue = agenda.consumeReap(at: 1100, isIdle: true)
        #expect(isDue)
        agenda.reaps(at: 1100)
        agenda.expectDeath(at: 6200)
        agenda.polls.look(at: 1100)
        #expect(agenda.sleepMilliseconds(at: 1200, hasMore: false, machine: 9000) == 5000)
    }

    @Test("P1 what failed is done again, each time later, until something is written")
    func backoff() {
        var agenda = RunnerAgenda()
        var waits: [Int64] = []
        for _ in 0..<9 {
            agenda.failed()
            waits.append(agenda.backoff)
        }
        #expect(waits == [100, 200, 400, 800, 1600, 3200, 6400, 6400, 6400])
        agenda.retryLater(at: 1000)
        agenda.retry(at: 3000)
        #expect(agenda.retryAt == 3000, "as early as anybody wants it")
        let isEarly = agenda.consumeRetry(at: 2999)
        agenda.hurry(at: 2999)
        let isHurried = agenda.consumeRetry(at: 2999)
        #expect(!isEarly && isHurried && agenda.retryAt == nil)
        agenda.hurry(at: 5000)
        #expect(agenda.retryAt == nil, "nothing failed")
        agenda.worked()
        #expect(agenda.backoff == 50)
    }

    @Test("Q9 housekeeping comes each ten minutes, and goes on soon where a slice was not all")
    func housekeeping() {
        var agenda = RunnerAgenda()
        #expect(agenda.sleepMilliseconds(at: 0, hasMore: false, machine: nil) == nil)
        let isUnwanted = agenda.consumeHousekeeping(at: 0, pause: 600_000)
        agenda.keepHouse(at: 1000)
        let isDue = agenda.consumeHousekeeping(at: 1000, pause: 600_000)
        #expect(!isUnwanted && isDue && agenda.housekeepingAt == 601_000)
        agenda.keepHouse(at: 1050)
        #expect(agenda.sleepMilliseconds(at: 1000, hasMore: false, machine: nil) == 50)
    }

    @Test("A1 nothing sleeps while there is more to do, and nothing is due at a store that is gone")
    func sleep() {
        var agenda = RunnerAgenda()
        agenda.polls.look(at: 1000)
        agenda.polls.isWanted = true
        #expect(agenda.sleepMilliseconds(at: 1000, hasMore: true, machine: 500) == 0)
        #expect(agenda.sleepMilliseconds(at: 1000, hasMore: false, machine: 500) == 2)
        let full = agenda.sleepMilliseconds(
            at: 1000, hasMore: false, isFull: true, machine: 500)
        #expect(full == 50, "a full worker can begin nothing")
        #expect(!agenda.isPollDue(at: 1049, isBusy: true))
        #expect(agenda.isPollDue(at: 1050, isBusy: true))
        agenda.polls.isWanted = false
        agenda.retry(at: 1001)
        agenda.keepHouse(at: 1001)
        agenda.expectDeath(at: 1001)
        agenda.giveUp()
        #expect(agenda.sleepMilliseconds(at: 1000, hasMore: false, machine: nil) == nil)
    }
}
