import SluiceModel
import SluiceStore
import Testing

@Suite("Journal and attempts")
struct JournalTests {
    private static func line(
        _ kind: String, queue: String? = "q", task: TaskID? = nil, by: String = "ann",
        undo: UndoRecord? = nil, _ seconds: Int64 = 1
    ) -> JournalEvent {
        JournalEvent(
            at: at(seconds), kind: kind, queue: queue, task: task, by: by, text: "\(kind) é",
            undo: undo)
    }

    private static func attempt(
        _ task: QueueTask, _ number: Int, ended: Int64? = nil
    ) -> AttemptRecord {
        var attempt = AttemptRecord(task: task, number: number, runner: 4, startedAt: at(2))
        guard let ended else { return attempt }
        attempt.endedAt = at(ended)
        attempt.outcome = AttemptRecord.Outcome.allCases[number % 11]
        attempt.isCounted = number % 2 == 0
        attempt.error = "boom"
        attempt.fraction = 0.4
        attempt.progressText = "half"
        attempt.log = ["one", "two\n", ""]
        attempt.childPID = 4711
        attempt.childStartTime = .max
        attempt.consequence = "retry in 24s"
        return attempt
    }

    private static func undo(_ writer: any StoreWriter) throws -> UndoRecord {
        var undo = UndoRecord()
        undo.tasks = try writer.add(Samples.states.count) { task, place in
            Samples.fill(&task, place)
            task.state = Samples.states[place]
        }.map {
            UndoRecord.TaskImage(
                id: $0.id, before: $0, payloadBefore: $0.id % 2 == 0 ? [0, 255] : nil,
                versionAfter: 9)
        }
        undo.tasks.append(UndoRecord.TaskImage(id: 99, before: nil, versionAfter: 1))
        var queue = try writer.requireQueue("q")
        queue.run = Run(number: 3, since: at(4), limit: .count(5))
        undo.queue = queue
        undo.queueVersionAfter = 12
        undo.storePausesBefore = [
            Pause(
                cause: .store, by: "bob", reason: nil, since: at(1), until: at(9), direction: .both)
        ]
        return undo
    }

    @Test("Lines and ended executions stand together by their numbers", arguments: Engine.all)
    func merged(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let tasks = try bench.write { writer in
            try writer.makeQueue()
            try writer.makeQueue("r")
            let tasks = try writer.add(2) + writer.add(1, to: "r")
            try writer.append([Self.line("enqueue", task: tasks[0].id), Self.line("pause")])
            try writer.put([Self.attempt(tasks[0], 1), Self.attempt(tasks[2], 1, ended: 5)])
            return tasks
        }
        try bench.write { writer in
            try writer.append([Self.line("pause", queue: "r"), Self.line("store", queue: nil)])
            try writer.put([
                Self.attempt(tasks[0], 1, ended: 6), Self.attempt(tasks[1], 1, ended: 7),
            ])
            try writer.append([Self.line("skip", task: tasks[1].id)])
        }
        let all = try bench.read { try $0.journal(JournalQuery(limit: 100)) }
        let kinds = all.map { entry in
            switch entry {
            case .event(let event): event.kind
            case .attempt(let attempt): "#\(attempt.task)"
            }
        }
        let names = tasks.map { "#\($0.id)" }
        #expect(
            kinds == ["enqueue", "pause", names[2], "pause", "store", names[0], names[1], "skip"])
        let numbers = all.map(\.sequence)
        #expect(numbers == numbers.sorted() && Set(numbers).count == 8)
        for (change, places) in [
            ({ $0.limit = 3 }, [5, 6, 7]), ({ $0.after = numbers[1] }, [2, 3, 4, 5, 6, 7]),
            (
                {
                    $0.after = numbers[1]; $0.limit = 2
                }, [2, 3]
            ),
            (
                {
                    $0.before = numbers[5]; $0.limit = 2
                }, [3, 4]
            ),
            ({ $0.queue = "r" }, [2, 3]), ({ $0.task = tasks[0].id }, [0, 5]),
            (
                {
                    $0.queue = "q"; $0.before = numbers[7]; $0.limit = 2
                }, [5, 6]
            ),
            (
                {
                    $0.task = tasks[1].id; $0.after = numbers[6]
                }, [7]
            ), ({ $0.queue = "none" }, []),
        ] as [((inout JournalQuery) -> Void, [Int])] {
            var query = JournalQuery(limit: 100)
            change(&query)
            let asked = query
            #expect(try bench.read { try $0.journal(asked) } == places.map { all[$0] }, "\(query)")
        }
    }

    @Test("K6 who only looks is spared what undo needs", arguments: Engine.all)
    func plainLines(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            var line = Self.line("skip", queue: nil)
            line.undo = UndoRecord()
            line.undo?.storePausesBefore = []
            try writer.append([line, Self.line("pause", queue: nil)])
        }
        let whole = try bench.read { try $0.journal(JournalQuery(limit: 9)) }
        let plain = try bench.read { try $0.journal(JournalQuery(limit: 9, withUndo: false)) }
        func undos(_ entries: [JournalEntry]) -> [Bool] {
            entries.map { entry in
                if case .event(let event) = entry { event.undo != nil } else { false }
            }
        }
        #expect(undos(whole) == [true, false])
        #expect(undos(plain) == [false, false])
        #expect(whole.map(\.sequence) == plain.map(\.sequence))
    }

    @Test("A7 an attempt keeps every field, and outlives its task", arguments: Engine.all)
    func attempts(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let task = try bench.write { writer in
            try writer.makeQueue()
            let task = try writer.add(1)[0]
            try writer.put([Self.attempt(task, 2), Self.attempt(task, 1, ended: 3)])
            return task
        }
        func log() throws -> [AttemptRecord] { try bench.read { try $0.attempts(of: task.id) } }
        #expect(try log().map(\.number) == [1, 2])
        #expect(try log().last == Self.attempt(task, 2))
        var running = Self.attempt(task, 2)
        running.fraction = 0.25
        running.progressText = "quarter"
        let progress = running
        try bench.write { try $0.put([progress]) }
        #expect(try log().last == running)
        try bench.write { writer in
            try writer.put([Self.attempt(task, 2, ended: 8)])
            try writer.remove([task.id])
        }
        var expected = [Self.attempt(task, 1, ended: 3), Self.attempt(task, 2, ended: 8)]
        let kept = try log()
        for place in expected.indices { expected[place].endSequence = kept[place].endSequence }
        #expect(kept == expected)
        #expect(kept[0].endSequence > 0 && kept[1].endSequence > kept[0].endSequence)
        var again = kept[0]
        again.consequence = "given up"
        let repeated = again
        try bench.write { try $0.put([repeated]) }
        #expect(try log() == [again, kept[1]])
    }

    @Test("D9 the last line that can be undone is found, whole", arguments: Engine.all)
    func undoable(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let (undo, first) = try bench.write { writer in
            try writer.makeQueue()
            let undo = try Self.undo(writer)
            let first = try writer.append([
                Self.line("delete", undo: undo), Self.line("skip", undo: undo),
                Self.line("skip", by: "bob", undo: undo), Self.line("worked"),
            ])
            return (undo, first)
        }
        func last(_ person: String) throws -> JournalEvent? {
            try bench.read { try $0.lastUndoable(by: person, isUndo: false) }
        }
        #expect(try last("ann")?.sequence == first + 1)
        #expect(try last("ann")?.undo == undo)
        #expect(try last("bob")?.sequence == first + 2)
        #expect(try last("cleo") == nil)
        try bench.write { try $0.markUndone(first + 1, by: first + 3) }
        #expect(try last("ann")?.sequence == first)
        var undone = Self.line("skip", undo: undo)
        undone.sequence = first + 1
        undone.undoneBy = first + 3
        #expect(try bench.read { try $0.event(first + 1) } == undone)
        #expect(try bench.read { try $0.event(first + 99) } == nil)
        let next = try bench.write { try $0.append([Self.line("later", undo: undo)]) }
        #expect(next == first + 4)
        #expect(try last("ann")?.sequence == next)
    }

    @Test(
        "D9 D10 the slices of a bulk that still stand are found, newest first",
        arguments: Engine.all)
    func slices(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let first = try bench.write { writer in
            try writer.makeQueue()
            let undo = try Self.undo(writer)
            let first = try writer.append([Self.line("delete", undo: undo)])
            var later = (0..<3).map { _ in Self.line("delete", undo: undo) }
            later[0].bulk = first
            later[2].bulk = first
            var final = Self.line("purge")
            final.bulk = first
            try writer.append(later + [final])
            return first
        }
        func standing(_ event: Int64) throws -> [Int64] {
            try bench.read { try $0.undoable(.slices(ofBulk: event)) }
        }
        #expect(try standing(first) == [first + 3, first + 1, first])
        #expect(try standing(first + 2) == [first + 2])
        #expect(try standing(first + 4) == [])
        #expect(try bench.read { try $0.event(first + 1)?.bulk } == first)
        try bench.write { try $0.markUndone(first, by: first + 9) }
        try bench.write { try $0.markUndone(first + 3, by: first + 9) }
        #expect(try standing(first) == [first + 1])
    }

    @Test("D9 the journal forgets what is old, the oldest first", arguments: Engine.all)
    func trimmed(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue()
            let task = try writer.add(1)[0]
            for number in 1...4 {
                try writer.append([Self.line("skip", Int64(number) * 10)])
                try writer.put([Self.attempt(task, number, ended: Int64(number) * 10 + 5)])
            }
            try writer.put([Self.attempt(task, 5)])
        }
        func trim(_ before: Int64, _ newest: Int, _ limit: Int) throws -> [Int64] {
            try bench.write {
                try $0.trimJournal(before: at(before), keeping: newest, limit: limit)
            }
            return try bench.read { try $0.journal(JournalQuery(limit: 100)) }.map(\.sequence)
        }
        #expect(try trim(5, 0, 100) == Array(1...8))
        #expect(try trim(100, 7, 100) == Array(2...8))
        #expect(try trim(25, 0, 1) == Array(3...8))
        #expect(try trim(31, 0, 100) == Array(6...8))
        #expect(try trim(1000, 0, 2) == [8])
        let attempts = try bench.read { try $0.attempts(of: 1).map(\.number) }
        #expect(attempts == [4, 5])
    }
}
