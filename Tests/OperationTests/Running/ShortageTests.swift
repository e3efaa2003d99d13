import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceRunner

/// One that cannot begin the first times.
private struct LackingHandler: TaskHandler {
    let lacks: Int
    let starts = Protected(0)

    func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution {
        let number = starts.withLock { starts -> Int in
            starts += 1
            return starts
        }
        if number <= lacks {
            report.couldNotStart("cannot make a pipe: too many open files")
            report.finish(.giveUp(error: "later"))
        } else {
            report.finish(.success(result: nil))
        }
        return Ended()
    }

    private struct Ended: RunningExecution {
        func stop() {}
        func kill() {}
    }
}

@Suite("what a worker lacks")
struct ShortageTests {
    @Test(
        "A5 a task that its worker could not begin waits, no attempt is counted, and that is told",
        arguments: [Engine.memory, .sqlite])
    func waits(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.attemptLimit = 1
            $0.keepFinished = .last(9)
        }
        let id = try bench.enqueue(1)[0]
        let handler = LackingHandler(lacks: 1)
        let events = try bench.runToTheEnd { _ in handler }
        #expect(try bench.states([id]) == [.succeeded])
        let attempts = try bench.read { try $0.attempts(of: id) }
        #expect(attempts.map(\.outcome) == [.stopped, .success])
        #expect(attempts.map(\.isCounted) == [false, true])
        #expect(attempts.first?.log.last?.hasPrefix("did not begin: cannot make a pipe") == true)
        let told = events.compactMap { event in
            if case .troubled(let error) = event { error.message } else { nil }
        }
        #expect(told.count == 1 && told.first?.contains("takes nothing for 1s") == true)
    }

    @Test("A5 after a lack nothing is taken for a while, longer each time, then as much as went")
    func rest() {
        var rest = StartRest()
        rest.record(inFlight: 3, at: 0)
        rest.record(inFlight: 3, at: 0)
        #expect(rest.until == 1000 && rest.slots == 3)
        let overs = [rest.isOver(at: 999), rest.isOver(at: 1000)]
        #expect(overs == [false, true] && rest.until == nil)
        rest.record(inFlight: 0, at: 2000)
        #expect(rest.until == 4000 && rest.slots == 1)
        let isOver = rest.isOver(at: 4000)
        #expect(isOver)
        // After one end per slot, it tries one more slot.
        var slots: [Int?] = []
        for _ in 0..<6 {
            rest.ended(of: 4)
            slots.append(rest.slots)
        }
        #expect(slots == [2, 2, 3, 3, 3, nil])
        for expected in [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000] as [Int64] {
            rest.record(inFlight: 9, at: 0)
            #expect(rest.until == expected)
            let isOver = rest.isOver(at: expected)
            #expect(isOver)
        }
    }
}
