import SluiceControl
import SluiceModel
import SluiceStore

/// A random store whose tasks have what filters ask about, and its answers as pure values.
struct FilterWorld: Sendable {
    static let words = ["kim", "timeout", "refused", "urgent", "client"]
    private static let payloads = [
        "{\"user\": {\"id\": 7, \"name\": \"kim\"}, \"items\": [1, {\"n\": 8}]}",
        "{\"user\":{\"id\":\"7\"},\"user\":\"Kim\",\"items\":[null]}",
        "{\"user\": null, \"a.b\": true}", "[7, \"k\\u0069m\"]", "", "kim said É", "{\"items\": [",
        "{\"us\\u0065r\": {\"id\": 7.0}}", "7", "{\"user\":{\"id\":9007199254740993}}",
    ].map { Array($0.utf8) }
    private static let errors: [String?] = [
        nil, nil, "timeout after 5 s", "connection refused", "Timeout\n5", "no",
    ]

    private(set) var world: RandomStore
    private(set) var payloads: [TaskID: [UInt8]] = [:]
    private(set) var attempts: [TaskID: AttemptRecord] = [:]

    init(seed: Int) {
        world = RandomStore(seed: seed, withPermits: true)
        var random = world.random
        for place in world.tasks.indices {
            var task = world.tasks[place]
            Self.fill(&task, &random)
            payloads[task.id] = random.pick(Self.payloads)
            if task.executions > 0, task.running == nil {
                var attempt = AttemptRecord(
                    task: task, number: task.executions, runner: ProcessID(1 + random.below(2)),
                    startedAt: at(60))
                attempt.endedAt = at(Int64(60 + random.below(20)))
                attempt.outcome = .retry
                attempts[task.id] = attempt
            }
            world.tasks[place] = task
        }
        world.random = random
    }

    private static func fill(_ task: inout QueueTask, _ random: inout SeededRandom) {
        task.label = random.pick([nil, nil, "Urgent", "none"])
        task.session = random.pick([nil, nil, "s", "t"])
        task.lastError = random.pick(errors)
        task.attempts = random.below(4)
        task.executions = task.attempts
        if case .running(let lease) = task.state { task.executions = lease.attempt }
        task.createdAt = at(Int64(random.below(100)))
        task.updatedAt = at(Int64(random.below(100)))
        if random.once(in: 3) { task.uniqueKey = "u\(task.id)" }
        if random.once(in: 5) { task.clientString = "the Client" }
        switch task.state {
        case .succeeded(var success):
            success.isAcknowledged = random.once(in: 2)
            task.state = .succeeded(success)
        case .failed(var failure):
            failure.isAcknowledged = random.once(in: 2)
            task.state = .failed(failure)
        case .waiting, .running, .deleted: break
        }
    }

    func put(into writer: any StoreWriter) throws {
        try world.put(into: writer)
        try writer.remove(world.tasks.map(\.id))
        try writer.insert(
            world.tasks.map { NewTask(task: $0, payload: payloads[$0.id] ?? []) })
        try writer.put(Array(attempts.values))
    }

    /// The matching tasks in the running order, computed from values alone. `uuid` returns the
    /// names of a folder.
    func answer(_ filter: TaskFilter, uuid: (TaskID) throws -> String?) throws -> [TaskID] {
        let order = world.queue.settings.order
        let found = try world.tasks.filter { task in
            let shown = display(of: task)
            let running = task.running.map {
                AttemptRecord(
                    task: task, number: $0.attempt, runner: $0.owner, startedAt: $0.since)
            }
            return try filter.matches(
                task,
                KnownFacts(
                    now: RandomStore.now, display: shown, payload: payloads[task.id] ?? [],
                    lastAttempt: running ?? attempts[task.id], uuid: try uuid(task.id),
                    twins: twins(of: task)))
        }
        return ListSection.order(found, order).map(\.id)
    }

    /// All tasks of the world are created within a minute, and their numbers are near.
    private func twins(of task: QueueTask) -> [TaskID] {
        world.tasks.filter {
            $0.id != task.id && $0.queue == task.queue && $0.type == task.type
                && payloads[$0.id] == payloads[task.id]
        }.map(\.id).sorted()
    }

    func display(of task: QueueTask) -> Display {
        let snapshot = snapshot
        return task.display(
            in: snapshot.eligibility(of: task), isNext: task.id == snapshot.next?.id)
    }

    /// The world's snapshot, with the rate keys of the payloads of this test.
    private var snapshot: Snapshot {
        var snapshot = world.snapshot
        guard let per = snapshot.queue.settings.rate?.per else { return snapshot }
        for task in world.tasks {
            snapshot.rateKeys[task.id] = RateKey(per, in: payloads[task.id] ?? [])
        }
        return snapshot
    }
}
