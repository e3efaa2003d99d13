import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceStore

@Suite("the order of claims")
struct TurnOrderTests {
    /// The rule in its shortest form (Q5): sorts all queues for each claim.
    private struct Reference {
        var queues: [QueueRecord]
        var isFree: (String) -> Bool

        func order(_ turn: RoundRobin, limit: Int) -> [String] {
            func isBefore(_ left: QueueRecord, _ right: QueueRecord) -> Bool {
                let (one, two) = (left.settings.priority, right.settings.priority)
                if one != two { return one > two }
                let turns = (turn.number(of: left.name), turn.number(of: right.name))
                return turns.0 != turns.1 ? turns.0 < turns.1 : left.name < right.name
            }
            let sorted = queues.sorted(by: isBefore)
            let narrow = sorted.filter { $0.settings.concurrency == 1 }
            let ahead = Set(narrow.map(\.name).filter(isFree).prefix(limit))
            let priorities = Set(queues.map(\.settings.priority)).sorted(by: >)
            return priorities.flatMap { priority in
                let equal = sorted.filter { $0.settings.priority == priority }.map(\.name)
                return equal.filter(ahead.contains) + equal.filter { !ahead.contains($0) }
            }
        }
    }

    private static func runner() -> ProcessRecord {
        ProcessRecord(
            id: 1, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l", attachedAt: at(0))
    }

    @Test("Q5 a kept order gives the queues as a sort of all of them does", arguments: 0..<60)
    func kept(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let queues = (0..<1 + random.below(40)).map { number in
            var queue = QueueRecord(name: "q\(number)", createdAt: at(0))
            queue.settings.priority = random.below(3)
            queue.settings.concurrency = seed % 3 == 0 ? 1 : 1 + random.below(2)
            return queue
        }
        var working = Set(queues.map(\.name).filter { _ in !random.once(in: 3) })
        var turn = RoundRobin()
        let kept = TurnOrder(
            of: queues.filter { working.contains($0.name) }.map(SharedQueue.init),
            for: Self.runner(), after: turn, isKept: true)
        for _ in 0..<60 {
            let busy = Set(queues.map(\.name).filter { _ in random.once(in: 4) })
            let limit = random.below(5)
            let rule = Reference(
                queues: queues.filter { working.contains($0.name) },
                isFree: { !busy.contains($0) })
            #expect(kept.holds(for: Self.runner(), after: turn))
            try kept.begin(turn, ahead: limit) { working.contains($0) && !busy.contains($0) }
            // A narrow queue with a running task gives none, so its place does not count.
            let gives = { (name: String) in
                !(busy.contains(name) && rule.queues.contains { $0.isNarrow(name) })
            }
            let wanted = rule.order(turn, limit: limit).filter(gives)
            let most = 1 + random.below(60)
            var found: [String] = []
            while found.count < most {
                let next = try kept.next(random.below(3) + 1) { working.contains($0) }
                guard !next.isEmpty else { break }
                found += next
            }
            kept.end()
            let isWhole = found.count < most
            found.removeAll { !gives($0) }
            #expect(found == Array(wanted.prefix(found.count)))
            if isWhole { #expect(found.count == wanted.count) }
            turn.record(found.filter { _ in !random.once(in: 3) })
            for name in found where random.once(in: 2) { working.remove(name) }
            for queue in queues where random.once(in: 10) {
                working.insert(queue.name)
                kept.add(queue)
            }
        }
    }

    @Test("Q5 an order holds for the turns that continue its own, and for the same queues")
    func holds() throws {
        let queue = SharedQueue(QueueRecord(name: "a", createdAt: at(0)))
        let turn = RoundRobin(["a", "b"])
        let order = TurnOrder(of: [queue], for: Self.runner(), after: turn, isKept: true)
        var later = turn
        later.record(["a"])
        #expect(order.holds(for: Self.runner(), after: later))
        #expect(!order.holds(for: Self.runner(), after: RoundRobin()))
        #expect(!order.holds(for: Self.runner(), after: RoundRobin(["b", "a"])))
        var other = Self.runner()
        other.queues = ["a"]
        #expect(!order.holds(for: other, after: later))
    }

    /// Looks at queues, which cost reads, for each queue that is worked off.
    @Test("Q5 A1 a claim among many queues looks only at the next ones", arguments: [1, 4, 10])
    func looks(times: Int) throws {
        let count = 500 * times
        let queues = (0..<count).map { QueueRecord(name: "q\($0)", createdAt: at(0)) }
        var waiting = Set(queues.map(\.name))
        var turn = RoundRobin()
        let order = TurnOrder(
            of: queues.map(SharedQueue.init), for: Self.runner(), after: turn, isKept: true)
        var looks = 0
        while !waiting.isEmpty {
            try order.begin(turn, ahead: 4) { _ in
                looks += 1
                return true
            }
            let next = try order.next(8) { name in
                looks += 1
                return waiting.contains(name)
            }
            order.end()
            waiting.subtract(next)
            turn.record(next)
        }
        #expect(looks <= 3 * count)
    }

    @Test("Q5 claims from a file are those from memory, while queues, tasks and settings change")
    func engines() throws {
        for seed in 0..<12 {
            let benches = [try Bench(.memory), try Bench(.sqlite)]
            try benches.forEach { try prepare($0) }
            let runners = try benches.map { try $0.attach() }
            #expect(runners[0] == runners[1])
            var random = SeededRandom(seed: seed)
            var turn = RoundRobin()
            var running: [[Claimed]] = [[], []]
            for _ in 0..<40 {
                try change(benches, &random)
                var request = ClaimRequest(
                    runner: runners[0], freeSlots: 1 + random.below(6), inFlight: running[0].count)
                request.turn = turn
                let claimed = try benches.map { try $0.claim(request) }
                #expect(claimed[0].map(\.task.id) == claimed[1].map(\.task.id))
                turn.record(claimed[0].map(\.task.queue))
                for index in benches.indices { running[index] += claimed[index] }
                let ends = random.below(running[0].count + 1)
                let outcome = random.once(in: 4) ? HandlerOutcome.fail : .done
                for (index, bench) in benches.enumerated() {
                    for task in running[index].prefix(ends) { try bench.settle(task, outcome) }
                    running[index].removeFirst(ends)
                }
            }
        }
    }

    private func prepare(_ bench: Bench) throws {
        for number in 0..<12 {
            try bench.makeQueue("q\(number)") {
                $0.priority = number % 3
                $0.concurrency = 1 + number % 2 * 3
            }
            try bench.enqueue(2, to: "q\(number)")
        }
    }

    private func change(_ benches: [Bench], _ random: inout SeededRandom) throws {
        let (name, other) = ("q\(random.below(12))", "q\(random.below(14))")
        let (kind, value, count) = (random.below(8), random.below(4), 1 + random.below(3))
        for bench in benches {
            switch kind {
            case 0: try bench.perform(.setQueue(name, [.priority(value)]))
            case 1: try bench.perform(.setQueue(name, [.concurrency(1 + value)]))
            case 2: bench.pass(1000)
            default: try bench.enqueue(count, to: other)
            }
        }
    }
}

extension QueueRecord {
    fileprivate func isNarrow(_ name: String) -> Bool {
        self.name == name && settings.concurrency == 1
    }
}
