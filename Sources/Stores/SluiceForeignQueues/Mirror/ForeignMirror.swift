package import SluiceModel
package import SluiceStore

/// A snapshot of foreign queues as a store in memory, so that code for stores can read it. Tasks
/// have numbers, and queues have their shown names.
///
/// The store counts only the tasks that were read. The snapshot has the counts of the queues.
package struct ForeignMirror: Sendable {
    /// The store. Only this type writes to it.
    package let store: MemoryStore

    /// The name of the one worker that represents the workers of a system without a list.
    package static let unlisted = "not listed"

    /// Makes a store from a snapshot; `journal` has the known events.
    package init(
        _ look: ForeignLook, numbers: ForeignNumbers, journal: [JournalEvent] = [],
        at now: Timestamp
    ) throws {
        store = MemoryStore(name: "mirror")
        let told = ForeignSnapshot(look, numbers: numbers, at: now)
        try store.writeBlocking { writer in try told.fill(writer, journal) }
    }
}

extension ForeignSnapshot {
    fileprivate func fill(_ writer: any StoreWriter, _ journal: [JournalEvent]) throws {
        try writer.show(states)
        for queue in queues { try writer.put(queue) }
        for process in processes { try writer.put(process) }
        let tasks = tasks
        if let last = tasks.map(\.id).max() { _ = try writer.reserveTaskIDs(Int(last)) }
        try writer.insert(
            tasks.map { task in NewTask(task: task, payload: payload(of: task)) })
        if let detail = look.detail, let task = tasks.first(where: isSubject) {
            try writer.put(detail.told(of: task))
        }
        if !journal.isEmpty { try writer.append(journal) }
    }

    private func isSubject(_ task: QueueTask) -> Bool {
        look.subject.map { $0 == numbers.name(task.id) } ?? false
    }

    private func payload(of task: QueueTask) -> [UInt8] {
        if let detail = look.detail, isSubject(task) { return detail.payload.told }
        return numbers.name(task.id).flatMap { look.payloads[$0] } ?? []
    }
}

/// Tasks of other systems in this program's values.
extension ForeignTask {
    /// The task under a number of ours, in a queue of ours; `system` is the name that people use,
    /// and `run` its lease, where it runs.
    package func told(
        id: TaskID, queue: String, position: Int64, system: String, now: Timestamp, run: Running
    ) -> QueueTask {
        var task = QueueTask(
            id: id, queue: queue, type: type, position: position,
            createdAt: createdAt ?? .unknown, state: state(system: system, now: now, run: run))
        task.attempts = attempts ?? 0
        task.attemptLimit = attemptLimit
        task.priority = Int(priority ?? 0)
        task.label = label.flatMap(call)
        if isRetried { task.lastError = error }
        return task
    }

    /// Whether it waits for another execution after one that failed.
    private var isRetried: Bool {
        switch display {
        case .retrying: true
        case .next, .due, .held, .left: attempts ?? 0 > 0
        default: false
        }
    }

    /// The arguments in a task's label, without the function's name.
    private func call(_ label: String) -> String? {
        guard label.hasPrefix(type) else { return label }
        let rest = label.dropFirst(type.count)
        guard let first = rest.first else { return nil }
        if first == "(", rest.last == ")" {
            let arguments = rest.dropFirst().dropLast()
            // Python writes one argument as `(7,)`.
            return String(arguments.last == "," ? arguments.dropLast() : arguments)
        }
        return first == "(" || first == "[" ? String(rest) : label
    }

    private func state(system: String, now: Timestamp, run: Running) -> TaskState {
        let came = createdAt ?? .unknown
        let ended = endedAt ?? .unknown
        var waiting = Waiting()
        switch display {
        case .next, .due, .held, .left:
            // Its own worker would not begin it before.
            guard let notBefore, notBefore > now else { break }
            let cause: WaitTimer.Cause = attempts ?? 0 > 0 ? .retry : .notBefore
            waiting.timer = WaitTimer(until: notBefore, cause: cause, since: came)
        case .delayed, .retrying:
            waiting.timer = WaitTimer(
                until: notBefore ?? now, cause: display == .retrying ? .retry : .notBefore,
                since: came)
        case .skipped:
            waiting.skip = Skip(by: "a person", since: came, until: nil, endsWithRun: false)
        case .blocked:
            waiting.parking = Parking(
                blockedBy: system, detail: "it waits for something else first", since: came)
        case .taken, .running: return .running(run)
        case .succeeded: return .succeeded(Success(at: ended))
        case .failed:
            let reason = error ?? "\(system) keeps no error"
            return .failed(Failure(at: ended, reason: reason, startPolicy: nil))
        case .cancelled:
            return .deleted(
                Trash(at: ended, by: system, former: .waiting(Waiting()), startPolicy: nil))
        }
        return .waiting(waiting)
    }
}

extension ForeignTask.Display {
    /// The state in a copy. The rules decide a held task's state by its time.
    var told: SystemState { SystemState(word: rawValue, display: self == .held ? nil : shown) }

    /// The nearest state of this program's tasks.
    package var shown: Display {
        switch self {
        case .next: .next
        case .due, .held: .due
        case .left: .held
        case .delayed: .delayed
        case .retrying: .retrying
        case .skipped: .skipped
        case .blocked: .blocked
        case .taken, .running: .running
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled: .deleted
        }
    }
}

extension ForeignPayload {
    /// The payload for a Sluice store: JSON if it could be decoded, else the raw bytes.
    package var told: [UInt8] { value?.bytes ?? bytes }
}

extension QueueTask {
    /// Adds what only the details of a foreign task say: the reason why `system` blocks it, the end
    /// of its last execution, and the error of a task that waits for the next one.
    package mutating func complete(
        with detail: ForeignDetail, of system: some ForeignSystem
    ) throws {
        switch state {
        case .waiting(var waiting) where waiting.parking?.system != nil:
            // The advice names a task of the system, and the copy has other numbers.
            guard let reason = try system.obstacle(of: detail)?.beforeAdvice else { return }
            waiting.parking?.detail = reason
            state = .waiting(waiting)
        case .waiting(var waiting) where waiting.timer?.cause == .retry || lastError != nil:
            lastError = lastError ?? detail.task.error ?? detail.attempts.last?.error
            let moment = detail.lastEnd ?? .unknown
            waiting.timer?.since = moment
            updatedAt = moment
            state = .waiting(waiting)
        case .failed(var failure) where failure.at == .unknown:
            guard let moment = detail.lastEnd else { return }
            failure.at = moment
            state = .failed(failure)
        default: break
        }
    }
}

extension String {
    /// The part before the command that a reason ends with.
    fileprivate var beforeAdvice: String {
        let advice = Array(": sluice ")
        let letters = Array(self)
        let end = letters.indices.first { letters[$0...].starts(with: advice) }
        return String(letters[..<(end ?? letters.endIndex)])
    }
}

extension ForeignDetail {
    /// The end of the last execution, if its system keeps that.
    fileprivate var lastEnd: Timestamp? { attempts.compactMap(\.endedAt).max() }

    /// The executions, of a task of ours.
    package func told(of task: QueueTask) -> [AttemptRecord] {
        attempts.map { seen in
            var attempt = AttemptRecord(
                task: task, number: seen.number, runner: 0, startedAt: seen.startedAt ?? .unknown)
            attempt.endedAt = seen.endedAt
            attempt.outcome = seen.outcome.flatMap { AttemptRecord.Outcome(rawValue: $0) }
            attempt.error = seen.error
            return attempt
        }
    }
}
