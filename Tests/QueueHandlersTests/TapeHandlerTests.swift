import SluiceHandlers
import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import SluiceTapes
import Testing

/// Substitute handlers with outcomes from a tape (G4).
@Suite("Handlers that give what is on a tape")
struct TapeHandlerTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// How the executions of the tasks of a queue end, in this order, each after its time.
    private struct End {
        var task: TaskID
        var ending: Ending
        var milliseconds: Int64 = 0
    }

    private static let ends = [
        End(task: 1, ending: .handler(.retry(afterMilliseconds: 0, error: "HTTP 503"))),
        End(task: 2, ending: .handler(.giveUp(error: "no such address"))),
        End(task: 1, ending: .handler(.success(result: nil)), milliseconds: 40),
        End(task: 3, ending: .lost),
        End(task: 4, ending: .handler(.park(error: "look"))),
    ]

    /// A folder with the tape `t.tape` of those ends; task 4 is of the type `other`, all others of
    /// `send`.
    private func folder() throws -> String {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-tape-handlers-")
        let (store, now) = (MemoryStore(), Protected(Self.start))
        func act<Value: Sendable>(
            _ body: @escaping @Sendable (Mutation) throws -> Value
        ) throws -> Value {
            try store.transactBlocking(at: now.withLock { $0 }, body)
        }
        let runner = try act { mutation in
            _ = try mutation.enqueue([EnqueueRequest(type: "early", payload: [])], to: "before")
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                attachedAt: Self.start)
            process.slots = 1
            return try mutation.attach(process)
        }
        // An attempt that ended before the recording does not count.
        try act { mutation in
            let task = try #require(try mutation.store.task(1))
            let claimed = try mutation.start(task, runner: runner, isStep: false)
            _ = try mutation.settle([completion(claimed, .handler(.giveUp(error: "early")))])
            try mutation.store.removeQueue(named: "before")
        }
        let recorder = try TapeRecorder(
            store, TapeRecorder.Request(path: "\(folder)/t.tape"), person: "dana",
            now: { now.withLock { $0 } })
        try recorder.writeBeginning()
        let types = ["send", "send", "send", "other"]
        let ids = try act { mutation in
            try mutation.enqueue(
                types.map { EnqueueRequest(type: $0, payload: []) }, to: "mail"
            ).ids
        }
        for end in Self.ends {
            let id = ids[Int(end.task) - 1]
            let claimed = try act { mutation in
                let task = try #require(try mutation.store.task(id))
                return try mutation.start(task, runner: runner, isStep: false)
            }
            now.withLock { $0 = $0 + end.milliseconds }
            let sent = completion(claimed, end.ending)
            try act { _ = try $0.settle([sent]) }
            #expect(try recorder.move() == nil)
        }
        _ = try recorder.end(nil)
        return folder
    }

    private func completion(_ claimed: Claimed, _ ending: Ending) -> Completion {
        Completion(
            task: claimed.task.id, token: claimed.task.running?.token ?? 0, ending: ending)
    }

    private func table(_ folder: String, _ entry: String) throws -> HandlerTable {
        let path = "\(folder)/handlers.json"
        try Files.writeAtomically(Array(#"{"handlers":{"*":\#(entry)}}"#.utf8), to: path)
        return try HandlersFile.read(path, environment: [])
    }

    /// The outcome for an attempt. The tape's tasks have numbers from 2 on.
    private func outcome(
        _ table: HandlerTable, _ type: String, task: TaskID, _ number: Int
    ) async throws -> HandlerOutcome {
        let handler = try #require(table.handler(for: type))
        let report = CollectingReport()
        let task = QueueTask(
            id: task + 1, queue: "mail", type: type, position: 1, createdAt: Self.start,
            state: .waiting(Waiting()))
        let execution = Execution(
            task: task, payload: [], number: number, idempotencyKey: "k", storeName: "s")
        _ = handler.start(execution, report: report)
        return await report.outcome
    }

    @Test("G4 a task gets the outcome that its execution had on the tape, by its numbers")
    func byNumber() async throws {
        let folder = try folder()
        defer { try? Files.removeTree(folder) }
        let table = try table(folder, #"{"simulate":{"tape":"t.tape"}}"#)
        var found: [HandlerOutcome] = []
        for (type, task, number) in [
            ("send", 3, 1), ("other", 4, 1), ("send", 1, 2), ("send", 1, 1), ("send", 2, 1),
        ] as [(String, TaskID, Int)] {
            found.append(try await outcome(table, type, task: task, number))
        }
        #expect(
            found == [
                .retry(afterMilliseconds: nil, error: "on the tape it ended as lost"),
                .park(error: "look"), .success(result: nil),
                .retry(afterMilliseconds: 0, error: "HTTP 503"),
                .giveUp(error: "no such address"),
            ])
    }

    @Test("G4 others get what is left of their type, in the order of the tape, and then an error")
    func byType() async throws {
        let folder = try folder()
        defer { try? Files.removeTree(folder) }
        let table = try table(folder, #"{"simulate":{"tape":"t.tape","duration":"0s"}}"#)
        // Its own outcome, which is then used up.
        _ = try await outcome(table, "send", task: 2, 1)
        var found: [HandlerOutcome] = []
        for task in [70, 71, 72, 73] as [TaskID] {
            found.append(try await outcome(table, "send", task: task, 1))
        }
        #expect(
            found == [
                .retry(afterMilliseconds: 0, error: "HTTP 503"), .success(result: nil),
                .retry(afterMilliseconds: nil, error: "on the tape it ended as lost"),
                .park(
                    error: "t.tape knows no attempt 1 of #74, and no other execution of send that "
                        + "is left"),
            ])
        // A number that has another type on the tape is another task.
        #expect(try await outcome(table, "other", task: 1, 1) == .park(error: "look"))
        // The tape omits attempts that ended before the recording.
        let early = try await outcome(table, "early", task: 0, 1)
        #expect(early.error?.hasPrefix("t.tape knows no attempt 1 of #1") == true)
    }

    @Test("G4 it takes as long as on the tape, or as it is told")
    func duration() async throws {
        let folder = try folder()
        defer { try? Files.removeTree(folder) }
        let handler = try #require(
            try table(folder, #"{"simulate":{"tape":"t.tape"}}"#).handler(for: "send"))
        let report = CollectingReport()
        let task = QueueTask(
            id: 2, queue: "mail", type: "send", position: 1, createdAt: Self.start,
            state: .waiting(Waiting()))
        let execution = Execution(
            task: task, payload: [], number: 2, idempotencyKey: "k", storeName: "s")
        let running = handler.start(execution, report: report)
        #expect(await report.outcome == .success(result: nil))
        #expect(report.seen.progress.map(\.fraction) == [1])
        running.stop()
    }

    @Test("G4 a tape that is cut is taken up to there, and says so where it knows nothing")
    func cut() async throws {
        let folder = try folder()
        defer { try? Files.removeTree(folder) }
        let whole = try Files.read("\(folder)/t.tape", limitBytes: 1 << 22)
        let lines = whole.split(separator: UInt8(ascii: "\n"))
        let part = lines.dropLast(2).joined(separator: [UInt8(ascii: "\n")])
        try Files.writeAtomically(Array(part) + [UInt8(ascii: "\n")], to: "\(folder)/cut.tape")
        let count = try TapeFile("\(folder)/cut.tape").count
        let table = try table(folder, #"{"simulate":{"tape":"cut.tape"}}"#)
        #expect(
            try await outcome(table, "send", task: 1, 1)
                == .retry(afterMilliseconds: 0, error: "HTTP 503"))
        let error = try await outcome(table, "other", task: 4, 1).error
        #expect(
            error?.hasSuffix("is left; the tape is cut off after event \(count)") == true,
            "\(error ?? "")")
    }

    @Test(
        "G4 what is no tape, newer, missing or said twice is refused with its place",
        arguments: [
            (#"{"tape":"no.tape"}"#, "there is no tape at"), (#"{"tape":"text"}"#, "is no tape"),
            (#"{"tape":"newer.tape"}"#, "is a tape of the format 99"),
            (#"{"tape":"edited.tape"}"#, "was changed since it was recorded"),
            (#"{"tape":7}"#, "\"simulate.tape\" is a number"),
            (#"{"tape":"t.tape","fail":2}"#, "\"simulate.fail\" means nothing with \"tape\""),
            (#"{"tape":"t.tape","tpae":"x"}"#, "there is no key \"simulate.tpae\""),
        ])
    func refused(_ entry: String, _ words: String) throws {
        let folder = try folder()
        defer { try? Files.removeTree(folder) }
        let tape = String(
            decoding: try Files.read("\(folder)/t.tape", limitBytes: 1 << 22), as: UTF8.self)
        for (name, text) in [
            ("text", "hello\n"),
            ("newer.tape", tape.replacing("{\"tape\":1,", with: "{\"tape\":99,")),
            ("edited.tape", tape.replacing("\"attempt\":", with: "\"attmept\":")),
        ] { try Files.writeAtomically(Array(text.utf8), to: "\(folder)/\(name)") }
        let error = #expect(throws: QueueError.self) {
            try table(folder, #"{"simulate":\#(entry)}"#)
        }
        #expect(error?.code == .badHandlers && error?.fix.isEmpty == false)
        #expect(error?.message.contains("handlers.json: handler \"*\":") == true)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
}
