import Testing

@testable import SluiceForeignQueues

@Suite("the messages that slip through a hold of RabbitMQ")
struct RabbitSlipsTests {
    /// A keeper and the broker's counts of its queue.
    private struct Bench {
        var slips = RabbitSlips()
        /// Deliveries to consumers, and to the keeper.
        var consumers: Int64 = 515
        var keeper: Int64 = 0
        var orders: Int64 = 0

        mutating func order(isMark: Bool) {
            orders += 1
            slips.hear(isMark: isMark)
        }

        var counts: RabbitSlips.Collected {
            RabbitSlips.Collected(
                ofQueue: consumers + keeper, toKeeper: keeper, orders: orders)
        }

        /// Collects, and sends the mark that is due.
        mutating func collect() {
            if slips.take(counts) { order(isMark: true) }
        }

        mutating func begin() {
            order(isMark: true)
            collect()
            collect()
        }

        mutating func step(slipping count: Int64) {
            order(isMark: false)
            consumers += 1 + count
            keeper += 20
            slips.step(isTaken: true)
            order(isMark: true)
        }
    }

    @Test("arrivals, and deliveries before the hold, are no slips; those of a step are")
    func counts() {
        var bench = Bench()
        #expect(bench.slips.slipped == nil && bench.slips.isOpen)
        bench.begin()
        #expect(bench.slips.slipped == 0 && !bench.slips.isOpen)
        bench.step(slipping: 2)
        #expect(bench.slips.isOpen)
        bench.collect()
        #expect(bench.slips.slipped == 2 && bench.slips.isOpen)
        bench.collect()
        #expect(!bench.slips.isOpen)
        bench.step(slipping: 0)
        bench.step(slipping: 1)
        bench.collect()
        #expect(bench.slips.slipped == 3)
    }

    @Test("counts from before the last mark do not count")
    func early() {
        var bench = Bench()
        let before = bench.counts
        bench.order(isMark: true)
        let isDue = bench.slips.take(before)
        #expect(!isDue)
        bench.collect()
        bench.collect()
        let old = bench.counts
        bench.step(slipping: 4)
        let isDueAgain = bench.slips.take(old)
        #expect(!isDueAgain && bench.slips.slipped == 0)
        bench.collect()
        #expect(bench.slips.slipped == 4)
    }

    @Test("a step that the counts lack when counting begins is no slip")
    func soon() {
        var bench = Bench()
        bench.order(isMark: true)
        bench.collect()
        let late = bench.consumers
        bench.step(slipping: 0)
        let known = bench.consumers
        // The consumer's node collects later.
        bench.consumers = late
        bench.collect()
        #expect(bench.slips.slipped == 0)
        bench.consumers = known
        bench.step(slipping: 3)
        bench.collect()
        #expect(bench.slips.slipped == 3)
    }

    @Test("deliveries of the side queue, and to another connection of the keeper, are no slips")
    func own() {
        var bench = Bench()
        bench.begin()
        // The task of the side queue came to the keeper's channel.
        bench.slips.takeAside()
        bench.consumers -= 1
        bench.keeper += 1
        bench.consumers += 30
        bench.slips.takeApart(30)
        bench.step(slipping: 1)
        bench.collect()
        #expect(bench.slips.slipped == 1)
    }

    @Test("a broker that counts anew takes nothing away from the number, nor does a new process")
    func anew() {
        var bench = Bench()
        bench.begin()
        bench.step(slipping: 5)
        bench.collect()
        (bench.consumers, bench.keeper) = (0, 0)
        bench.collect()
        #expect(bench.slips.slipped == 5 && bench.slips.isOpen)
        bench.collect()
        bench.collect()
        bench.step(slipping: 1)
        bench.collect()
        #expect(bench.slips.slipped == 6)
        bench.slips = RabbitSlips(after: bench.slips.slipped)
        bench.orders = 0
        #expect(bench.slips.slipped == 6)
        bench.begin()
        bench.step(slipping: 2)
        bench.collect()
        #expect(bench.slips.slipped == 8)
    }
}
