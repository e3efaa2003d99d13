package import SluiceModel

/// A verb on tasks. Its parser, help, completion, key, legality, journal, undo and command text
/// follow from this value.
///
/// The type holds properties of the verb, and a value the parameters of one use.
package protocol TaskVerb: Hashable, Sendable {
    /// The command that says it, its action's name and its kind in the journal.
    static var name: String { get }
    static var help: String { get }
    /// More lines of help.
    static var notes: [String] { get }
    /// The past participle for sentences: `skipped`.
    static var participle: String { get }
    /// The options that the default parser and formatter handle.
    static var parameters: [Parameter<Self>] { get }
    static var options: [Command.Option] { get }
    /// The argument after the tasks in the usage line, if any.
    static var argument: String? { get }
    /// Whether a command names one task alone; a filter may still give several.
    static var takesOne: Bool { get }
    /// Whether its key acts on all selected tasks.
    static var takesMarks: Bool { get }
    /// The legal states. A filter without a state selects only these (D10).
    static var states: Set<TaskState.Name> { get }
    /// Whether a protected store asks for its name (G8).
    static var asksForStoreName: StoreNameQuestion { get }
    /// Whether images of before are enough to take it back (D9).
    static var canBeUndone: Bool { get }
    /// Whether it keeps the number of waiting and running tasks of a queue. `log --detail` then
    /// knows the earlier number (D9).
    static var keepsQueueLength: Bool { get }

    /// Why it cannot be done to a task that is shown; nil if it can.
    static func reason(against shown: ShownTask) -> String?
    /// The default use of the verb, as by a key. `task` is the task if there is only one. Returns
    /// `nil` if the verb needs a parameter.
    static func unsaid(on task: QueueTask?) -> (any TaskVerb)?

    /// Parses a command line; throws if it is invalid.
    init(_ words: VerbWords) throws(QueueError)
    var pastTense: String { get }
    /// The words of a command after the tasks.
    func words(in text: CommandText) -> [String]
    /// When to confirm it with the user.
    var caution: VerbCaution { get }
    func perform(on task: QueueTask, in context: VerbContext) throws
    /// Throws an error that applies to every task, before any change.
    func check(in context: VerbContext) throws
}

/// When to show the effects of a verb before it runs (D5, D6).
package enum VerbCaution: Hashable, Sendable {
    case never
    /// If a task starts a group with affected members.
    case ofStarts
    /// If it has consequences, according to the store.
    case ofConsequences
    /// Always, with a sentence for one task and for several.
    case always(one: String, several: String)
}

/// When a protected store asks for its name (G8).
package enum StoreNameQuestion: Hashable, Sendable {
    case never
    /// If there is more than one task.
    case ofSeveral
    case always
}

extension TaskVerb {
    package func check(in context: VerbContext) throws {}

    package static var notes: [String] { [] }
    package static var parameters: [Parameter<Self>] { [] }
    package static var options: [Command.Option] { parameters.map(\.option) }
    package static var argument: String? { nil }
    package static var takesOne: Bool { false }
    package static var takesMarks: Bool { true }
    package static var canBeUndone: Bool { true }
    package static var keepsQueueLength: Bool { false }
    package static var asksForStoreName: StoreNameQuestion { .never }
    package var pastTense: String { Self.participle }
    package var caution: VerbCaution { .never }

    package static func reason(against shown: ShownTask) -> String? {
        shown.reason(outside: states, participle)
    }

    package static func unsaid(on task: QueueTask?) -> (any TaskVerb)? {
        guard let nothing = try? Arguments(Command(Self.self), words: []),
            let words = try? VerbWords(Self.self, nothing)
        else { return nil }
        return try? Self(words)
    }

    package func words(in text: CommandText) -> [String] {
        Self.parameters.flatMap { $0.words(self) }
    }
}

/// A verb without required arguments: its parameters cover all options.
package protocol PlainVerb: TaskVerb {
    init()
}

extension PlainVerb {
    package init(_ words: VerbWords) throws(QueueError) {
        self.init()
        for parameter in Self.parameters { try parameter.read(&self, words.options) }
    }
}

/// A task as a person sees it, and how the sentences about it name things.
package struct ShownTask {
    /// The task and its displayed state.
    package let line: TaskLine
    package let names: TaskNames
    /// The display name of another action's key.
    package let key: (Action.ID) -> String

    package init(_ line: TaskLine, names: TaskNames, key: @escaping (Action.ID) -> String) {
        self.line = line
        self.names = names
        self.key = key
    }

    var task: QueueTask { line.task }
    var name: String { names.name(line.task.id) }

    /// The refusal of a task outside these states; `nil` if its state is one of them.
    package func reason(
        outside states: Set<TaskState.Name>, _ participle: String
    ) -> String? {
        guard !states.contains(line.task.state.name) else { return nil }
        return "\(name) \(task.state.name.phrase): it cannot be \(participle)" + way
    }

    /// The key that leads out of the state, if any.
    private var way: String {
        switch task.state.name {
        case .failed: " (\(key(.retry)) makes it wait)"
        case .succeeded: " (\(key(.duplicate)) runs it once more)"
        case .running: " · \(key(.cancel)) cancels it"
        case .waiting, .deleted: ""
        }
    }

    /// The reason that the task is not waiting or failed.
    var isNotWaitingOrFailed: String? {
        switch task.state.name {
        case .waiting, .failed: nil
        case .running: "\(name) runs: wait for its end · \(key(.cancel)) cancels it"
        case .succeeded: "\(name) is finished: \(key(.duplicate)) runs it once more"
        case .deleted: "\(name) is in the trash: undelete it first"
        }
    }
}

extension Display {
    /// The word that people read.
    package var words: String { rawValue }
}

extension Command {
    /// The confirmation that a protected store requires.
    static let storeName = Option(
        "--store-name", .text("NAME"), "its file's or database's name, where it is protected")

    init(_ verb: any TaskVerb.Type) {
        let tasks = verb.takesOne ? "TASK" : "TASK…"
        self.init(
            verb.name, tasks + (verb.argument.map { " \($0)" } ?? ""), [.task],
            options: verb.options + (verb.asksForStoreName == .never ? [] : [Self.storeName]),
            changes: true, takesFilter: true)
    }
}
