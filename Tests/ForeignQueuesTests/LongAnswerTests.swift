import SluiceModel
import Testing

@testable import SluiceForeignQueues

@Suite("answers that a database needs long for")
struct LongAnswerTests {
    /// A clock that advances by a step at each look.
    private final class Clock {
        var now: Int64 = 0
        var step: Int64 = 0

        func read() -> Int64 {
            now += step
            return now
        }
    }

    private static func bench(_ clock: Clock) throws -> RowBench {
        let bench = try RowBench(PlayedRows(name: "laravel", engine: .sqlite))
        try bench.clear()
        bench.system.clock = clock.read
        return bench
    }

    private static func query(_ state: TaskState.Name, isWatched: Bool = true) -> ForeignQuery {
        var query = ForeignQuery(queue: RowBench.queue, state: state, limit: 10)
        query.isWatched = isWatched
        return query
    }

    @Test("D2 a console's slow page is kept for twenty times as long, or until a verb")
    func pages() throws {
        let clock = Clock()
        let bench = try Self.bench(clock)
        var count = 0
        func add() throws {
            count += 1
            try bench.insert(count)
            try bench.set(count, "reserved_at = 1")
        }
        func running(isWatched: Bool = true) throws -> Int {
            try bench.system.page(Self.query(.running, isWatched: isWatched)).tasks.count
        }
        try add()
        #expect(try running() == 1)
        try add()
        #expect(try running() == 2, "a quick answer is not kept")
        clock.step = 30
        #expect(try running() == 2)
        clock.step = 0
        try add()
        #expect(try running() == 2)
        #expect(try running(isWatched: false) == 3, "a command reads anew")
        clock.now += 599
        #expect(try running() == 2)
        clock.now += 1
        #expect(try running() == 3)
        clock.step = 30
        #expect(try running() == 3)
        try add()
        #expect(try running() == 3)
        bench.system.forget()
        #expect(try running() == 4)
        try bench.insert(9)
        #expect(try bench.system.page(Self.query(.waiting)).tasks.count == 1)
        try bench.insert(10)
        #expect(try bench.system.page(Self.query(.waiting)).tasks.count == 1)
        clock.now += 120
        #expect(try bench.system.page(Self.query(.waiting)).tasks.count == 2, "five times as long")
    }

    @Test("D2 slow timers and counts are kept for twenty times as long")
    func timers() throws {
        let clock = Clock()
        let bench = try Self.bench(clock)
        try bench.insert(1)
        try bench.set(1, "available_at = 2114380800")
        clock.step = 30
        #expect(try bench.system.timers(limit: 5).count == 1)
        #expect(try bench.system.queues().map(\.delayed) == [1])
        clock.step = 0
        try bench.insert(2)
        try bench.set(2, "available_at = 2114380800")
        #expect(try bench.system.timers(limit: 5).count == 1)
        #expect(try bench.system.queues().map(\.delayed) == [1])
        #expect(try bench.system.timers(limit: 6).count == 2, "another question is asked")
        clock.now += 660
        #expect(try bench.system.timers(limit: 5).count == 2)
        #expect(try bench.system.queues().map(\.delayed) == [2])
    }
}
