import SluiceModel
import SluiceStore
import Testing

/// Ended attempts by minute and by kind of error, always consistent with the attempts.
@Suite("Counts of ends")
struct EndedTests {
    private static let minute: Int64 = 60_000
    private static let start = Timestamp(milliseconds: 1_700_000_000_000 / minute * minute)

    private static func attempt(
        _ task: QueueTask, _ number: Int, ended: Int64, took: Int64 = 5,
        outcome: AttemptRecord.Outcome = .success
    ) -> AttemptRecord {
        let end = start + ended
        var attempt = AttemptRecord(task: task, number: number, runner: 1, startedAt: end + -took)
        (attempt.endedAt, attempt.outcome) = (end, outcome)
        attempt.isCounted = outcome == .retry
        return attempt
    }

    private static func failed(_ task: QueueTask, _ reason: String, at moment: Int64) -> QueueTask {
        var task = task
        task.state = .failed(Failure(at: start + moment, reason: reason, startPolicy: nil))
        task.version += 1
        return task
    }

    @Test("K6 ends are counted by minute, ten seconds, outcome and duration", arguments: Engine.all)
    func ends(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue()
            try writer.makeQueue("r")
            let tasks = try writer.add(1) + writer.add(1, to: "r")
            try writer.put([
                Self.attempt(tasks[0], 1, ended: 5, took: 0),
                Self.attempt(tasks[0], 2, ended: 9_999, took: 0),
                Self.attempt(tasks[0], 3, ended: 10_000, took: 0),
                Self.attempt(tasks[0], 4, ended: 60_000, outcome: .retry),
                Self.attempt(tasks[0], 5, ended: 60_001, outcome: .stopped),
                Self.attempt(tasks[1], 1, ended: 59_999, took: 0),
                AttemptRecord(task: tasks[0], number: 6, runner: 1, startedAt: Self.start),
            ])
        }
        func counts(_ queue: String?, _ since: Int64) throws -> [String] {
            try bench.read {
                try $0.endedCounts(.attempts, queue: queue, since: Self.start + since)
            }
            .map { count in
                guard case .attempts(let outcome, let took) = count.what else { return "?" }
                let minute = (count.minute - Self.start) / Self.minute
                return "\(minute) \(outcome) \(took.milliseconds) \(count.sixths)"
            }.sorted()
        }
        let later = ["1 failed 5 [1, 0, 0, 0, 0, 0]", "1 other 5 [1, 0, 0, 0, 0, 0]"]
        #expect(try counts("q", 0) == ["0 succeeded 0 [2, 1, 0, 0, 0, 0]"] + later)
        #expect(try counts("q", 60_000) == later)
        #expect(try counts(nil, 0) == ["0 succeeded 0 [2, 1, 0, 0, 0, 1]"] + later)
        #expect(try counts("r", 60_000) == [])
    }

    @Test("K6 an hour later the ring of minutes begins again", arguments: Engine.all)
    func ring(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let hour = Int64(EndedCounts.keptMinutes) * Self.minute
        try bench.write { writer in
            try writer.makeQueue()
            let task = try writer.add(1)[0]
            try writer.put([Self.attempt(task, 1, ended: 0)])
            try writer.put([Self.attempt(task, 2, ended: hour)])
            try writer.put([Self.attempt(task, 3, ended: hour + 1)])
            // The clock was set back, so it is too old to show.
            try writer.put([Self.attempt(task, 4, ended: 1)])
        }
        let counts = try bench.read {
            try $0.endedCounts(.attempts, queue: "q", since: Self.start + hour)
        }
        #expect(counts.map(\.total) == [2])
        #expect(counts.map { $0.minute - Self.start } == [hour])
    }

    @Test("K6 failed tasks are counted by the kind of their error", arguments: Engine.all)
    func failures(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let tasks = try bench.write { writer in
            try writer.makeQueue()
            try writer.makeQueue("r")
            let tasks = try writer.add(6) + writer.add(1, to: "r")
            try writer.update([
                Self.failed(tasks[0], "order 12 not found", at: 0),
                Self.failed(tasks[1], "order 977 not found", at: 61_000),
                Self.failed(tasks[2], "timeout", at: 2),
                Self.failed(tasks[6], "order 3 not found", at: 3),
            ])
            return tasks
        }
        func counts(_ queue: String? = nil) throws -> [String] {
            try bench.read { try $0.failureCounts(queue: queue) }.map {
                """
                \($0.queue) \($0.kind.text) \($0.count) \($0.first - Self.start) \
                \($0.last - Self.start)
                """
            }.sorted()
        }
        #expect(
            try counts() == [
                "q order # not found 2 0 61000", "q timeout 1 2 2", "r order # not found 1 3 3",
            ])
        #expect(try counts("r") == ["r order # not found 1 3 3"])
        try bench.write { writer in
            var again = Self.failed(tasks[0], "order 12 not found", at: 0)
            again.state = .waiting(Waiting())
            try writer.update([again])
            try writer.remove([tasks[2].id])
        }
        #expect(try counts("q").map { $0.prefix(22) } == ["q order # not found 1 "])
        let key = FailureKind(of: "order 1 not found").key
        let ends = try bench.read {
            try $0.endedCounts(.failures, queue: nil, since: Self.start)
        }
        #expect(ends.filter { $0.what == .failures(key) }.map(\.total).reduce(0, +) == 2)
        try bench.write { try $0.removeQueue(named: "q") }
        #expect(try counts() == ["r order # not found 1 3 3"])
        let rest = try bench.read {
            try $0.endedCounts(.failures, queue: nil, since: Self.start)
        }
        #expect(rest.map(\.total).reduce(0, +) == 1)
    }

    @Test("K6 waits are counted by minute and queue, and go with it", arguments: Engine.all)
    func waits(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let hour = Int64(EndedCounts.keptMinutes) * Self.minute
        func count(_ milliseconds: Int64, _ queue: String, at moment: Int64) throws {
            try bench.write { writer in
                try writer.countWait(
                    DurationBucket(milliseconds: milliseconds), in: queue,
                    at: Self.start + moment)
            }
        }
        func counts(_ queue: String?, _ since: Int64 = 0) throws -> [String] {
            try bench.read {
                try $0.endedCounts(.waits, queue: queue, since: Self.start + since)
            }
            .map { count in
                guard case .waits(let wait) = count.what else { return "?" }
                let minute = (count.minute - Self.start) / Self.minute
                return "\(minute) \(wait.milliseconds) \(count.sixths)"
            }.sorted()
        }
        try bench.write { writer in
            try writer.makeQueue()
            try writer.makeQueue("r")
        }
        try count(0, "q", at: 5)
        try count(0, "q", at: 9_999)
        try count(7, "q", at: 10_000)
        try count(7, "q", at: 60_000)
        try count(0, "r", at: 59_999)
        #expect(
            try counts("q") == [
                "0 0 [2, 0, 0, 0, 0, 0]", "0 7 [0, 1, 0, 0, 0, 0]", "1 7 [1, 0, 0, 0, 0, 0]",
            ])
        #expect(try counts("q", 60_000) == ["1 7 [1, 0, 0, 0, 0, 0]"])
        #expect(try counts("r") == ["0 0 [0, 0, 0, 0, 0, 1]"] && counts(nil) == [])
        // Waits are no ends.
        #expect(
            try bench.read {
                try $0.endedCounts(.attempts, queue: "q", since: Self.start)
            } == [])
        try count(0, "q", at: hour)
        #expect(try counts("q", hour) == ["64 0 [1, 0, 0, 0, 0, 0]"])
        try bench.write { try $0.removeQueue(named: "q") }
        try bench.write { try $0.makeQueue() }
        #expect(try counts("q") == [])
    }

    @Test("K6 what a body counted that was undone is not counted", arguments: Engine.all)
    func undoneWaits(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { try $0.makeQueue() }
        #expect(throws: QueueError.self) {
            try bench.write { writer in
                try writer.countWait(
                    DurationBucket(milliseconds: 5), in: "q", at: Self.start)
                throw QueueError.unknownTask(7)
            }
        }
        #expect(
            try bench.read {
                try $0.endedCounts(.waits, queue: "q", since: Self.start)
            } == [])
    }

    @Test("P3 counts of errors are made again, and the same", arguments: Engine.all)
    func rebuilt(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue()
            let tasks = try writer.add(3)
            try writer.update([
                Self.failed(tasks[0], "a \"b\"", at: 0), Self.failed(tasks[1], "a \"c\"", at: 1),
            ])
        }
        let before = try bench.read { try $0.failureCounts(queue: nil) }
        #expect(before.map(\.count) == [2])
        #expect(try bench.read { try $0.problems(.tasks) } == [])
        #expect(try bench.write { try $0.rebuildIndexes() } == [])
        #expect(try bench.read { try $0.failureCounts(queue: nil) } == before)
    }

    @Test(
        "K6 the kind of an error is its text without what differs",
        arguments: [
            (
                "HTTP 503 from api-7.example.com after 30.0 s",
                "HTTP # from api-#.example.com after # s"
            ),
            ("no such file: \"/tmp/a b\"", "no such file: \"…\""),
            ("can't open 'x' and won't try", "can't open \"…\" and won't try"),
            ("user9 at 2026-11-23T10:00:01Z", "user# at #"),
            ("id 6f9619ff-8b86-d011-b42d-00cf4fc964ff gone", "id # gone"),
            ("request deadbeef01 lost", "request # lost"),
            ("  two\n\tlines \u{1B}[31m ", "two lines [#"),
            ("", "no error"), ("Zoë’s 3 mails", "Zoë’s # mails"),
        ])
    func kind(_ example: (error: String, kind: String)) {
        #expect(FailureKind(of: example.error).text == example.kind)
    }

    @Test("K4 K6 a time that is read from its range is never too short, nor a quarter too long")
    func durations() {
        let all: [Int64] = Array(0...3000) + [59_999, 3_600_000, 86_400_000]
        let wrong = all.filter { milliseconds in
            let read = DurationBucket(milliseconds: milliseconds).milliseconds
            return read < milliseconds || (read - milliseconds) * 4 > milliseconds
        }
        #expect(wrong == [])
        let far = all.filter { milliseconds in
            let middle = DurationBucket(milliseconds: milliseconds).middle
            return abs(middle - milliseconds) * 8 > milliseconds
        }
        #expect(far == [])
        #expect(DurationBucket(milliseconds: 905).middle == 959)
    }
}
