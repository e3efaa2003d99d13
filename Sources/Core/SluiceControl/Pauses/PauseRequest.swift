public import SluiceModel
import SluiceStore

/// A request to pause.
public struct PauseRequest: Hashable, Sendable {
    /// The part of the store to pause.
    public var scope: VerbScope
    /// Why, in their words.
    public var reason: String?
    /// How long; nil until `resume`.
    public var forMilliseconds: Int64?
    /// Which way it stops.
    public var direction = Pause.Direction.work
    /// Whether to stop running tasks (`--now`).
    public var stopsRunning = false

    /// Creates a pause; by default it stops new work until `resume`.
    public init(
        _ scope: VerbScope, reason: String? = nil, forMilliseconds: Int64? = nil,
        direction: Pause.Direction = .work, stopsRunning: Bool = false
    ) {
        self.scope = scope
        self.reason = reason
        self.forMilliseconds = forMilliseconds
        self.direction = direction
        self.stopsRunning = stopsRunning
    }
}

extension PauseRequest {
    /// Reads the words of `pause`.
    init(_ arguments: Arguments) throws(QueueError) {
        self.init(try VerbScope(arguments), reason: arguments.text("--reason"))
        forMilliseconds = try arguments.milliseconds("--for")
        direction = try arguments.choice("--direction") ?? .work
        stopsRunning = arguments.has("--now")
    }
}

extension VerbScope {
    /// Reads `QUEUE` or `--all`.
    init(_ arguments: Arguments) throws(QueueError) {
        guard arguments.has("--all") else {
            self = .queue(try arguments.oneQueue())
            return
        }
        try arguments.refuseMore(than: 0)
        self = .store
    }

    func command(_ verb: String, _ options: String = "") -> String {
        switch self {
        case .queue(let name): ShellWord.command(verb, name, options)
        case .store: "\(verb) --all\(options)"
        }
    }
}

/// Pauses a queue or the store (D1).
extension PauseRequest: StoreVerb {
    package var verbName: String { "pause" }
    package var answers: AnswerPart { .pauses(scope, stopsRunning: stopsRunning) }

    package func command(in text: CommandText) -> String {
        scope.command(
            "pause",
            (reason.map { " --reason \(ShellWord.quoted($0))" } ?? "")
                + (forMilliseconds.map { " --for \(DurationText.compact($0))" } ?? "")
                + (direction == .work ? "" : " --direction \(direction.rawValue)")
                + (stopsRunning ? " --now" : ""))
    }

    package func perform(in context: VerbContext) throws {
        let cause: Pause.Cause = scope == .store ? .store : .person
        let asked = Pause(
            cause: cause, by: context.person, reason: reason, since: context.now,
            until: forMilliseconds.map { context.now + $0 }, direction: direction)
        switch scope {
        case .queue(let name):
            let name = try context.mutation.queue(name).name
            try context.mutation.addPause(asked, to: name)
            if stopsRunning { try Self.stopRunning(in: name, context) }
            context.answer.pauses = try context.mutation.queue(name).activePauses(
                at: context.now, real: context.real)
            try context.journal(
                "pause", queue: name,
                Self.pauseText(asked, of: name, ended: ShellWord.command("resume", name), context),
                undo: try context.mutation.undoRecord(withQueue: name))
        case .store:
            var undo = UndoRecord()
            undo.storePausesBefore = try context.store.storeRecord().pauses
            try context.mutation.addStorePause(asked)
            if stopsRunning {
                for queue in try context.store.queues() {
                    try Self.stopRunning(in: queue.name, context)
                }
            }
            context.answer.pauses = try context.store.storeRecord().pauses.filter {
                $0.isActive(at: context.now)
            }
            try context.journal(
                "pause", queue: nil,
                Self.pauseText(asked, of: "all queues", ended: "resume --all", context),
                undo: undo)
        }
    }

    /// The pause that holds now, in words. A second pause joins the first (D1), so the request
    /// alone does not say how the store is paused.
    private static func pauseText(
        _ asked: Pause, of what: String, ended resume: String, _ context: VerbContext
    ) -> String {
        let held = context.answer.pauses.first { $0.isSame(as: asked) } ?? asked
        let way = held.direction == .work ? "" : " (\(held.direction.rawValue))"
        let time = held.until.map { " for the next \(DurationText.taken($0 - context.now))" } ?? ""
        let why = held.reason.map { ": \($0)" } ?? ""
        let isFirst = held == asked
        let isAsAsked =
            (held.until, held.direction, held.reason ?? "")
            == (asked.until, asked.direction, asked.reason ?? held.reason ?? "")
        if !isAsAsked {
            context.answer.consequences.append(
                "an earlier pause holds, and a second one never shortens or narrows it: "
                    + "sluice \(resume) ends it")
        }
        let verb = isFirst ? "paused" : what == "all queues" ? "stay paused" : "stays paused"
        return "\(what) \(verb)\(way) by \(held.by)\(time)\(why)"
    }

    /// `--now`: stops running tasks, which wait again without a counted attempt (A6).
    private static func stopRunning(in queue: String, _ context: VerbContext) throws {
        let running = TaskQuery(queue: queue, state: .running, limit: 10_000)
        for task in try context.store.tasks(matching: running) where task.running?.stop == nil {
            try context.mutation.apply(.requestStop(.stopped, nil), to: task)
            context.answer.consequences.append("#\(task.id) \(task.type) is asked to stop")
        }
    }
}

extension Verb {
    /// Starts no more tasks; running ones finish.
    public static func pause(_ request: PauseRequest) -> Verb { Verb(request) }
}

extension Action.ID {
    package static let pause = Self("pause")
}

extension Action {
    static let pause = Action(
        .pause, key: "p", .queue, "pause", "start no more tasks; running ones finish",
        Command(
            "pause", "QUEUE | --all", [.queue],
            options: [
                Command.Option("--all", .flag, "the whole store"),
                Command.Option("--reason", .text("R"), "why, for everybody who looks"),
                Command.Option("--for", .duration, "resume after this"),
                Command.Option(
                    "--direction", .choice(["work", "enqueues", "both"]), "the side it stops"),
                Command.Option("--now", .flag, "stop running tasks; they wait again"),
            ], changes: true)
    ) { words throws(QueueError) in
        .pause(try PauseRequest(words))
    }
}
