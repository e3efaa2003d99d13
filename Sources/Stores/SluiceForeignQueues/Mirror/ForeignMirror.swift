package import SluiceModel
package import SluiceStore

/// What one look read of other systems' queues, as a store in memory: who knows stores reads it
/// with what they have. Its tasks have numbers, its queues the names that are shown.
///
/// The counts of such a store are those of the tasks that were read; those of the queues stand in
/// the look.
package struct ForeignMirror: Sendable {
    /// The store; nobody else writes to it.
    package let store: MemoryStore
    private let look: ForeignLook
    private let numbers: ForeignNumbers
    private let now: Timestamp
    private let names: [String: [String: String]]
    private let running: [TaskID: Timestamp]

    /// Makes a store of a look; `journal` is what is known to have happened.
    package init(
        _ look: ForeignLook, numbers: ForeignNumbers, journal: [JournalEvent] = [],
        at now: Timestamp
    ) throws {
        (self.look, self.numbers, self.now) = (look, numbers, now)
        names = Dictionary(grouping: look.queues.keys, by: \.system).mapValues { queues in
            Dictionary(uniqueKeysWithValues: queues.map { ($0.name, $0.shown) })
        }
        let known = look.tasks.filter { $0.task.display == .running }.map {
            numbers.number(ForeignNumbers.Name(system: $0.system, reference: $0.task.reference))
        }
        running = numbers.running(Set(known), at: now)
        store = MemoryStore(name: "mirror")
        try store.writeBlocking { [self] writer in try fill(writer, journal) }
    }

    /// The workers of a system that keeps no list of them stand as one of this name.
    package static let unlisted = "not listed"

    private func fill(_ writer: any StoreWriter, _ journal: [JournalEvent]) throws {
        for (name, queue) in look.queues { try writer.put(record(name, queue)) }
        for process in processes { try writer.put(process) }
        var tasks: [QueueTask] = []
        for (place, sighting) in inOrder.enumerated() {
            if let task = task(sighting, position: Int64(place) + 1) { tasks.append(task) }
        }
        if let last = tasks.map(\.id).max() { _ = try writer.takeTaskIDs(Int(last)) }
        try writer.insert(
            tasks.map { task in NewTask(task: task, payload: payload(of: task)) })
        if let detail = look.detail, let task = tasks.first(where: isSubject) {
            try writer.put(detail.told(of: task))
        }
        if !journal.isEmpty { try writer.append(journal) }
    }

    /// The tasks in the order of their queue. What is set aside has lost its place there: it is
    /// shown before those that were seen later.
    private var inOrder: [ForeignLook.Sighting] {
        func number(_ sighting: ForeignLook.Sighting) -> TaskID {
            numbers.number(
                ForeignNumbers.Name(
                    system: sighting.system, reference: sighting.task.reference))
        }
        var ordered = look.tasks.filter { $0.task.display != .skipped }
        for aside in look.tasks where aside.task.display == .skipped {
            let own = number(aside)
            let place = ordered.firstIndex { other in
                other.system == aside.system && other.task.queue == aside.task.queue
                    && other.task.display.state == .waiting && number(other) > own
            }
            ordered.insert(aside, at: place ?? ordered.endIndex)
        }
        return ordered
    }

    private func record(_ name: ForeignQueueName, _ queue: ForeignQueue) -> QueueRecord {
        var record = QueueRecord(name: name.shown, createdAt: queue.oldest ?? now)
        record.settings.attemptLimit = nil
        // No system says since when a task runs.
        record.settings.stuckAfterMilliseconds = .max
        record.settings.concurrency = 1_000_000
        if let hold = queue.hold {
            let reason = [hold.note.reason, hold.leak].compactMap { $0 }.joined(separator: "; ")
            record.pauses.append(
                Pause(
                    cause: .person, by: hold.note.by, reason: reason.isEmpty ? nil : reason,
                    since: hold.note.since))
        }
        if let own = queue.ownPause {
            record.pauses.append(
                Pause(cause: .app, by: queue.system, reason: own, since: .unknown))
        }
        return record
    }

    private var processes: [ProcessRecord] {
        var found: [ProcessRecord] = []
        func add(_ host: String, _ queues: [String]?, _ runner: ForeignRunner?) {
            var process = ProcessRecord(
                id: ProcessID(found.count) + 1, role: .runner, host: host, bootID: "",
                pid: runner?.processID ?? 0, lockName: "",
                attachedAt: runner?.heardAt ?? .unknown)
            process.queues = queues
            process.slots = runner?.slots ?? runner?.running.count ?? 0
            found.append(process)
        }
        for (system, runner) in look.runners {
            // One that does not say what it serves may serve each queue of its system.
            let all = Array(names[system, default: [:]].values)
            let served =
                runner.queues.isEmpty ? all : runner.queues.compactMap { names[system]?[$0] }
            add(runner.host ?? runner.name, served.sorted(), runner)
        }
        for system in look.runnerless {
            add(Self.unlisted, names[system, default: [:]].values.sorted(), nil)
        }
        return found
    }

    private func isSubject(_ task: QueueTask) -> Bool {
        look.subject.map { $0 == numbers.name(task.id) } ?? false
    }

    private func payload(of task: QueueTask) -> [UInt8] {
        if let detail = look.detail, isSubject(task) { return detail.payload.told }
        return numbers.name(task.id).flatMap { look.payloads[$0] } ?? []
    }

    /// Nil for a task of a queue that is gone by now.
    private func task(_ sighting: ForeignLook.Sighting, position: Int64) -> QueueTask? {
        let seen = sighting.task
        guard let queue = names[sighting.system]?[seen.queue] else { return nil }
        let name = ForeignNumbers.Name(system: sighting.system, reference: seen.reference)
        return seen.told(
            id: numbers.number(name), queue: queue, position: position, system: name.system,
            now: now,
            run: Running(
                owner: owner(of: name), token: 1, attempt: 1,
                since: running[numbers.number(name)] ?? now))
    }

    private func owner(of name: ForeignNumbers.Name) -> ProcessID {
        let place = look.runners.firstIndex {
            $0.system == name.system && $0.runner.running.contains(name.reference)
        }
        return ProcessID(place.map { $0 + 1 } ?? 0)
    }
}
