import SluiceModel

/// The rules of one system: for each verb, the displays of the tasks that it accepts, or why the
/// system never supports it.
///
/// Commands, the console, help and the documents read this value. If a statement still finds no
/// row, the task changed after it was read.
package struct SystemRules: Sendable {
    package typealias Display = ForeignTask.Display

    /// How to stop a running task.
    package enum Stopping: Sendable {
        /// By the verb `cancel`; the system has a command for it too, with `{id}` in the place of
        /// the task.
        case verb(own: String)
        /// By a command of the system, with `{id}` in the place of the task, and its effect.
        case own(String, effect: String)
        /// The system stops no task from outside.
        case nothing
    }

    /// The name that people use, with the store where a system has two: `huey on SQLite`.
    package let title: String
    /// All that its tasks can show.
    package let displays: Set<Display>
    /// The displays that each verb on a task takes.
    let takes: [ForeignVerb: Set<Display>]
    /// Why the system can never do a verb.
    let never: [ForeignVerb: String]
    /// How to stop a running task.
    let stopping: Stopping
    /// Why nothing is done to a task that waits for a time; nil where the displays say it.
    let whyTimed: String?

    init(
        _ title: String, showing displays: Set<Display>, stopping: Stopping,
        takes: [ForeignVerb: Set<Display>], never: [ForeignVerb: String] = [:],
        whyTimed: String? = nil
    ) {
        (self.title, self.stopping, self.never) = (title, stopping, never)
        (self.displays, self.whyTimed) = (displays.union([.due, .next]), whyTimed)
        self.takes = takes.merging([.step: Self.listed]) { own, _ in own }
    }

    /// The displays of tasks that wait in queue order.
    static let listed: Set<Display> = [.next, .due, .held]
    /// The displays of tasks that wait for a time.
    static let timed: Set<Display> = [.delayed, .retrying]

    /// Why the system can never do a verb; nil if it can, if the task is fit for it.
    package func refusal(of verb: ForeignVerb) -> String? {
        if let reason = never[verb] { return reason }
        if verb == .reclaim, takes[.reclaim] == nil { return givesBackItself }
        guard verb == .cancel else { return nil }
        switch stopping {
        case .verb: return nil
        case .own(let command, let effect):
            let text = ForeignRefusal.filled(command, "ID")
            return "that is its own affair: \(text) \(effect)"
        case .nothing: return stopsNothing
        }
    }

    /// The displays that a verb takes; none where the system can never do it.
    package func displays(of verb: ForeignVerb) -> Set<Display> {
        refusal(of: verb) == nil ? takes[verb, default: []].intersection(displays) : []
    }

    /// Why a verb cannot be done to a task that shows so; nil if it can.
    package func refusal(of verb: ForeignVerb, on display: Display) -> ForeignRefusal? {
        guard verb.isOnTask else { return nil }
        if let reason = refusal(of: verb) {
            return ForeignRefusal(reason: "cannot be \(verb.participle): \(reason)", way: nil)
        }
        // A task that an ended hold has left is in the place of a held one.
        let place = display == .left ? .held : display
        guard !takes[verb, default: []].contains(place) else { return nil }
        return ForeignRefusal(reason: reason(verb, display), way: way(verb, display))
    }

    /// How a task that shows so is stopped, for a page about it; nil if it does not run.
    package func stop(_ display: Display) -> ForeignRefusal.Way? {
        guard display.state == .running else { return nil }
        switch stopping {
        case .verb:
            return displays(of: .cancel).contains(display)
                ? .verb(.cancel, effect: "stops it") : nil
        case .own(let command, let effect): return .own(command, effect: effect)
        case .nothing: return .nothing(stopsNothing)
        }
    }

    /// The system's own command that stops a task; nil if it has none.
    package var ownStop: String? {
        switch stopping {
        case .verb(let own), .own(let own, _): own
        case .nothing: nil
        }
    }

    private var givesBackItself: String {
        "no command of \(title) does it; sluice why TASK says what gives the task back"
    }

    private var stopsNothing: String { "\(title) stops no task from outside: wait for its end" }

    private func reason(_ verb: ForeignVerb, _ display: Display) -> String {
        let listed = Self.listed.contains(display)
        switch verb {
        case .skip where display == .skipped: return "is skipped already"
        case .unskip: return "is not skipped"
        case .delete where display == .cancelled: return "is deleted already"
        case .retry where listed: return "has not failed and waits for no time"
        case .cancel, .reclaim: return "does not run"
        default: break
        }
        if Self.timed.contains(display), let whyTimed { return whyTimed }
        return "\(display.predicate): it cannot be \(verb.participle)"
    }

    private func way(_ verb: ForeignVerb, _ display: Display) -> ForeignRefusal.Way? {
        if verb == .cancel, displays(of: .delete).contains(display) {
            return .verb(.delete, effect: "deletes it")
        }
        guard ![.cancel, .reclaim, .unskip].contains(verb) else { return nil }
        if let stop = stop(display) { return stop }
        let next: (verb: ForeignVerb, effect: String)?
        switch display {
        case .skipped: next = (.unskip, "takes it back in")
        case .failed, .cancelled: next = (.retry, "makes it wait again")
        case .delayed, .retrying:
            next =
                displays(of: .retry).contains(display)
                ? (.retry, "makes it due") : (.postpone, "gives it another time")
        default: next = nil
        }
        guard let next, next.verb != verb, displays(of: next.verb).contains(display) else {
            return nil
        }
        return .verb(next.verb, effect: next.effect)
    }
}

extension SystemRules {
    /// The rules of every system, by its `--as` name. For huey, these are the rules of its Redis
    /// lists; for Laravel those of its tables.
    package static let byName: [String: SystemRules] = {
        var all = [
            RQSystem.systemName: rq, CelerySystem.systemName: celery,
            SidekiqSystem.systemName: sidekiq, BullMQSystem.systemName: bullmq,
            SAQSystem.systemName: saq, HueySystem.systemName: huey, ARQSystem.systemName: arq,
            DramatiqSystem.systemName: dramatiq, ResqueSystem.systemName: resque,
            AsynqSystem.systemName: asynq, RabbitSystem.systemName: rabbitmq,
            TaskiqListSystem.systemName: taskiq, TaskiqStreamSystem.systemName: taskiqStream,
        ]
        for table in JobTable.all { all[table.name] = .table(table) }
        for table in RowTable.all { all[table.name] = .rows(table) }
        all[RowTable.solidQueue.name] = solidQueue
        return all
    }()

    /// All of them, as the documents list them.
    package static let all = (Array(byName.values) + [hueyFile, laravelRedis])
        .sorted { $0.title < $1.title }
}

extension ForeignVerb {
    package var isOnTask: Bool { ![.pause, .resume, .undo].contains(self) }

    /// The infinitive for sentences, as in "the system cannot skip".
    var infinitive: String { self == .priority ? "change a priority" : rawValue }

    /// The participle for sentences, as in "the task is skipped".
    var participle: String {
        switch self {
        case .pause: "held"
        case .resume: "given back"
        case .step: "stepped"
        case .skip: "skipped"
        case .unskip: "taken back in"
        case .delete: "deleted"
        case .retry: "retried"
        case .edit: "edited"
        case .move: "moved"
        case .postpone: "postponed"
        case .priority: "given a priority"
        case .cancel: "stopped"
        case .reclaim: "reclaimed"
        case .undo: "taken back"
        }
    }
}

extension ForeignTask.Display {
    /// The same as the predicate of a sentence about a task.
    var predicate: String {
        switch self {
        case .next, .due, .held: "waits in its queue"
        case .left: "is held since a hold that ended"
        case .delayed, .retrying: "waits for its time"
        case .skipped: "is skipped"
        case .blocked: "waits for something else of its system"
        case .taken: "is taken by a worker"
        case .running: "runs"
        case .succeeded: "has succeeded"
        case .failed: "has failed"
        case .cancelled: "is deleted"
        }
    }
}

extension ForeignSystem {
    package var rules: SystemRules { SystemRules.byName[name] ?? .nothing }

    /// Why it can never do what a verb asks for; nil if it can, if the task is fit for it.
    package func refusal(of verb: ForeignVerb) -> String? { rules.refusal(of: verb) }

    /// Stops a running task. Most systems do not support this from outside.
    package func cancel(_ reference: String) throws -> ForeignAnswer {
        try check(.cancel)
        return ForeignAnswer()
    }

    /// Gives the task of a dead worker back. Few systems have a tool for it.
    package func reclaim(_ reference: String) throws -> ForeignAnswer {
        try check(.reclaim)
        return ForeignAnswer()
    }

    /// Throws why a verb cannot be done to a task, before a statement is sent.
    func check(_ verb: ForeignVerb, on task: ForeignTask) throws(QueueError) {
        try check(verb)
        if let refusal = rules.refusal(of: verb, on: task.display) {
            throw refusal.error(task.reference)
        }
    }
}

extension SystemRules {
    /// A system whose tasks are rows in PostgreSQL or SQLite.
    static func rows(_ table: RowTable) -> SystemRules {
        var displays = Set(table.states.map(\.display)).union([.held, .skipped])
        displays.insert(table.isTakenLater ? .taken : .delayed)
        if table.attempts != nil { displays.insert(.retrying) }
        displays.formUnion(table.others.map(\.display))
        let waiting = listed.union(timed).union([.skipped])
        let failed: Set<Display> = displays.contains(.failed) ? [.failed] : []
        let isRetried = table.others.contains { $0.again != nil } || !table.retrying.isEmpty
        var never: [ForeignVerb: String] = [
            .move: "\(table.title) orders by its columns"
                + (table.priority == nil ? "" : "; sluice priority changes that")
        ]
        if table.priority == nil { never[.priority] = "\(table.title) keeps no priorities" }
        if table.isTakenLater {
            never[.postpone] = "\(table.title) keeps no times in its queue"
            never[.retry] = isRetried ? nil : table.whyFixed
        }
        if let why = table.whyFixed { never[.edit] = why }
        return SystemRules(
            table.title, showing: displays, stopping: table.stopping,
            takes: [
                .skip: listed.union(timed), .unskip: [.skipped], .delete: waiting.union(failed),
                .edit: waiting, .postpone: listed.union(timed), .priority: waiting,
                .retry: timed.union(isRetried ? failed : []),
            ],
            never: never)
    }
}

extension SystemRules {
    private static let waiting = listed.union(timed).union([.skipped])

    /// A system whose tasks are rows of a table in PostgreSQL, by the title of the table.
    static func table(_ table: JobTable) -> SystemRules {
        var displays = Set(table.states.map(\.display)).union([.held, .skipped])
        let keepsTimes = displays.contains(.delayed)
        displays.formUnion(timed)
        // If a state marks jobs that wait for a time, a skipped job has lost that state.
        let skipped = keepsTimes ? listed : listed.union(timed)
        var never: [ForeignVerb: String] = [
            .move: "\(table.title) orders by its columns; sluice priority changes that"
        ]
        if table.priority == nil { never[.priority] = "\(table.title) keeps no priorities" }
        if table.postponing == nil { never[.postpone] = "\(table.title) keeps no times" }
        if let reason = table.unheld {
            for verb in [ForeignVerb.pause, .resume, .step, .skip, .unskip] {
                never[verb] = reason
            }
        }
        var takes: [ForeignVerb: Set<Display>] = [
            .skip: skipped, .unskip: [.skipped], .delete: waiting, .edit: waiting,
            .postpone: waiting, .priority: waiting,
            .retry: timed.union(brings.contains(table.name) ? [.failed, .cancelled] : [.failed]),
        ]
        if table.rescuing != nil { takes[.reclaim] = [.running] }
        return SystemRules(
            table.title, showing: displays, stopping: stops[table.name] ?? .nothing,
            takes: takes, never: never)
    }

    static let solidQueue = SystemRules(
        "Solid Queue",
        showing: [.held, .skipped, .delayed, .retrying, .blocked, .running, .succeeded, .failed],
        stopping: .nothing,
        takes: [
            .skip: listed, .unskip: [.skipped], .move: listed, .postpone: listed.union(timed),
            .delete: waiting.union([.blocked, .failed]), .edit: waiting.union([.blocked, .failed]),
            .priority: waiting.union([.blocked]), .retry: timed.union([.failed]),
            .reclaim: [.running],
        ])

    /// The systems that can retry a cancelled task.
    private static let brings: Set = ["procrastinate", "oban", "river", "pgboss"]

    private static let stops: [String: Stopping] = [
        "oban": .own("Oban.cancel_job({id})", effect: "stops it"),
        "river": .own("client.JobCancel(ctx, {id})", effect: "stops it"),
        "procrastinate": .own(
            "app.job_manager.cancel_job_by_id({id}, abort=True)", effect: "asks it to stop"),
        "pgqueuer": .own("await queries.mark_job_as_cancelled([{id}])", effect: "asks it to stop"),
    ]
}

extension SystemRules {
    /// The rules of an unknown system: no verb is possible.
    static let nothing = SystemRules("it", showing: [], stopping: .nothing, takes: [:])
}
