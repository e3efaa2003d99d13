public import SluiceModel

/// A person's order to a store. A key, a command and a library call produce the same value.
public struct Verb: Hashable, Sendable {
    /// The value of its feature.
    package private(set) var order: any StoreVerb

    package init(_ order: any StoreVerb) { self.order = order }

    /// The verb's name: the command that says it.
    public var name: String { order.verbName }

    /// The tasks of the verb, in processing order. Setting them applies the same verb to other
    /// tasks.
    public var targets: [TaskTarget] {
        get { order.targets }
        set { order.targets = newValue }
    }

    /// The store's name, as the user confirmed it for a protected store (G8). `nil` without a
    /// confirmation and for verbs that need none.
    public var storeName: String? {
        get { order.storeName }
        set { order.storeName = newValue }
    }

    /// The verb on tasks with its tasks; nil for another verb.
    package var onTasks: VerbOnTasks? { order as? VerbOnTasks }

    /// The same verb, with which attached programs of older versions may end (P4).
    package var endingOlder: Verb { Verb(order.endingOlder) }

    /// Whether a protected store requires its name for this verb on `tasks` tasks; `nil` uses its
    /// targets.
    package func asksForStoreName(tasks: Int? = nil) -> Bool {
        order.asksForStoreName(tasks: tasks ?? targets.count)
    }

    /// Whether the verb changed something and cannot be undone.
    package func isFinal(_ answer: Answer) -> Bool {
        !order.canBeUndone && (targets.isEmpty || !answer.changed.isEmpty)
    }

    /// The sentence about these tasks for the journal and the answer.
    func sentence(_ ids: [TaskID], by person: String) -> String {
        let what = ids.count == 1 ? "#\(ids.first ?? 0)" : NumberText.tasks(ids.count)
        return "\(what) \(order.pastTense) by \(person)"
    }

    /// Whether both are the same verb with the same parameters.
    public static func == (one: Verb, other: Verb) -> Bool { one.order.isSame(as: other.order) }

    /// Feeds the value of its feature.
    public func hash(into hasher: inout Hasher) { hasher.combine(order) }
}

/// A queue, or the whole store.
public enum VerbScope: Hashable, Sendable {
    case queue(String)
    case store
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
