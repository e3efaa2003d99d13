import SluiceModel
import SluicePlatform
import SluiceStore

extension Control {
    /// Checks whether an expectation holds now or within its time. Wakes after commits and at the
    /// moments that the store names. Checks ages and `stuck` every second. Blocks its thread.
    ///
    /// Throws `unknownQueue` if the queue is missing when the time is over. Throws `badFilter` for
    /// a UUID in a store whose tasks have none.
    package func expectBlocking(_ request: ExpectRequest) throws -> ExpectAnswer {
        try expect(request, NoticeGate()) { false }
    }

    /// The asynchronous form, on a separate thread. A cancelled task receives the result so far.
    package func expect(_ request: ExpectRequest) async throws -> ExpectAnswer {
        let (gate, isCancelled) = (NoticeGate(), Protected(false))
        return try await withTaskCancellationHandler {
            try await offPool {
                try expect(request, gate) { isCancelled.withLock { $0 } }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
            gate.open()
        }
    }

    private func expect(
        _ request: ExpectRequest, _ gate: NoticeGate, _ isOver: () -> Bool
    ) throws -> ExpectAnswer {
        let request = try store.readBlocking { try request.dated(in: $0) }
        let began = SystemClock.monotonicNanoseconds()
        let within = request.withinMilliseconds ?? 0
        let deadline = began + UInt64(max(0, within)) * 1_000_000
        let observation = within > 0 ? try store.observe { gate.open() } : nil
        defer { withExtendedLifetime(observation) {} }
        while true {
            let passed = SystemClock.monotonicNanoseconds()
            let isLast = passed >= deadline || isOver()
            do {
                let (answer, wake) = try look(
                    request, after: Int64((passed - began) / 1_000_000), isLast: isLast)
                if let answer { return answer }
                let next = wake.map { passed + UInt64($0) * 1_000_000 }
                gate.wait(until: min(deadline, next ?? deadline))
            } catch let error as QueueError
                where error.code == .unknownQueue && !request.isThroughout && !isLast
            {
                // Another process may be about to create the queue.
                gate.wait(until: deadline)
            }
        }
    }

    /// One look: the answer if it is known by now, else in how many milliseconds time alone may
    /// change it.
    private func look(
        _ request: ExpectRequest, after milliseconds: Int64, isLast: Bool
    ) throws -> (answer: ExpectAnswer?, wake: Int64?) {
        let (now, signs) = (now(), VitalSigns(of: store))
        return try store.readBlocking { store in
            let reading = try Reading(store, now: now, signs: signs)
            var facts = StoreExpectationFacts(reading: reading, since: request.since)
            var verdict = try request.expectation.verdict(facts)
            guard isLast || verdict.held != request.isThroughout else {
                let followsTime = request.expectation.checks.contains(where: \.followsTime)
                let next = try reading.nextWake().map { max(1, $0 - now) }
                return (nil, followsTime ? min(1000, next ?? 1000) : next)
            }
            if !verdict.held {
                facts.namesTasks = true
                verdict = try request.expectation.verdict(facts)
            }
            let answer = ExpectAnswer(
                request: request, held: verdict.held, expected: verdict.expected,
                actual: verdict.actual, milliseconds: milliseconds,
                why: try verdict.tasks.map(reading.line))
            return (answer, nil)
        }
    }
}
