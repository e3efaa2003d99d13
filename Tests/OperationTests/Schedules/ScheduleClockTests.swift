import SluiceControl
import SluiceModel
import SluiceStore
import Testing

extension ScheduleTests {
    @Test(
        "R2 G3 a schedule goes by the clock of the store, and fires no moment twice",
        arguments: Engine.large)
    func clock(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.perform(schedule())
        try bench.clock(.freeze)
        let answer = try bench.clock(.next(queue: nil))
        #expect(answer.clock?.now == at(60_000))
        #expect(answer.consequences == ["that is the schedule tick of q"])
        let made = try bench.enqueueScheduled()
        #expect(made.count == 1)
        #expect(try bench.clockFacts(queue: "q").next?.at == at(120_000))
        #expect(try bench.task(made[0]).createdAt == at(60_000))
        #expect(try bench.events().last?.at == bench.now)
        bench.pass(3_600_000)
        #expect(try bench.enqueueScheduled() == [])
        try bench.clock(.move(-30_000))
        #expect(try bench.enqueueScheduled() == [])
        try bench.clock(.next(queue: "q"))
        #expect(try bench.enqueueScheduled().count == 1)
        #expect(try bench.moments() == [at(60_000), at(120_000)])
    }
}
