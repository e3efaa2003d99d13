import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceControl

/// The effect of a fault on an attempt, on a real runner's thread.
@Suite("executions with faults")
struct InjectedRunTests {
    /// The first attempt of a task. Its second attempt has no fault.
    private struct Seen {
        var first: AttemptRecord
        var log: [String]
        var keys: [String]
        var state: TaskState.Name?
    }

    private static func run(
        _ engine: Engine, _ kind: Fault.Kind, restarts: Bool = false,
        _ change: @escaping @Sendable (inout QueueSettings) -> Void = { _ in },
        _ body: @escaping ToldHandler.Body = { _, _ in .done }
    ) throws -> Seen {
        let bench = try Bench(engine)
        try bench.makeQueue {
            ($0.retry, $0.keepFinished) = (.fixed(milliseconds: 0), .last(99))
            change(&$0)
        }
        let id = try bench.enqueue([request("x")])[0]
        try bench.perform(fault("type:x", kind))
        let keys = Protected<[String]>([])
        let handler = ToldHandler(restarts: restarts) { execution, report in
            keys.withLock { $0.append(execution.idempotencyKey) }
            return body(execution, report)
        }
        try bench.runToTheEnd({ _ in handler })
        let (attempts, state) = try bench.read { store in
            (try store.attempts(of: id), try store.task(id)?.state.name)
        }
        let first = try #require(attempts.first)
        #expect(first.injection == Injection(fault: 1, kind: kind))
        #expect(attempts.dropFirst().allSatisfy { $0.injection == nil })
        return Seen(first: first, log: handler.log, keys: keys.withLock { $0 }, state: state)
    }

    @Test(
        "G2 a failure is injected in the handler's place, and ends as if it had said so",
        arguments: Case.all([
            Fault.Kind.fail("HTTP 500"), .fail(nil), .retryAfter(milliseconds: 0), .timeOut,
        ]))
    func failures(_ test: Case<Fault.Kind>) throws {
        let seen = try Self.run(test.engine, test.value)
        #expect(seen.log == ["start 2", "deleted after success"] && seen.state == .succeeded)
        #expect(seen.first.isCounted)
        #expect(seen.first.outcome == (test.value == .timeOut ? .timedOut : .retry))
        if case .fail(let text?) = test.value { #expect(seen.first.error == text) }
        #expect(seen.first.error != nil)
    }

    @Test("G2 A5 an injected end of the task is told to its handler", arguments: Engine.all)
    func giveUp(_ engine: Engine) throws {
        let seen = try Self.run(engine, .giveUp("declined"))
        #expect(seen.log == ["deleted"] && seen.state == .failed)
        #expect(seen.first.outcome == .giveUp && seen.first.error == "declined")
        let last = try Self.run(engine, .fail(nil)) { $0.attemptLimit = 1 }
        #expect(last.log == ["restart?", "deleted"] && last.state == .failed)
        let again = try Self.run(engine, .timeOut, restarts: true) { $0.attemptLimit = 1 }
        #expect(again.log.prefix(2) == ["restart?", "start 2"] && again.state == .succeeded)
    }

    @Test("G2 a delayed handler is called once, later", arguments: Engine.all)
    func delay(_ engine: Engine) throws {
        let seen = try Self.run(engine, .delay(milliseconds: 5))
        #expect(seen.log == ["start 1", "deleted after success"])
        #expect(seen.first.outcome == .success && seen.state == .succeeded)
    }

    @Test("G2 Q8 a delay counts to the time of the attempt", arguments: Engine.all)
    func delayedTooLong(_ engine: Engine) throws {
        let seen = try Self.run(engine, .delay(milliseconds: 3_600_000)) {
            $0.timeoutMilliseconds = 20
        }
        #expect(seen.first.outcome == .timedOut)
        #expect(seen.log == ["start 2", "deleted after success"])
    }

    @Test(
        "G2 A8 twice calls the handler twice under one key; the second call counts",
        arguments: Engine.all)
    func twice(_ engine: Engine) throws {
        let calls = CallLog()
        let seen = try Self.run(engine, .twice) { _ in
        } _: { execution, report in
            guard execution.task.type == "x" else { return .done }
            calls.add(execution.task.id)
            report.log("call \(calls.all.count)")
            report.followUp(FollowUp(queue: "q", type: "child"))
            return calls.all.count == 1 ? .giveUp(error: "no") : .done
        }
        let call = "start 1"
        #expect(seen.log.prefix(3) == [call, call, "deleted after success"])
        // One follow-up, from the second call.
        #expect(seen.log.count { $0 == call } == 3)
        #expect(Set(seen.keys).count == 2 && seen.keys[0] == seen.keys[1])
        #expect(seen.first.log == ["the first of two calls failed", "call 2"])
        #expect(seen.first.outcome == .success)
    }

    @Test("G2 A6 what is told to stop in a delay, or in a first call, ends", arguments: Engine.all)
    func stopped(_ engine: Engine) throws {
        for kind in [Fault.Kind.delay(milliseconds: 3_600_000), .twice] {
            let bench = try Bench(engine)
            try bench.makeQueue()
            let id = try bench.enqueue([request("x")])[0]
            try bench.perform(fault("type:x", kind))
            let handler = ToldHandler { _, _ in nil }
            let runner = try Runner(
                store: bench.store, types: nil, handlers: { _ in handler }, now: { bench.now })
            try runner.start()
            try bench.wait { try bench.task(id).running != nil }
            try bench.perform(.cancel([TaskTarget(id)]))
            try bench.wait { try bench.task(id).waiting?.parking?.cause == .cancelled }
            #expect(handler.log == (kind == .twice ? ["start 1"] : []))
            runner.stop(isUrgent: true)
            runner.wait()
        }
    }

    @Test("G2 A1 of many workers that race, three take a fault of three", arguments: Engine.large)
    func race(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue {
            ($0.concurrency, $0.keepFinished) = (16, .last(999))
            $0.retry = .fixed(milliseconds: 0)
        }
        let calls = CallLog()
        let runners = try (0..<6).map { _ in
            let runner = try Runner(
                store: bench.store, types: nil,
                handlers: { _ in
                    InstantHandler { execution in
                        calls.add(execution.task.id)
                        return .done
                    }
                }, now: { bench.now })
            try runner.start()
            return runner
        }
        for round in 1...10 {
            try bench.perform(fault("type:x") { $0.times = 3 })
            let ids = try bench.enqueue((0..<12).map { _ in request("x") })
            try bench.wait { try bench.read { try $0.counts(queue: "q")[.waiting] == 0 } }
            try bench.wait { try bench.read { try $0.counts(queue: "q")[.running] == 0 } }
            let injected = try bench.read { store in
                try ids.flatMap { try store.attempts(of: $0) }.compactMap(\.injection)
            }
            #expect(injected.map(\.fault) == Array(repeating: Int64(round), count: 3))
            #expect(Set(calls.all).isSuperset(of: ids) && calls.all.count == round * 12)
        }
        for runner in runners { runner.stop(isUrgent: false) }
        for runner in runners { runner.wait() }
    }
}
