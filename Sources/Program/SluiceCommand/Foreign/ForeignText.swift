import SluiceConsole
import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceStore

/// Text output for foreign queues.
enum ForeignText {
    /// The queues as a table; `lacks` say by their places why no worker takes their tasks.
    static func queues(
        _ queues: [ForeignQueue], lacks: [Int: RunnerLack] = [:], now: Timestamp, width: Int?
    ) -> [String] {
        guard !queues.isEmpty else { return ["no queues"] }
        typealias Column = TextTable<(place: Int, queue: ForeignQueue)>.Column
        func counts(
            _ heading: String, _ kind: ForeignCount, _ count: @escaping (ForeignQueue) -> Int
        ) -> Column {
            .numbers(heading) { number(count($0.queue), kind, of: $0.queue) }
        }
        // Few systems have tasks that are fetched but may not run yet.
        let hasTaken = queues.contains { $0.taken > 0 }
        let names = ForeignQueueName.names(of: queues)
        let first: [Column] = [
            .words("QUEUE", limit: 40) { names[$0.place].spelled },
            .words("SYSTEM") { $0.queue.system },
            counts("WAITING", .waiting, \.waiting), counts("HELD", .held, \.held),
            counts("DELAYED", .delayed, \.delayed),
        ]
        let last: [Column] = [
            counts("RUNNING", .running, \.running), counts("FAILED", .failed, \.failed),
            counts("SKIPPED", .skipped, \.skipped),
            .words("STATE", limit: 100) { hold($0.queue, lack: lacks[$0.place], now: now) },
        ]
        let taken = hasTaken ? [counts("TAKEN", .taken, \.taken)] : []
        let rows = queues.enumerated().map { (place: $0.offset, queue: $0.element) }
        return TextTable(first + taken + last).lines(rows, width)
    }

    /// `held by dana, 2m: looking (412 waiting aside)`, `no worker for mail`, `running`.
    static func hold(
        _ queue: ForeignQueue, lack: RunnerLack? = nil, now: Timestamp
    ) -> String {
        guard queue.name.isExactName else { return "not read: its name is no UTF-8" }
        guard let hold = queue.hold else {
            let aside = queue.leftAside > 0 ? ", \(queue.leftAside) held since a hold" : ""
            return queue.ownPause.map { "paused by \(queue.system): \($0)" }
                ?? queue.status(lack: lack).words + aside
        }
        let age = ClockText.age(hold.note.since, now: now)
        let reason = hold.note.reason.map { " (\($0))" } ?? ""
        let leak = hold.defects.map { "; \($0)" }.joined()
        return "held by \(hold.note.by), \(age)\(reason): \(held(queue)), "
            + "by \(method(hold))\(leak)"
    }

    /// The method of a hold in words; JSON has its name.
    static func method(_ hold: ForeignHold) -> String {
        hold.recipe == "guards" ? "blocking keys" : hold.recipe
    }

    /// `412 held`, with the signs of an estimate and of a lower bound.
    static func held(_ queue: ForeignQueue) -> String {
        number(queue.held, .held, of: queue) + " held"
    }

    private static func number(
        _ count: Int, _ kind: ForeignCount, of queue: ForeignQueue
    ) -> String {
        queue.marked("\(count)", kind)
    }

    /// The leak of a hold, with the command against it; empty without one.
    static func leak(_ queue: ForeignQueue) -> String {
        guard let hold = queue.hold, let leak = hold.leak else { return "" }
        let pause = "sluice \(ShellWord.command("pause", queue.name)) continues"
        return "; \(leak): \(hold.mend ?? pause)"
    }

    static func tasks(
        _ tasks: [ForeignTask], more: Bool, now: Timestamp, width: Int?
    ) -> [String] {
        guard !tasks.isEmpty else {
            return [more ? "no task is shown, and there are more: sluice queues" : "no tasks"]
        }
        let table = TextTable<ForeignTask>([
            .words("ID", limit: 40) { $0.reference },
            .words("QUEUE", limit: 24) { $0.queue },
            .words("STATE") { $0.display.word },
            .words("TYPE", limit: 40) { $0.type },
            .words("TRIES") { task in
                let limit = task.attemptLimit.map { "/\($0)" } ?? ""
                return task.attempts.map { "\($0)\(limit)" } ?? ""
            },
            .words("AGE") { ClockText.age($0.createdAt, now: now) },
            .words("WHEN") { $0.notBefore.map { ClockText.relative($0, now: now) } ?? "" },
            .words("CALL OR ERROR") { $0.error ?? $0.label ?? "" },
        ])
        return table.lines(tasks, width) + (more ? ["… more: --limit, --after"] : [])
    }

    /// The worker with a running task, and how the task is returned if that worker is dead.
    static func holder(
        _ holder: ForeignHolder, command: String?, now: Timestamp
    ) -> [String] {
        let since = holder.since.map { " since \(ClockText.moment($0))" } ?? ""
        let heard = holder.heardAt.map { ", last heard of \(ClockText.age($0, now: now)) ago" }
        let way = (command.map { "\($0); " } ?? "") + holder.advice
        let name = holder.worker.map { "worker \($0)" } ?? "a worker that is not recorded"
        let lines =
            holder.isGone
            ? ["no worker has it: \(name), which is gone, had it\(since)\(heard ?? "")", way]
            : ["\(name) has it\(since)\(heard ?? "")", "if that worker is dead: \(way)"]
        return lines.map { SafeText.visible("  \($0)") }
    }

    static func detail(_ detail: ForeignDetail) -> [String] {
        let task = detail.task
        var lines = ["\(task.reference)  \(task.queue)  \(task.type)  \(task.display.word)"]
        if let limit = task.attemptLimit {
            lines.append(
                "attempts: " + (task.attempts.map { "\($0)/\(limit)" } ?? "at most \(limit)"))
        }
        if let moment = task.notBefore { lines.append("not before: \(ClockText.moment(moment))") }
        if let error = task.error { lines.append("error: \(error)") }
        for pair in detail.fields.pairs {
            lines.append("\(pair.key): \(pair.value.string ?? pair.value.text)")
        }
        for attempt in detail.attempts {
            let error = attempt.error.flatMap(causeLine(of:)).map { ": \($0)" }
            lines.append(
                "attempt \(attempt.number): \(attempt.outcome ?? "open")\(error ?? "")")
        }
        let fixed = detail.payload.whyFixed.map { ", not to be edited: \($0)" } ?? ""
        lines.append("payload (\(detail.payload.format)\(fixed)):")
        let bytes = detail.payload.value?.bytes ?? detail.payload.bytes
        return lines.map(SafeText.visible) + SafeText.lines(bytes).map { "  \($0)" }
    }

    /// The line of an error that names its cause. A Python traceback, which may follow a message,
    /// has it last, and any other error first.
    private static func causeLine(of error: String) -> Substring? {
        let lines = error.split(whereSeparator: \.isNewline)
        let isPython = lines.first?.contains("Traceback (most recent call last)") == true
        return isPython ? lines.last { $0.first?.isWhitespace == false } : lines.first
    }

    static func timers(_ timers: [ForeignTimer], now: Timestamp, width: Int?) -> [String] {
        guard !timers.isEmpty else { return ["no timers"] }
        return TextTable<ForeignTimer>([
            .words("ID", limit: 40) { $0.task.reference },
            .words("QUEUE", limit: 24) { $0.task.queue },
            .words("TYPE", limit: 40) { $0.task.type },
            .words("KIND") { $0.task.display == .retrying ? "retry" : "notBefore" },
            .words("WHEN") { ClockText.relative($0.at, now: now) },
        ]).lines(timers, width)
    }

    static func runners(
        _ runners: [ForeignRunner], unlisted: [String], now: Timestamp, width: Int?
    ) -> [String] {
        let rest = unlisted.map { "workers not known: \($0) keeps no list of them" }
        guard !runners.isEmpty else { return rest.isEmpty ? ["no workers are known"] : rest }
        return rest
            + TextTable<ForeignRunner>([
                .words("WORKER", limit: 40) { $0.name },
                .words("HOST") { $0.host ?? "" },
                .numbers("PID") { $0.processID.map { "\($0)" } ?? "" },
                .numbers("SLOTS") { $0.slots.map { "\($0)" } ?? "" },
                .words("QUEUES", limit: 40) { $0.queues.joined(separator: ",") },
                .words("RUNNING") { $0.running.joined(separator: " ") },
                .words("HEARD") { ClockText.age($0.heardAt, now: now) },
            ]).lines(runners, width)
    }
}

/// The condition of another system's queue, for the console and commands.
extension ForeignQueue {
    /// The condition; `lack` is the known reason why no worker takes its tasks.
    func status(lack: RunnerLack? = nil) -> QueueStatus {
        let record = QueueRecord(name: name, createdAt: Timestamp(milliseconds: 0))
        return QueueLine(self, QueueOverview(record), lack: lack, system: system).status
    }

    /// The number of its tasks by state, and of waiting ones by blocker.
    var counts: QueueCounts {
        var counts = QueueCounts()
        counts.states = [
            .waiting: waiting + delayed + skipped, .running: inFlight, .failed: failed,
            .succeeded: succeeded,
        ]
        counts.waitingByFlags = [
            .ready: waiting - blocked, .lingering: blocked, .delayed: delayed, .skipped: skipped,
        ]
        return counts
    }

    fileprivate var activity: QueueOverview.State {
        if isStopped { return isInFlight ? .pausing : .paused }
        let works = inFlight + waiting + delayed + skipped > 0
        return works || bounds.contains(.waiting) ? .running : .idle
    }
}

extension QueueLine {
    /// The line of another system's queue. `overview` has the facts that its system does not count.
    init(
        _ queue: ForeignQueue, _ overview: QueueOverview, lack: RunnerLack?, system: String
    ) {
        var overview = overview
        overview.counts = queue.counts
        overview.due = queue.waiting - queue.blocked
        (overview.isDueCapped, overview.hasMoreWoken) = (false, false)
        (overview.lost, overview.isStuck) = (0, false)
        overview.oldest = queue.oldest
        (overview.state, overview.lack) = (queue.activity, lack)
        self.init(
            overview, system: system, taken: queue.taken,
            estimated: Set(queue.estimates.compactMap(\.tally)),
            bounded: Set(queue.bounds.compactMap(\.tally)))
    }
}

extension ForeignCount {
    fileprivate var tally: QueueTally.Estimate? {
        switch self {
        case .waiting: .due
        case .delayed: .delayed
        case .skipped: .skipped
        case .running: .running
        case .failed: .failed
        case .blocked: .blocked
        case .held, .taken, .succeeded: nil
        }
    }
}
