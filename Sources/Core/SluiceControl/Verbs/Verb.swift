public import SluiceModel
public import SluiceStore

/// A person's order to a store. A key, a command and a library call produce the same value.
public enum Verb: Hashable, Sendable {
    case pause(PauseRequest)
    case resume(VerbScope)
    case run(queue: String, limit: RunLimit?)
    case tasks(VerbOnTasks)
    /// The network of a queue, or of the whole store.
    case network(forced: Bool?, queue: String? = nil)
    case enqueue(queue: String, [EnqueueRequest])
    case setQueue(String, [SettingChange])
    case deleteQueue(String, evenWithTasks: Bool, storeName: String? = nil)
    /// Reverts an event. By default it reverts the newest event of `newestOf` not yet undone, else
    /// the person's last verb.
    case undo(event: Int64?, newestOf: [Int64] = [])
    case redo
    case setBreakpoint(BreakRequest)
    case removeBreakpoints(NumberSelection)
    /// Past the breakpoint that stopped a queue.
    case goOn(queue: String)
    case setFault(FaultRequest)
    case removeFaults(NumberSelection)
    case protect
    case unprotect(storeName: String?)
    case setClock(ClockRequest)
    case takeCheckpoint(CheckpointRequest)
    case removeCheckpoints([String])
    /// To a checkpoint of this name.
    case restore(String)
    /// Steps back in a queue, or in any.
    case stepBack(queue: String?)
    case setSchedule(ScheduleRequest)
    case schedule(ScheduleAction, name: String)
    /// Saves a filter in the store, which everyone can use as `@` and the name.
    case saveFilter(String, as: String)
    case removeFilter(String)

    /// The queue that receives its tasks; `nil` for other verbs.
    var growingQueue: String? {
        guard case .enqueue(let queue, _) = self else { return nil }
        return Names.composed(queue)
    }

    /// Whether it undoes or redoes verbs, whose number of tasks is not known in advance.
    package var takesBack: Bool {
        if case .undo = self { return true }
        return self == .redo
    }

    /// The verb's name: the command that says it.
    public var name: String {
        switch self {
        case .pause: "pause"
        case .resume: "resume"
        case .run: "run"
        case .tasks(let verb): verb.kind.name
        case .network: "network"
        case .enqueue: "enqueue"
        case .setQueue: "queue set"
        case .deleteQueue: "queue delete"
        case .undo: "undo"
        case .redo: "redo"
        case .setBreakpoint: "break"
        case .removeBreakpoints: "break remove"
        case .goOn: "resume"
        case .setFault: "fault"
        case .removeFaults: "fault remove"
        case .protect: "protect"
        case .unprotect: "unprotect"
        case .setClock: "clock"
        case .takeCheckpoint: "checkpoint"
        case .removeCheckpoints: "checkpoint remove"
        case .restore: "restore"
        case .stepBack: "step --back"
        case .setSchedule: "schedule set"
        case .schedule(let pastTense, _): "schedule \(pastTense.rawValue)"
        case .saveFilter: "filter save"
        case .removeFilter: "filter remove"
        }
    }

    /// The tasks of the verb, in processing order. Setting them applies the same verb to other
    /// tasks.
    public var targets: [TaskTarget] {
        get { if case .tasks(let verb) = self { verb.targets } else { [] } }
        set {
            guard case .tasks(var verb) = self else { return }
            verb.targets = newValue
            self = .tasks(verb)
        }
    }

    /// The store's name, as the user confirmed it for a protected store (G8). `nil` without a
    /// confirmation and for verbs that need none.
    public var storeName: String? {
        get {
            switch self {
            case .tasks(let verb): verb.storeName
            case .deleteQueue(_, _, let name), .unprotect(let name): name
            default: nil
            }
        }
        set {
            switch self {
            case .tasks(var verb):
                verb.storeName = newValue
                self = .tasks(verb)
            case .deleteQueue(let queue, let evenWithTasks, _):
                self = .deleteQueue(queue, evenWithTasks: evenWithTasks, storeName: newValue)
            case .unprotect: self = .unprotect(storeName: newValue)
            default: break
            }
        }
    }

    /// Whether a protected store requires its name for this verb on `tasks` tasks; `nil` uses its
    /// targets.
    package func asksForStoreName(tasks: Int? = nil) -> Bool {
        switch self {
        case .tasks(let verb):
            switch verb.kind.asksForStoreName {
            case .never: false
            case .ofSeveral: (tasks ?? verb.targets.count) > 1
            case .always: true
            }
        case .deleteQueue, .unprotect: true
        default: false
        }
    }

    /// Whether images of before are enough to take it back (D9).
    package var canBeUndone: Bool {
        switch self {
        case .tasks(let verb): verb.kind.canBeUndone
        case .deleteQueue, .protect, .unprotect: false
        default: true
        }
    }

    /// Whether the verb changed something and cannot be undone.
    package func isFinal(_ answer: Answer) -> Bool {
        !canBeUndone && (targets.isEmpty || !answer.changed.isEmpty)
    }

    package static func on(_ targets: [TaskTarget], _ verb: any TaskVerb) -> Verb {
        .tasks(VerbOnTasks(targets, verb))
    }

    /// The sentence about these tasks for the journal and the answer.
    func sentence(_ ids: [TaskID], by person: String) -> String {
        let what = ids.count == 1 ? "#\(ids.first ?? 0)" : NumberText.tasks(ids.count)
        let pastTense = if case .tasks(let verb) = self { verb.verb.pastTense } else { name }
        return "\(what) \(pastTense) by \(person)"
    }
}

/// One of the verbs on tasks, and the tasks.
public struct VerbOnTasks: Hashable, Sendable {
    /// The tasks, in processing order.
    public var targets: [TaskTarget]
    /// The store's name as the person says it (G8).
    var storeName: String?
    /// The verb for each of them.
    package let verb: any TaskVerb
    package var kind: any TaskVerb.Type { type(of: verb) }

    package init(_ targets: [TaskTarget], _ verb: any TaskVerb) {
        self.targets = targets
        self.verb = verb
    }

    /// Whether both do the same to the same tasks.
    public static func == (one: VerbOnTasks, other: VerbOnTasks) -> Bool {
        one.targets == other.targets && one.storeName == other.storeName
            && AnyHashable(one.verb) == AnyHashable(other.verb)
    }

    /// Feeds the tasks and the verb.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(targets)
        hasher.combine(AnyHashable(verb))
    }
}

/// A queue, or the whole store.
public enum VerbScope: Hashable, Sendable {
    case queue(String)
    case store
}

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

/// A task, at the version that was shown: if it changed since, nothing happens (D8).
public struct TaskTarget: Hashable, Sendable {
    /// The task's number.
    public var id: TaskID
    /// The displayed version; `nil` accepts any.
    public var version: Int64?

    /// A task, at a version or as it is.
    public init(_ id: TaskID, version: Int64? = nil) {
        self.id = id
        self.version = version
    }

    /// Creates a target with the task's version.
    public init(_ task: QueueTask) { self.init(task.id, version: task.version) }
}

/// One setting of a queue and its new value.
public enum SettingChange: Hashable, Sendable {
    case preset(PresetName)
    case order(QueueOrder)
    case priorityNames(PriorityNames)
    case summary(SummaryPaths)
    case concurrency(Int)
    case rate(String?)
    case burst(Int?)
    /// The place whose values have the rate each, such as `payload.user`; nil for none.
    case per(String?)
    case afterFailure(AfterFailure)
    case start(StartKind)
    case batchCount(Int)
    case batchDelay(Int64)
    case priority(Int)
    case attempts(Int?)
    case retry(RetryRule)
    case timeout(Int64?)
    case stuckAfter(Int64)
    case keepFinished(KeepFinished)
    case retention(Int64?)
    case maximumPayload(Int)
    case expires(Int64?)
    case startsExpire(Bool)
    case whenStartFails(StartFailurePolicy)
    case maximumLength(Int?)
    case maximumDepth(Int)
    /// The place of the unique key, such as `order:replace`; nil for none.
    case unique(String?)
    /// Whether new tasks are required.
    case required(Bool)
    /// The running order of types, such as `network,login,push=scheme`, or `none`.
    case rank(String)
    /// The attempts, the retry rule or the timeout of a type's tasks.
    indirect case ofType(String, SettingChange)
    /// A setting of a type, by its name, that follows the queue again.
    case likeQueue(type: String, String)
}
