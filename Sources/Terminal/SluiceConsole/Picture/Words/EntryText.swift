import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// A line of the log in words.
struct EntryText {
    var at: Timestamp
    var queue: String?
    var name: String?
    var type: String?
    var text: String
    var role: Role

    init(_ line: LogLine, names: TaskNames) {
        switch line.entry {
        case .journal(.event(let event)):
            at = event.at
            queue = event.queue
            name = event.task.map(names.name)
            text = names.text(of: event)
            // The task has a separate column.
            if let name, text.hasPrefix("\(name) ") { text.removeFirst(name.count + 1) }
            text += line.countWords
            role = Self.role(of: event.kind)
        case .arrival(let task):
            at = task.createdAt
            queue = task.queue
            name = names.name(task.id)
            type = task.type
            let who = task.parent.map { "the handler of \(names.name($0))" } ?? "an app"
            text = "enqueued by \(who)\(line.countWords)"
            role = .text
        case .begin(let attempt):
            at = attempt.startedAt
            queue = attempt.queue
            name = names.name(attempt.task)
            type = attempt.type
            text = attempt.beginWords + line.countWords
            role = .running
        case .journal(.attempt(let attempt)):
            at = attempt.endedAt ?? attempt.startedAt
            queue = attempt.queue
            name = names.name(attempt.task)
            type = attempt.type
            text = names.text(AttemptText(attempt).sentence)
            role = attempt.outcome?.role ?? .running
        }
    }

    func task(isWide: Bool) -> String {
        guard let name else { return "" }
        guard isWide, let type else { return name }
        return "\(name) \(type)"
    }

    private static func role(of kind: String) -> Role {
        switch kind {
        case "pause", "postpone", "network", "queueSet", "queueDelete", "runTimer": .time
        case "resume", "run", "runDue", "runBegan", "retry": .running
        case "delete", "purge", "expired", "died": .failed
        default: .text
        }
    }
}

extension AttemptRecord.Outcome {
    var role: Role {
        switch self {
        case .success: .running
        case .park, .pauseQueue, .offline, .cancelled, .stopped: .time
        case .retry, .giveUp, .lost, .timedOut, .abandoned: .failed
        }
    }
}
