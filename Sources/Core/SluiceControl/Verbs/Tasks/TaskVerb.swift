package import SluiceModel

/// One verb on tasks: all that is said of it in one place. Its parser, help, completion, key,
/// legality, journal, undo and spelling as a command follow from this value.
///
/// The type says what holds for every use of the verb, a value says what one use asks for.
package protocol TaskVerb: Hashable, Sendable {
    /// The command that says it, its action's name and its kind in the journal.
    static var name: String { get }
    /// One line of help.
    static var help: String { get }
    /// More lines of help.
    static var notes: [String] { get }
    /// What was done, for sentences: `skipped`.
    static var participle: String { get }
    /// The options that are read and spelled by themselves.
    static var parameters: [Parameter<Self>] { get }
    /// All options of its own, as they are written.
    static var options: [Command.Option] { get }
    /// The argument behind the tasks, as the usage line writes it; nil where there is none.
    static var argument: String? { get }
    /// Whether a command names one task alone; a filter may still give several.
    static var takesOne: Bool { get }
    /// Whether its key acts on all selected tasks.
    static var takesMarks: Bool { get }
    /// The states in which it is legal: where a filter names no state, only these are taken (D10).
    static var states: Set<TaskState.Name> { get }
    /// Whether a protected store asks for its name (G8).
    static var asksForStoreName: StoreNameQuestion { get }
    /// Whether images of before are enough to take it back (D9).
    static var canBeUndone: Bool { get }
    /// Whether as many tasks of a queue wait or run afterwards as before, so that `log --detail`
    /// knows how many there were before it (D9).
    static var keepsQueueLength: Bool { get }

    /// Why it cannot be done to a task that is shown; nil where it can.
    static func reason(against shown: ShownTask) -> String?
    /// What is done where nothing is said but the verb, as by a key; `task` is the task where there
    /// is only one. Nil where something has to be said.
    static func unsaid(on task: QueueTask?) -> (any TaskVerb)?

    /// Reads what a command line says; throws what is wrong with it.
    init(_ words: VerbWords) throws(QueueError)
    /// What was done, with what was asked for.
    var pastTense: String { get }
    /// What a command says behind the tasks, a word each.
    func words(in text: CommandText) -> [String]
    /// When a person is told first what follows.
    var caution: VerbCaution { get }
    /// Does it to a task.
    func perform(on task: QueueTask, in context: VerbContext) throws
    /// Throws what keeps it from every task, before the first is touched.
    func check(in context: VerbContext) throws
}

/// When a person is told what a verb would do before it is done (D5, D6).
package enum VerbCaution: Hashable, Sendable {
    case never
    /// Where a task starts a group whose members it concerns.
    case ofStarts
    /// Where something follows from it, which the store is asked.
    case ofConsequences
    /// Always, with a sentence for one task and for several.
    case always(one: String, several: String)
}

/// When a protected store asks for its name (G8).
package enum StoreNameQuestion: Hashable, Sendable {
    case never
    /// Where there is more than one task.
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
            let words = try? VerbWords(Self.self, nothing, now: Timestamp(milliseconds: 0))
        else { return nil }
        return try? Self(words)
    }

    package func words(in text: CommandText) -> [String] {
        Self.parameters.flatMap { $0.words(self) }
    }
}

/// A verb to which nothing has to be said: its parameters are all that can be.
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
    /// The task and what it shows.
    package let line: TaskLine
    /// How tasks are named.
    package let names: TaskNames
    /// How the key of another action is written.
    package let key: (Action.ID) -> String

    /// A task in a list.
    package init(_ line: TaskLine, names: TaskNames, key: @escaping (Action.ID) -> String) {
        self.line = line
        self.names = names
        self.key = key
    }

    /// The task.
    var task: QueueTask { line.task }
    /// Its name.
    var name: String { names.name(line.task.id) }

    /// That it is in none of these states.
    package func reason(
        outside states: Set<TaskState.Name>, _ participle: String
    ) -> String? {
        guard !states.contains(line.task.state.name) else { return nil }
        return "\(name) \(task.state.name.phrase): it cannot be \(participle)" + way
    }

    /// The key that leads out of the state, where one does.
    private var way: String {
        switch task.state.name {
        case .failed: " (\(key(.retry)) makes it wait)"
        case .succeeded: " (\(key(.duplicate)) runs it once more)"
        case .running: " · \(key(.cancel)) cancels it"
        case .waiting, .deleted: ""
        }
    }

    /// That it neither waits nor failed.
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
    /// What a protected store asks for.
    static let storeName = Option(
        "--store-name", .text("NAME"), "its file's or database's name, where it is protected")

    /// The command of a verb on tasks.
    init(_ verb: any TaskVerb.Type) {
        let tasks = verb.takesOne ? "TASK" : "TASK…"
        self.init(
            verb.name, tasks + (verb.argument.map { " \($0)" } ?? ""), [.task],
            options: verb.options + (verb.asksForStoreName == .never ? [] : [Self.storeName]),
            changes: true, takesFilter: true)
    }
}
