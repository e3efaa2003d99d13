public import SluiceModel
public import SluiceStore

/// What a person tells a store: each verb is one value with one name, whether a key, a command or a
/// library call says it (section 6).
public enum Verb: Hashable, Sendable {
    case pause(PauseRequest)
    case resume(VerbScope)
    case run(queue: String, limit: RunLimit?)
    case skip([TaskTarget], forMilliseconds: Int64?)
    case unskip([TaskTarget])
    case delete([TaskTarget], cancelsRunning: Bool, members: StartFailurePolicy?)
    case undelete([TaskTarget])
    case retry([TaskTarget], overMilliseconds: Int64? = nil)
    case postpone([TaskTarget], until: Timestamp, overMilliseconds: Int64? = nil)
    case priority([TaskTarget], PriorityWord)
    case move(TaskTarget, MovePlace)
    case moveToQueue([TaskTarget], String)
    case edit([TaskTarget], payload: [UInt8]?, fields: [FieldChange])
    case duplicate([TaskTarget])
    case cancel([TaskTarget])
    case reclaim([TaskTarget])
    case acknowledge([TaskTarget])
    case network(forced: Bool?)
    case enqueue(queue: String, [EnqueueRequest])
    case setQueue(String, [SettingChange])
    case deleteQueue(String, evenWithTasks: Bool)
    case purge([TaskTarget], members: MemberFate?)
    case undo(event: Int64?)
    case redo

    /// The queue to which it adds tasks; nil where it adds none, or it is not known before.
    var growingQueue: String? {
        guard case .enqueue(let queue, _) = self else { return nil }
        return Names.composed(queue)
    }

    /// Whether it takes back verbs or undos, of which nobody knows before how many tasks they hold.
    public var takesBack: Bool {
        if case .undo = self { return true }
        return self == .redo
    }

    /// The verb's name: the command that says it.
    public var name: String {
        switch self {
        case .pause: "pause"
        case .resume: "resume"
        case .run: "run"
        case .skip: "skip"
        case .unskip: "unskip"
        case .delete: "delete"
        case .undelete: "undelete"
        case .retry: "retry"
        case .postpone: "postpone"
        case .priority: "priority"
        case .move, .moveToQueue: "move"
        case .edit: "edit"
        case .duplicate: "duplicate"
        case .cancel: "cancel"
        case .reclaim: "reclaim"
        case .acknowledge: "acknowledge"
        case .network: "network"
        case .enqueue: "enqueue"
        case .setQueue: "queue set"
        case .deleteQueue: "queue delete"
        case .purge: "purge"
        case .undo: "undo"
        case .redo: "redo"
        }
    }
}

/// A queue, or the whole store.
public enum VerbScope: Hashable, Sendable {
    case queue(String)
    case store
}

/// A pause as somebody asks for it (D1).
public struct PauseRequest: Hashable, Sendable {
    /// What is paused.
    public var scope: VerbScope
    /// Why, in their words.
    public var reason: String?
    /// How long; nil until `resume`.
    public var forMilliseconds: Int64?
    /// Which way it stops.
    public var direction = Pause.Direction.work
    /// Whether running tasks are told to stop (`--now`).
    public var stopsRunning = false

    /// A pause of work until `resume`.
    public init(_ scope: VerbScope, reason: String? = nil) {
        self.scope = scope
        self.reason = reason
    }
}

/// A task, at the version that was shown: if it changed since, nothing happens (D8).
public struct TaskTarget: Hashable, Sendable {
    /// The task's number.
    public var id: TaskID
    /// The version that was shown; nil for whatever it is now.
    public var version: Int64?

    /// A task, at a version or as it is.
    public init(_ id: TaskID, version: Int64? = nil) {
        self.id = id
        self.version = version
    }

    /// A task as it is shown.
    public init(_ task: QueueTask) { self.init(task.id, version: task.version) }
}

/// Where `move` puts a task, in the running order that the screen shows (Q1).
public enum MovePlace: Hashable, Sendable {
    case before(TaskID)
    case after(TaskID)
    case first
    case last
}

/// What becomes of the members when a start is purged (Q10).
public enum MemberFate: String, Hashable, Sendable, CaseIterable {
    case release, giveUp, delete
}

/// One setting of a queue and its new value.
public enum SettingChange: Hashable, Sendable {
    case preset(String)
    case order(QueueOrder)
    case priorityNames(PriorityNames)
    case concurrency(Int)
    case afterFailure(AfterFailure)
    case start(String)
    case batchCount(Int)
    case batchDelay(Int64)
    case priority(Int64)
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
}
