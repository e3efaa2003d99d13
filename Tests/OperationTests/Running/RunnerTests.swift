import SluiceControl
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

@Suite("runners")
struct RunnerTests {
    private func bench(_ engine: Engine, limit: Int? = 2) throws -> Bench {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.attemptLimit = limit
            $0.retry = .fixed(milliseconds: 0)
        }
        return bench
    }

    @Test(
        "IDJ-12 IDJ-24 A5 before a task goes its handler is told, once a settlement, never else",
        arguments: Engine.all)
    func beforeDelete(_ engine: Engine) throws {
        let expected: [(HandlerOutcome?, [String])] = [
            (.done, ["start 1", "deleted after success"]),
            (.giveUp(error: nil), ["start 1", "deleted"]),
            (.fail, ["start 1", "start 2", "restart?", "deleted"]),
            (.park(error: nil), ["start 1"]),
        ]
        for (outcome, log) in expected {
            let bench = try bench(engine)
            try bench.enqueue(1)
            let handler = ToldHandler { _, _ in outcome }
            try bench.runToTheEnd { _ in handler }
            #expect(handler.log == log)
        }
    }

    @Test(
        "A5 Q8 shouldRestart decides when the attempts are used up, by time-out too",
        arguments: Case.all([false, true]))
    func restarts(_ test: Case<Bool>) throws {
        let bench = try bench(test.engine, limit: 1)
        let id = try bench.enqueue(1)[0]
        let timesOut = test.value
        let handler = ToldHandler(timeout: timesOut ? 1 : nil, restarts: true) { _, _ in
            timesOut ? nil : .fail
        }
        try bench.runToTheEnd { _ in handler }
        #expect(
            handler.log == [
                "start 1", "restart?", "start 2", "restart?", "start 3", "restart?", "deleted",
            ])
        #expect(try bench.states([id]) == [.failed])
        let outcome: AttemptRecord.Outcome = timesOut ? .timedOut : .retry
        #expect(
            try bench.read { try $0.attempts(of: id) }.map(\.outcome)
                == [outcome, outcome, outcome])
    }

    @Test(
        "A6 D7 a cancelled task is parked, and its handler's last word deletes nothing",
        arguments: Engine.all)
    func cancelled(_ engine: Engine) throws {
        let bench = try bench(engine, limit: 1)
        let id = try bench.enqueue(1)[0]
        let handler = ToldHandler { execution, _ in
            _ = try? bench.perform(.cancel([TaskTarget(execution.task.id)]))
            return nil
        }
        try bench.runToTheEnd { _ in handler }
        #expect(handler.log == ["start 1"])
        #expect(try bench.task(id).waiting?.parking?.cause == .cancelled)
    }

    @Test(
        "A3 a follow-up that cannot be gives its task up, and the handler is told so",
        arguments: Engine.all)
    func followUps(_ engine: Engine) throws {
        let bad = [
            FollowUp(queue: "q", type: ""), FollowUp(queue: "", type: "t"),
            FollowUp(queue: "q", type: "t", groupMembers: ["\u{1}"]),
        ]
        for followUp in bad {
            let bench = try bench(engine)
            let id = try bench.enqueue(1)[0]
            let handler = ToldHandler { _, report in
                report.followUp(followUp)
                return .done
            }
            try bench.runToTheEnd { _ in handler }
            #expect(handler.log == ["start 1", "deleted"])
            #expect(try bench.states([id]) == [.failed])
        }
        // A failed attempt drops its follow-ups, so their faults do not give it up.
        let bench = try bench(engine)
        try bench.enqueue(1)
        let handler = ToldHandler { execution, report in
            if execution.number == 1 { report.followUp(bad[0]) }
            return execution.number == 1 ? .fail : .done
        }
        try bench.runToTheEnd { _ in handler }
        #expect(handler.log == ["start 1", "start 2", "deleted after success"])
    }

    @Test("KKT-21 T6 a chain of follow-ups ends at its depth", arguments: Engine.all)
    func depth(_ engine: Engine) throws {
        let bench = try bench(engine)
        try bench.perform(.setQueue("q", [.maximumDepth(5)]))
        try bench.enqueue(1)
        let handler = ToldHandler { execution, report in
            // The test ends the recursion if no depth limit does.
            if execution.task.id < 20 { report.followUp(FollowUp(queue: "q", type: "t")) }
            return .done
        }
        try bench.runToTheEnd { _ in handler }
        #expect(handler.log.filter { $0.hasPrefix("start") }.count == 6)
        let counts = try bench.read { try $0.counts(queue: "q") }
        #expect(counts[.failed] == 1)
    }

    @Test("IDJ-19 a type that nobody here handles is parked, not retried", arguments: Engine.all)
    func unknownType(_ engine: Engine) throws {
        let bench = try bench(engine)
        let ids = try bench.enqueue([request("known"), request("strange"), request("known")])
        let handler = ToldHandler { _, _ in .done }
        try bench.runToTheEnd { $0 == "known" ? handler : nil }
        #expect(try bench.states(ids) == [nil, .waiting, nil])
        #expect(try bench.display(ids[1]) == .parked)
    }

    @Test("P2 a full disk loses no result: it is settled when there is room", arguments: Engine.all)
    func fullDisk(_ engine: Engine) throws {
        let bench = try bench(engine)
        let ids = try bench.enqueue(2)
        let handler = ToldHandler { [faults = bench.faults] execution, _ in
            if execution.task.id == ids[0] { faults.fail(from: 1) }
            return .done
        }
        let events = try bench.runToTheEnd({ _ in handler }) { [faults = bench.faults] event in
            if case .troubled = event { faults.fail(from: nil) }
        }
        #expect(events.contains { if case .troubled = $0 { true } else { false } })
        #expect(handler.log.filter { $0 == "start 1" }.count == 2)
        #expect(try bench.states(ids) == [nil, nil])
    }

    @Test("P2 a claim that fails is made again when the disk allows it", arguments: Engine.all)
    func failedClaim(_ engine: Engine) throws {
        let bench = try bench(engine)
        let ids = try bench.enqueue(1)
        let handler = ToldHandler { _, _ in .done }
        let events = try bench.runToTheEnd({ _ in handler }) { [faults = bench.faults] event in
            switch event {
            case .attached: faults.fail(from: 1)
            case .troubled: faults.fail(from: nil)
            default: break
            }
        }
        let fixes = events.compactMap { event in
            if case .troubled(let error) = event { error.fix } else { nil }
        }
        #expect(fixes.contains("make room; the worker repeats it"), "\(fixes)")
        #expect(try bench.states(ids) == [nil])
    }

    @Test("A6 P2 told to stop once more, a worker does not wait for a disk that stays full")
    func fullDiskAtTheEnd() throws {
        let bench = try bench(Engine.all[0])
        let ids = try bench.enqueue(1)
        let handler = ToldHandler { [faults = bench.faults] _, _ in
            faults.fail(from: 1)
            return .done
        }
        let troubles = Protected(0)
        let stop = Protected<(@Sendable () -> Void)?>(nil)
        let runner = try Runner(
            store: bench.store, types: nil, handlers: { _ in handler }, now: { bench.now },
            onEvent: { event in
                guard case .troubled = event else { return }
                troubles.withLock { $0 += 1 }
                stop.withLock { $0 }?()
            })
        stop.withLock { stop in
            stop = { [weak runner] in
                runner?.stop()
                runner?.stop(isUrgent: true)
            }
        }
        try runner.start()
        runner.wait()
        #expect(runner.failure?.code == .diskFull)
        bench.faults.fail(from: nil)
        #expect(try bench.states(ids) == [.running], "its owner is gone, so it is recovered")
        #expect(troubles.withLock { $0 } >= 1)
    }
}
