import SluiceForeignQueues
import SluiceModel

/// What people read of other systems' queues.
enum ForeignText {
    static func queues(_ queues: [ForeignQueue], now: Timestamp, width: Int?) -> [String] {
        guard !queues.isEmpty else { return ["no queues"] }
        // Few systems have what is taken and may not run yet.
        let hasTaken = queues.contains { $0.taken > 0 }
        var table = TextTable(
            [
                .words("QUEUE", limit: 40), .words("SYSTEM"), .numbers("WAITING"),
                .numbers("HELD"), .numbers("DELAYED"),
            ] + (hasTaken ? [.numbers("TAKEN")] : []) + [
                .numbers("RUNNING"), .numbers("FAILED"), .numbers("SKIPPED"),
                .words("STATE", limit: 100),
            ])
        table.rows = queues.map { queue in
            func text(_ count: Int, _ kind: ForeignCount) -> String {
                (queue.estimates.contains(kind) ? "~" : "") + "\(count)"
            }
            return [
                queue.name, queue.system, text(queue.waiting, .waiting), text(queue.held, .held),
                text(queue.delayed, .delayed),
            ] + (hasTaken ? [text(queue.taken, .taken)] : []) + [
                text(queue.running, .running), text(queue.failed, .failed),
                text(queue.skipped, .skipped), hold(queue, now: now),
            ]
        }
        return table.lines(width)
    }

    /// `held by dana, 2m: looking (412 waiting aside)`.
    static func hold(_ queue: ForeignQueue, now: Timestamp) -> String {
        guard let hold = queue.hold else {
            return queue.ownPause.map { "paused by \(queue.system): \($0)" }
                ?? ForeignJSON.state(queue)
        }
        let age = ClockText.age(hold.note.since, now: now)
        let reason = hold.note.reason.map { " (\($0))" } ?? ""
        let leak = hold.leak.map { "; \($0)" } ?? ""
        let about = queue.estimates.contains(.held) ? "~" : ""
        return "held by \(hold.note.by), \(age)\(reason): \(about)\(queue.held) waiting aside, "
            + "by \(hold.recipe)\(leak)"
    }

    static func tasks(
        _ tasks: [ForeignTask], more: Bool, now: Timestamp, width: Int?
    ) -> [String] {
        guard !tasks.isEmpty else { return ["no tasks"] }
        var table = TextTable([
            .words("ID", limit: 40), .words("QUEUE", limit: 24), .words("STATE"),
            .words("TYPE", limit: 40), .words("TRIES"), .words("AGE"), .words("WHEN"),
            .words("CALL OR ERROR", limit: 60),
        ])
        table.rows = tasks.map { task in
            let limit = task.attemptLimit.map { "/\($0)" } ?? ""
            return [
                task.reference, task.queue, task.display.word, task.type,
                task.attempts.map { "\($0)\(limit)" } ?? "",
                ClockText.age(task.createdAt, now: now),
                task.notBefore.map { ClockText.relative($0, now: now) } ?? "",
                task.error ?? task.label ?? "",
            ]
        }
        return table.lines(width) + (more ? ["… more: --limit, --after"] : [])
    }

    static func detail(_ detail: ForeignDetail) -> [String] {
        let task = detail.task
        var lines = ["\(task.reference)  \(task.queue)  \(task.type)  \(task.display.word)"]
        if let limit = task.attemptLimit {
            lines.append("attempts: \(task.attempts ?? 0)/\(limit)")
        }
        if let moment = task.notBefore { lines.append("not before: \(ClockText.moment(moment))") }
        if let error = task.error { lines.append("error: \(error)") }
        for pair in detail.fields.pairs {
            lines.append("\(pair.key): \(pair.value.string ?? pair.value.text)")
        }
        for attempt in detail.attempts {
            let error = attempt.error?.split(whereSeparator: \.isNewline).last.map { ": \($0)" }
            lines.append(
                "attempt \(attempt.number): \(attempt.outcome ?? "open")\(error ?? "")")
        }
        let fixed = detail.payload.whyFixed.map { ", not to be edited: \($0)" } ?? ""
        lines.append("payload (\(detail.payload.format)\(fixed)):")
        let bytes = detail.payload.value?.bytes ?? detail.payload.bytes
        return lines.map(SafeText.visible) + SafeText.lines(bytes).map { "  \($0)" }
    }

    static func timers(_ timers: [ForeignTimer], now: Timestamp, width: Int?) -> [String] {
        guard !timers.isEmpty else { return ["no timers"] }
        var table = TextTable([
            .words("ID", limit: 40), .words("QUEUE", limit: 24), .words("TYPE", limit: 40),
            .words("KIND"), .words("WHEN"),
        ])
        table.rows = timers.map { timer in
            [
                timer.task.reference, timer.task.queue, timer.task.type,
                timer.task.display == .retrying ? "retry" : "notBefore",
                ClockText.relative(timer.at, now: now),
            ]
        }
        return table.lines(width)
    }

    static func runners(_ runners: [ForeignRunner], now: Timestamp, width: Int?) -> [String] {
        guard !runners.isEmpty else { return ["no workers are known"] }
        var table = TextTable([
            .words("WORKER", limit: 40), .words("HOST"), .numbers("PID"), .numbers("SLOTS"),
            .words("QUEUES", limit: 40), .words("RUNNING", limit: 60), .words("HEARD"),
        ])
        table.rows = runners.map { runner in
            [
                runner.name, runner.host ?? "", runner.processID.map { "\($0)" } ?? "",
                runner.slots.map { "\($0)" } ?? "", runner.queues.joined(separator: ","),
                runner.running.joined(separator: " "), ClockText.age(runner.heardAt, now: now),
            ]
        }
        return table.lines(width)
    }

    static func steps(_ steps: [ForeignStep], queue: String) -> [String] {
        guard !steps.isEmpty else { return ["nothing of \(SafeText.visible(queue)) is held"] }
        return steps.map { step in
            let end = step.outcome ?? step.note ?? "taken"
            let error = step.error.map { ": \($0)" } ?? ""
            return SafeText.visible(
                "\(step.task.reference) \(step.task.type): \(end)\(error) "
                    + "(\(step.milliseconds) ms)")
        }
    }
}
