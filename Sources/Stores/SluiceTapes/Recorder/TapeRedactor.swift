import SluiceModel
import SluiceStore

/// Omits payload values from a tape, also in other texts of the task: errors, logs, the label, the
/// client string, the result, and journal lines. Omits each value of a header.
///
/// It keeps unique keys, groups, sessions and sort keys, since the rules depend on them.
struct TapeRedactor {
    private let paths: [PayloadPath]
    /// The number of payloads that contained each path.
    private(set) var counts: [Int]
    /// The omitted values of each task, while the task exists.
    private var values: [TaskID: [String]] = [:]
    /// The tasks that this commit removes; later changes of the commit may still mention them.
    private var gone: [TaskID] = []
    /// The redacted reasons of a queue's pauses, which can outlive their tasks.
    private var reasons: [String: [String: String]] = [:]

    init(_ paths: [PayloadPath]) {
        self.paths = paths
        counts = paths.map { _ in 0 }
    }

    var isEmpty: Bool { paths.isEmpty }

    mutating func record(gone ids: [TaskID]) { if !isEmpty { gone += ids } }

    mutating func endCommit() {
        for id in gone { values[id] = nil }
        gone.removeAll()
    }

    mutating func payload(_ payload: [UInt8], of id: TaskID) -> [UInt8] {
        guard !isEmpty, let parsed = try? JSONValue.parse(payload) else { return payload }
        var (json, found) = (parsed, Set<String>())
        for (place, path) in paths.enumerated() {
            json = json.replacing(at: path) { value in
                counts[place] += 1
                found.formUnion(value.spellings)
                return "redacted"
            }
        }
        guard json != parsed else { return payload }
        values[id] = Redactions.ordered(found.union(values[id] ?? []))
        return Array(json.text.utf8)
    }

    func text(_ text: String, of id: TaskID) -> String {
        guard let values = values[id] else { return text }
        return Redactions.replacing(values, in: text).0
    }

    func bytes(_ bytes: [UInt8], of id: TaskID) -> [UInt8] {
        guard values[id] != nil, let string = String(validating: bytes, as: UTF8.self) else {
            return bytes
        }
        return Array(text(string, of: id).utf8)
    }

    func task(_ task: QueueTask) -> QueueTask {
        guard !isEmpty else { return task }
        var task = task
        task.headers = task.headers.mapValues { _ in Redactions.mark }
        guard values[task.id] != nil else { return task }
        task.label = task.label.map { text($0, of: task.id) }
        task.lastError = task.lastError.map { text($0, of: task.id) }
        task.clientString = task.clientString.map {
            ClientString(bytes: bytes($0.bytes, of: task.id))
        }
        task.state = state(task.state, of: task.id)
        return task
    }

    private func state(_ state: TaskState, of id: TaskID) -> TaskState {
        switch state {
        case .waiting(var waiting):
            if let parking = waiting.parking {
                waiting.parking?.detail = text(parking.detail, of: id)
            }
            return .waiting(waiting)
        case .failed(var failure):
            failure.reason = text(failure.reason, of: id)
            return .failed(failure)
        case .deleted(var trash):
            trash.former = self.state(trash.former, of: id)
            return .deleted(trash)
        case .running, .succeeded: return state
        }
    }

    /// A line of a log, redacted. In the line of a request, the paths in its bodies too.
    private func logLine(_ line: String, of id: TaskID) -> String {
        guard let exchange = WebExchange(line: line) else { return text(line, of: id) }
        var redactions = Redactions(paths)
        return redactions.clean(exchange).mappingTexts(
            body: { body in
                var body = body
                body.text = text(body.text, of: id)
                return body
            }, text: { text($0, of: id) }
        ).line
    }

    func attempt(_ attempt: AttemptRecord) -> AttemptRecord {
        guard !isEmpty else { return attempt }
        var attempt = attempt
        attempt.error = attempt.error.map { text($0, of: attempt.task) }
        attempt.progressText = attempt.progressText.map { text($0, of: attempt.task) }
        attempt.log = attempt.log.map { logLine($0, of: attempt.task) }
        return attempt
    }

    /// Without the values of each task that it names.
    func event(_ event: JournalEvent) -> JournalEvent {
        guard !isEmpty else { return event }
        var event = event
        for id in Self.named(in: "\(event.by) \(event.text)") + [event.task].compactMap(\.self) {
            event.text = text(event.text, of: id)
        }
        return event
    }

    mutating func queue(_ queue: QueueRecord) -> QueueRecord {
        guard !isEmpty, !queue.pauses.isEmpty || reasons[queue.name] != nil else { return queue }
        var (queue, told) = (queue, [String: String]())
        for place in queue.pauses.indices {
            guard let reason = queue.pauses[place].reason else { continue }
            let clean =
                reasons[queue.name]?[reason]
                ?? Self.named(in: queue.pauses[place].by).reduce(reason) { text($0, of: $1) }
            told[reason] = clean
            queue.pauses[place].reason = clean
        }
        reasons[queue.name] = told.isEmpty ? nil : told
        return queue
    }

    /// Redacts a completion. Omits the result, since it may contain payload values.
    func completion(_ completion: Completion) -> Completion {
        guard !isEmpty else { return completion }
        var (completion, id) = (completion, completion.task)
        completion.result = nil
        if var progress = completion.progress {
            progress.text = progress.text.map { text($0, of: id) }
            progress.log = progress.log.map { logLine($0, of: id) }
            completion.progress = progress
        }
        if case .handler(let outcome, let restarts) = completion.ending {
            let clean = outcome.replacing { text($0, of: id) }
            completion.ending = .handler(clean, restarts: restarts)
        }
        return completion
    }

    /// The numbers of the tasks that a text names as `#5`.
    private static func named(in text: String) -> [TaskID] {
        text.split(separator: "#", omittingEmptySubsequences: false).dropFirst().compactMap {
            TaskID($0.prefix { $0.isASCII && $0.isNumber })
        }
    }
}

extension HandlerOutcome {
    /// The same with another error, and without a result.
    fileprivate func replacing(_ change: (String) -> String) -> HandlerOutcome {
        switch self {
        case .success: .success(result: nil)
        case .retry(let after, let error):
            .retry(afterMilliseconds: after, error: error.map(change))
        case .park(let error): .park(error: error.map(change))
        case .giveUp(let error): .giveUp(error: error.map(change))
        case .offline(let error): .offline(error: error.map(change))
        case .pauseQueue(let milliseconds, let isCounted, let error):
            .pauseQueue(
                milliseconds: milliseconds, isCounted: isCounted, error: error.map(change))
        }
    }
}
