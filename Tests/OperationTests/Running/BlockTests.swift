import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// The head task of a strict queue, and whether it holds the queue.
enum Head: CaseIterable, Sendable {
    case due, retrying, retryPassed, parked, parkedAndDelayed, skipped, skipPassed, delayed
    case delayPassed, held, expired, failed, deleted, unhandled

    var holds: Bool {
        switch self {
        case .due, .retrying, .retryPassed, .parked, .parkedAndDelayed, .skipPassed,
            .delayPassed, .unhandled:
            true
        case .skipped, .delayed, .held, .expired, .failed, .deleted: false
        }
    }

    var runs: Bool {
        switch self {
        case .due, .retryPassed, .skipPassed, .delayPassed: true
        default: false
        }
    }
}

@Suite("strict order")
struct BlockTests {
    @Test("B7 what holds a strict queue, and what does not", arguments: Case.all(Head.allCases))
    func heads(_ test: Case<Head>) throws {
        let bench = try Bench(test.engine)
        try bench.makeQueue {
            $0.afterFailure = .block
            $0.attemptLimit = nil
        }
        let runner = try bench.attach(types: ["t"])
        let ids = try bench.enqueue([request(), member("g"), request()])
        let (head, second) = (ids[1], ids[2])
        if test.value == .unhandled {
            try bench.perform(.edit([TaskTarget(head)], payload: nil, fields: [.type("other")]))
        }
        try bench.perform(.skip([TaskTarget(ids[0])], forMilliseconds: nil))
        try prepare(test.value, head, bench, runner, start: ids[0])
        let now = bench.now
        let found = try bench.read { try $0.head(of: try $0.requireQueue("q"), now: now)?.id }
        #expect(found == (test.value.holds ? head : second))
        #expect(try bench.snapshot().head?.id == found)
        let expected = test.value.holds ? (test.value.runs ? head : nil) : second
        let next = try bench.read { try $0.nextTask(of: try $0.requireQueue("q"), now: now)?.id }
        #expect(next == expected)
        #expect(try bench.snapshot().next()?.id == expected)
        #expect(try bench.claim(runner).first?.task.id == expected)
    }

    private func prepare(
        _ head: Head, _ id: TaskID, _ bench: Bench, _ runner: ProcessID, start: TaskID
    ) throws {
        let target = [TaskTarget(id)]
        switch head {
        case .due, .unhandled: break
        case .retrying, .retryPassed:
            try bench.settle(try bench.claimOne(runner), .fail)
            if head == .retryPassed { bench.pass(1000) }
        case .parked, .parkedAndDelayed:
            try bench.settle(try bench.claimOne(runner), .park(error: nil))
            if head == .parkedAndDelayed {
                try bench.perform(.postpone(target, until: bench.now + 500))
            }
        case .skipped: try bench.perform(.skip(target, forMilliseconds: nil))
        case .skipPassed:
            try bench.perform(.skip(target, forMilliseconds: 500))
            bench.pass(500)
        case .delayed, .delayPassed:
            try bench.perform(.postpone(target, until: bench.now + 500))
            if head == .delayPassed { bench.pass(500) }
        case .held:
            try bench.act { mutation in
                var first = try mutation.store.requireTask(start)
                first.groupStart = "g"
                try mutation.store.update([first])
                var second = try mutation.store.requireTask(id)
                second.isHeld = true
                try mutation.store.update([second])
            }
        case .expired:
            let expiry = bench.now + 10
            try bench.perform(.edit([target[0]], payload: nil, fields: [.expiresAt(expiry)]))
            bench.pass(10)
        case .failed:
            try bench.settle(try bench.claimOne(runner), .giveUp(error: "no"))
        case .deleted:
            try bench.perform(.delete(target, cancelsRunning: false, members: nil))
        }
    }

    @Test(
        "Q3 with concurrency 1 a failure blocks; others overtake it with advance",
        arguments: Case.all(AfterFailure.allCases))
    func strict(_ test: Case<AfterFailure>) throws {
        let bench = try Bench(test.engine)
        let mode = test.value
        try bench.makeQueue {
            $0.afterFailure = mode
            $0.attemptLimit = nil
        }
        let ids = try bench.enqueue(3)
        let runner = try bench.attach()
        var failures = 2
        var ran: [TaskID] = []
        for _ in 0..<5 {
            ran += try bench.drain(runner) { id in
                guard id == ids[0], failures > 0 else { return .done }
                failures -= 1
                return .fail
            }
            bench.pass(1000)
        }
        let (a, b, c) = (ids[0], ids[1], ids[2])
        #expect(ran == (mode == .block ? [a, a, a, b, c] : [a, b, c, a, a]))
    }

    @Test("B7 running tasks hold nothing", arguments: Engine.all)
    func running(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.afterFailure = .block
            $0.concurrency = 3
        }
        let ids = try bench.enqueue(4)
        #expect(
            try bench.claim(try bench.attach(), slots: 8).map(\.task.id) == Array(ids.prefix(3)))
    }
}
