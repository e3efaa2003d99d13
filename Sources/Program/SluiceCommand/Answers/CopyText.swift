import SluiceControl
import SluiceModel
import SluiceTransfer

/// The result of a copy, as text and as JSON.
struct CopyText {
    private let source: String
    private let target: String

    init(from source: String, to target: String) { (self.source, self.target) = (source, target) }

    /// The result for one queue, as text.
    func line(_ queue: CopiedQueue) -> String {
        let tasks = NumberText.tasks(queue.tasks)
        var line: String
        switch queue.outcome {
        case .moved: line = "\(queue.name): \(tasks) moved"
        case .copied: line = "\(queue.name): \(tasks) copied, paused there"
        case .movedBefore: line = "\(queue.name): moved before"
        case .wouldMove: line = "\(queue.name): \(tasks) would be moved"
        case .skipped(let error): return "\(queue.name): not moved: \(error.description)"
        }
        if queue.running > 0 { line += ", after the end of \(queue.running) that run" }
        if queue.late > 0 { line += ", \(NumberText.tasks(queue.late)) that came since brought" }
        if let digest = queue.digest { line += "; the same in both, digest \(digest)" }
        if queue.renumbered > 0 {
            line += "; \(NumberText.grouped(queue.renumbered)) have new numbers"
        }
        return line
    }

    /// The result for one queue, as JSON.
    func json(_ queue: CopiedQueue) -> JSONValue {
        var error: QueueError?
        if case .skipped(let reason) = queue.outcome { error = reason }
        return [
            "queue": .string(queue.name), "outcome": .string(word(queue.outcome)),
            "tasks": JSONValue(queue.tasks), "running": JSONValue(queue.running),
            "renumbered": JSONValue(queue.renumbered), "late": JSONValue(queue.late),
            "looks": JSONValue(queue.looks),
            "digest": queue.digest.map(JSONValue.string) ?? .null,
            "error": error.map(ErrorJSON.value) ?? .null,
        ]
    }

    private func word(_ outcome: CopiedQueue.Outcome) -> String {
        switch outcome {
        case .moved: "moved"
        case .copied: "copied"
        case .movedBefore: "movedBefore"
        case .wouldMove: "wouldMove"
        case .skipped: "skipped"
        }
    }

    /// The result of the whole copy.
    func reply(_ report: CopyReport) -> Reply {
        let skipped = report.skipped
        let moved = report.queues.filter { $0.outcome == .moved || $0.outcome == .copied }.count
        var reply = Reply(
            [
                "from": .string(source), "to": .string(target), "moved": JSONValue(moved),
                "skipped": JSONValue(skipped), "stopped": .bool(report.isStopped),
                "error": report.error.map(ErrorJSON.value) ?? .null,
            ], lines(report).map(SafeText.visible))
        reply.isConfirmation = skipped == 0 && report.error == nil && !report.isStopped
        if report.isStopped {
            reply.exit = .interrupted
        } else if skipped > 0 || report.error != nil {
            let isPart = report.queues.count > skipped
            reply.exit = isPart ? .partlyDone : .refused
        }
        return reply
    }

    private func lines(_ report: CopyReport) -> [String] {
        var lines: [String] = []
        let has = { (outcome: CopiedQueue.Outcome) in
            report.queues.contains { $0.outcome == outcome }
        }
        if report.queues.isEmpty, report.error == nil { lines.append("\(source) has no queue") }
        if has(.moved) {
            lines.append(
                "the moved tasks stay in \(source), paused: sluice queue delete NAME --yes "
                    + "forgets it, sluice resume NAME would run it twice")
        }
        if has(.copied) { lines.append("in \(target), sluice resume NAME would run it twice") }
        if let error = report.error { lines.append("it ended early: \(error.description)") }
        if report.isStopped { lines.append("stopped") }
        if report.isStopped || report.error != nil {
            lines.append("the same copy continues with the rest")
        }
        return lines
    }
}
