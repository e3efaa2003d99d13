import FoundationEssentials
import Sluice
import SluiceSystem
import SluiceTesting
import Testing

/// Errors for an app's mistakes, and times in Foundation's types.
@Suite("library: mistakes, moments, the end")
struct MistakeTests {
    struct Job: TaskPayload {
        static let taskType = "job"
    }

    @Test("a worker is told of names that are no queue yet, with the nearest one, and serves them")
    func unknownQueue() async throws {
        let app = QueueClient(store: MemoryStore())
        try app.handle(Job.self) { _, _ in }
        try await app.enqueue(Job(), to: "mails")
        let told = Protected<[QueueError]>([])
        let worker = try app.start(queues: ["mails", "mial", "maisl"], network: nil) { event in
            if case .troubled(let error) = event { told.withLock { $0.append(error) } }
        }
        #expect(worker.unknownQueues.map(\.code) == [.unknownQueue, .unknownQueue])
        #expect(told.withLock { $0 } == worker.unknownQueues)
        #expect(worker.unknownQueues.last?.fix == "did you mean \"mails\"?")
        #expect(worker.unknownQueues.first?.message.contains("\"mial\" yet") == true)
        try await app.enqueue(Job(), to: "mial")
        let answer = try await app.expect("ran(type:job) == 2", within: .seconds(60))
        #expect(answer.held, "\(answer)")
        try await worker.stop()
        let whole = try app.start(network: nil)
        #expect(whole.unknownQueues == [])
        try await whole.stop()
    }

    @Test("the value of a last expression is no result; one that is asked for is kept (S4)")
    func results() async throws {
        func result(_ app: QueueClient) async throws -> [UInt8]? {
            let session = try await app.session("s", of: Job.self)
            let id = try await session.enqueue(Job())
            try await app.runAll()
            return try await app.store.read { try $0.result(of: id) }
        }
        let (plain, asked) = (try QueueClient.inMemory(), try QueueClient.inMemory())
        @Sendable @discardableResult func answer() -> Int { 7 }
        try plain.handle(Job.self) { _, _ in answer() }
        #expect(try await result(plain) == nil)
        try asked.handle(Job.self, returning: Int.self) { _, _ in answer() }
        #expect(try await result(asked) == Array("7".utf8))
    }

    @Test("a QueueError says its sentence and its way out to Foundation")
    func localized() {
        let error: any Error = QueueError(.badValue, "it is 0", fix: "say 1")
        #expect((error as? any LocalizedError)?.errorDescription == "it is 0")
        #expect((error as? any LocalizedError)?.recoverySuggestion == "say 1")
        #expect(QueueError(.badValue, "it is 0").recoverySuggestion == nil)
    }

    @Test("G3 a moment may be a Date, and a delay a Duration by the clock of the store")
    func moments() async throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000.25)
        #expect(Timestamp(start).milliseconds == 1_800_000_000_250)
        #expect(Timestamp(start).date == start)
        #expect(Timestamp(.distantPast) < Timestamp(start))
        let app = try QueueClient.inMemory(startingAt: Timestamp(start))
        try await app.enqueue(Job(), to: "q", at: start.addingTimeInterval(60))
        try await app.enqueue(Job(), to: "q", after: .seconds(90))
        try await app.enqueue([Job(), Job()], to: "q", after: .milliseconds(1_500))
        try await app.enqueue(
            Job(), to: "q", at: start.addingTimeInterval(5), after: .seconds(2))
        let until = try await app.store.read { store in
            try store.tasks([1, 2, 3, 4, 5]).map { $0.waiting?.timer?.until.milliseconds ?? 0 }
        }
        #expect(until.map { $0 - 1_800_000_000_250 } == [60_000, 90_000, 1_500, 1_500, 5_000])
    }

    @Test("B5 members that nothing starts where they wait are told after the commit, and stand")
    func groups() async throws {
        let app = QueueClient(store: MemoryStore())
        let told = Protected<[String]>([])
        try await app.enqueue(Job(), to: "q") { $0.groupMembers = ["unasked"] }
        app.onGroupMistake { _, sentence in told.withLock { $0.append(sentence) } }
        try await app.enqueue(Job(), to: "other") { $0.groupStart = "g" }
        try await app.enqueue([Job(), Job()], to: "q") { _, task in task.groupMembers = ["g"] }
        try await app.enqueue(Job(), to: "q") { $0.groupMembers = ["h"] }
        let expected = [
            "nothing holds #3 in q: the group g starts in other, and a start holds only members of "
                + "its queue",
            "nothing holds #5 in q: the group h has no start",
        ]
        #expect(told.withLock { $0 } == expected)
        // No warning for a start that waits, has finished, or may have finished.
        try await app.enqueue(Job(), to: "q") { $0.groupStart = "s" }
        try await app.enqueue(Job(), to: "q") { $0.groupMembers = ["s"] }
        try app.handle(Job.self) { _, _ in }
        try await app.drain(network: nil)
        try await app.enqueue(Job(), to: "q") { $0.groupMembers = ["s", "h"] }
        #expect(told.withLock { $0 } == expected)
    }

    @Test("options say their values as they are made, priorities are Int, presets have names")
    func options() async throws {
        let options = RunnerOptions(slots: 2, queues: ["q"], stopGraceMilliseconds: 7)
        #expect(options.slots == 2 && options.queues == ["q"] && !options.endsWhenEmpty)
        #expect(options.stopGraceMilliseconds == 7 && RunnerOptions() == RunnerOptions(slots: 8))
        let app = try QueueClient.inMemory()
        let rank: Int = 3
        try await app.control.perform(
            .setQueue("q", [.preset(.delayedJob), .start(.batched), .priority(rank)]))
        try await app.enqueue(Job(), to: "q") { $0.priority = rank }
        let request = EnqueueRequest(type: "job", priority: rank + 1, label: "first")
        try await app.control.perform(.enqueue(queue: "q", [request]))
        let (queue, tasks) = try await app.store.read { store in
            (try store.requireQueue("q"), try store.tasks([1, 2]))
        }
        #expect(queue.settings.preset == "delayed-job" && queue.settings.start.kind == .batched)
        #expect(queue.settings.priority == rank && tasks.map(\.priority) == [rank, rank + 1])
        #expect(tasks.map(\.label) == [nil, "first"])
        // A name computed at run time may be invalid.
        let typed = PresetName(rawValue: ["delayed", "jobs"].joined(separator: "-"))
        let error = await #expect(throws: QueueError.self) {
            try await app.control.perform(.setQueue("q", [.preset(typed)]))
        }
        #expect(error?.code == .badValue && error?.message.contains("delayed-jobs") == true)
        #expect(
            Set(QueueSettings.presets.map(\.name))
                == Set(
                    [PresetName.customerIO, .yap, .delayedJob, .transfer, .startup].map(\.rawValue))
        )
    }

    @Test("close stops the workers, lets go what the app paused, and closes the store")
    func close() async throws {
        let app = QueueClient(store: MemoryStore())
        let workers = try (0..<2).map { _ in try app.start(network: nil) }
        try await app.enqueue(Job(), to: "q")
        try await app.pause("q")
        try await app.close()
        for worker in workers { try await worker.end() }
        let error = await #expect(throws: QueueError.self) { try await app.enqueue(Job(), to: "q") }
        #expect(error?.code == .noStore)
    }
}
