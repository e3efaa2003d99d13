import SluiceModel
import SluiceStore

/// A snapshot of foreign queues as values of a Sluice store: queues, workers, and numbered tasks.
struct ForeignSnapshot {
    let look: ForeignLook
    let numbers: ForeignNumbers
    let now: Timestamp
    private let firstProcess: ProcessID
    private let names: [String: [ExactText: String]]
    private let running: [TaskID: Timestamp]

    /// Converts a snapshot. Worker ids begin after `firstProcess`, which itself represents unnamed
    /// workers.
    init(
        _ look: ForeignLook, numbers: ForeignNumbers, firstProcess: ProcessID = 0,
        at now: Timestamp
    ) {
        (self.look, self.numbers, self.now) = (look, numbers, now)
        self.firstProcess = firstProcess
        names = Dictionary(grouping: look.queues.keys, by: \.system).mapValues { queues in
            Dictionary(queues.map { (ExactText($0.name), $0.shown) }) { first, _ in first }
        }
        let known = look.tasks.filter { $0.task.display.state == .running }.map(numbers.number)
        running = numbers.running(Set(known), at: now)
    }

    var queues: [QueueRecord] { look.queues.map { record($0, $1) } }

    /// The tasks in the order of their queue, their places as positions.
    var tasks: [QueueTask] {
        inOrder.enumerated().compactMap { task($1, position: Int64($0) + 1) }
    }

    /// The states of the tasks as their systems show them.
    var states: [TaskID: SystemState] {
        Dictionary(
            look.tasks.map { (numbers.number($0), $0.task.display.told) }, uniquingKeysWith: { $1 })
    }

    var processes: [ProcessRecord] {
        var found: [ProcessRecord] = []
        func add(_ host: String, _ queues: [String]?, _ runner: ForeignRunner?) {
            var process = ProcessRecord(
                id: firstProcess + ProcessID(found.count) + 1, role: .runner, host: host,
                bootID: "", pid: runner?.processID ?? 0, lockName: "",
                attachedAt: runner?.heardAt ?? .unknown)
            process.queues = queues
            process.slots = runner?.slots ?? runner?.running.count ?? 0
            found.append(process)
        }
        for (system, runner) in look.runners {
            // A worker without listed queues may serve every queue of its system.
            let all = Array(names[system, default: [:]].values)
            let served =
                runner.queues.isEmpty ? all : runner.queues.compactMap { names[system]?[$0] }
            add(runner.host ?? runner.name, served.sorted(), runner)
        }
        for system in look.runnerless {
            add(ForeignMirror.unlisted, names[system, default: [:]].values.sorted(), nil)
        }
        return found
    }

    /// The tasks in queue order. A skipped task has lost its position: it appears before waiting
    /// tasks with a higher number.
    private var inOrder: [ForeignLook.FoundTask] {
        var ordered = look.tasks.filter { $0.task.display != .skipped }
        for aside in look.tasks where aside.task.display == .skipped {
            let own = numbers.number(aside)
            let place = ordered.firstIndex { other in
                other.system == aside.system && other.task.queue.isSame(as: aside.task.queue)
                    && other.task.display.state == .waiting && numbers.number(other) > own
            }
            ordered.insert(aside, at: place ?? ordered.endIndex)
        }
        return ordered
    }

    private func record(_ name: ForeignQueueName, _ queue: ForeignQueue) -> QueueRecord {
        var record = QueueRecord(name: name.shown, createdAt: queue.oldest ?? now)
        record.settings.attemptLimit = nil
        // No system has such a limit.
        record.settings.stuckAfterMilliseconds = .max
        record.settings.concurrency = QueueSettings.anyConcurrency
        if let hold = queue.hold {
            let reason = ([hold.note.reason].compactMap { $0 } + hold.defects)
                .joined(separator: "; ")
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

    /// Converts a task; `nil` if its queue no longer exists.
    private func task(_ entry: ForeignLook.FoundTask, position: Int64) -> QueueTask? {
        let seen = entry.task
        guard let queue = names[entry.system]?[seen.queue] else { return nil }
        let number = numbers.number(entry)
        return seen.told(
            id: number, queue: queue, position: position,
            system: look.titles[entry.system] ?? entry.system, now: now,
            run: Running(
                owner: owner(of: entry), token: 1, attempt: 1,
                since: seen.startedAt.map { min($0, now) } ?? running[number] ?? now))
    }

    private func owner(of seen: ForeignLook.FoundTask) -> ProcessID {
        let place = look.runners.firstIndex {
            $0.system == seen.system
                && $0.runner.running.contains { $0.isSame(as: seen.task.reference) }
        }
        return firstProcess + ProcessID(place.map { $0 + 1 } ?? 0)
    }
}
