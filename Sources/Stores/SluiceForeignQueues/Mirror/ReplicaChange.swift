import SluiceModel
import SluiceStore

/// The differences between two snapshots, as one commit of a replica.
struct ReplicaChange: Sendable {
    private let now: Timestamp
    private var queues: [QueueRecord] = []
    private var goneQueues: [String] = []
    private var processes: [ProcessRecord] = []
    private var goneProcesses: [ProcessID] = []
    private var inserted: [NewTask] = []
    private var updated: [QueueTask] = []
    private var removed: [TaskID] = []
    private var attempts: [AttemptRecord] = []
    private var origins: [(task: TaskID, origin: String)] = []
    private var lines: [JournalEvent] = []
    /// The states of all tasks, if one has changed.
    private var states: [TaskID: SystemState]?
    /// The number of tasks in one request for payloads.
    private static let page = 200

    /// Computes the differences, and reads the payloads of new and changed tasks. The first
    /// snapshot produces no events.
    init(
        from old: ReplicaContents, to new: ReplicaContents, _ told: ForeignSnapshot,
        _ systems: ForeignStore, isFirst: Bool
    ) throws {
        now = told.now
        if old.displays != new.displays || isFirst { states = told.states }
        compareQueues(old, new)
        let gone = old.tasks.keys.filter { new.tasks[$0] == nil }.sorted()
        removed = gone
        for id in gone { if let task = old.tasks[id] { tell(gone: task, by: told.system(of: id)) } }
        let changed = told.look.tasks.filter { entry in
            let id = told.numbers.number(entry)
            // The reason of a blocked task changes with other tasks.
            return new.tasks[id] != nil
                && (old.tasks[id] != new.tasks[id] || entry.task.display == .blocked)
        }
        for system in systems.systems {
            var rest = changed.filter { $0.system == system.name }[...]
            while !rest.isEmpty {
                let part = rest.prefix(Self.page)
                rest = rest.dropFirst(part.count)
                let details = try system.details(of: part.map(\.task))
                for (entry, detail) in zip(part, details) {
                    let id = told.numbers.number(entry)
                    guard var task = new.tasks[id] else { continue }
                    let new = try take(detail, of: &task, system)
                    if old.tasks[id] == nil {
                        inserted.append(
                            NewTask(task: task, payload: detail?.payload.told ?? []))
                        origins.append(
                            (id, "\(system.name) \(systems.name) \(entry.task.reference)"))
                    } else {
                        if old.tasks[id] != task { updated.append(task) }
                    }
                    guard !isFirst, new == 0, old.displays[id] != entry.task.display else {
                        continue
                    }
                    tell(entry, task, isNew: old.tasks[id] == nil, by: system.title)
                }
            }
        }
        inserted.sort { $0.task.id < $1.task.id }
    }

    var written: [QueueTask] { inserted.map(\.task) + updated }

    /// Whether nothing is otherwise.
    var isEmpty: Bool {
        queues.isEmpty && goneQueues.isEmpty && processes.isEmpty && goneProcesses.isEmpty
            && inserted.isEmpty && updated.isEmpty && removed.isEmpty && lines.isEmpty
            && states == nil
    }

    func write(to writer: any StoreWriter) throws {
        try writer.tape()?.mark(now)
        if let states { try writer.show(states) }
        for queue in queues { try writer.put(queue) }
        for process in processes { try writer.put(process) }
        if !inserted.isEmpty {
            _ = try writer.reserveTaskIDs(inserted.count)
            try writer.insert(inserted)
            for (task, origin) in origins { try writer.putOrigin(origin, of: task) }
        }
        if !updated.isEmpty { try writer.update(updated) }
        if !removed.isEmpty { try writer.remove(removed) }
        if !attempts.isEmpty { try writer.put(attempts) }
        if !lines.isEmpty { try writer.append(lines) }
        for process in goneProcesses { try writer.removeProcess(process) }
        for queue in goneQueues { try writer.removeQueue(named: queue) }
    }

    private mutating func compareQueues(_ old: ReplicaContents, _ new: ReplicaContents) {
        queues = new.queues.values.filter { old.queues[$0.name] != $0 }.sorted { $0.name < $1.name }
        goneQueues = old.queues.keys.filter { new.queues[$0] == nil }.sorted()
        processes = new.processes.values.filter { old.processes[$0.id] != $0 }
            .sorted { $0.id < $1.id }
        goneProcesses = old.processes.keys.filter { new.processes[$0] == nil }.sorted()
        for queue in queues {
            guard let former = old.queues[queue.name], former.pauses != queue.pauses else {
                continue
            }
            let words = queue.pauses.first.map { "is paused by \($0.by)" } ?? "is not paused now"
            add(nil, in: queue.name, by: "sluice", "\(queue.name) \(words)")
        }
    }

    /// Takes the executions that were not there before; gives how many those are.
    private mutating func take(
        _ detail: ForeignDetail?, of task: inout QueueTask, _ system: some ForeignSystem
    ) throws -> Int {
        guard let detail else { return 0 }
        let ended = detail.told(of: task).filter { $0.outcome != nil && $0.endedAt != nil }
        let new = ended.filter { $0.number > task.executions }
        attempts += new
        task.executions = max(task.executions, ended.map(\.number).max() ?? 0)
        try task.complete(with: detail, of: system)
        return new.count
    }

    private mutating func tell(
        _ entry: ForeignLook.FoundTask, _ task: QueueTask, isNew: Bool, by system: String
    ) {
        let seen = entry.task
        let error = seen.error.map { ": \($0)" } ?? ""
        var words =
            switch seen.display {
            case .running: "runs"
            case .succeeded: "succeeded"
            case .failed: "failed\(error)"
            case .retrying: "waits for a retry\(error)"
            default: "is \(seen.display.phrase)"
            }
        let isDue = seen.display.word == ForeignTask.Display.due.word
        if isNew { words = isDue ? "came" : "came and \(words)" }
        add(task.id, in: task.queue, by: system, "#\(task.id) \(task.type) \(words)")
    }

    private mutating func tell(gone task: QueueTask, by system: String) {
        let words =
            task.running != nil ? "has ended; its system does not say how" : "is not there any more"
        add(task.id, in: task.queue, by: system, "#\(task.id) \(task.type) \(words)")
    }

    private mutating func add(_ task: TaskID?, in queue: String, by: String, _ text: String) {
        lines.append(
            JournalEvent(at: now, kind: "seen", queue: queue, task: task, by: by, text: text))
    }
}

extension ForeignSnapshot {
    /// The name that people use for the system of a task that was seen before.
    func system(of task: TaskID) -> String {
        numbers.name(task).flatMap { look.titles[$0.system] } ?? "sluice"
    }
}
