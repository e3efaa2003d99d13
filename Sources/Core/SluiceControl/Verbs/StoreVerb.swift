package import SluiceModel

/// A verb as a value, with its name, command, question and effect. A new verb is one file with such
/// a value in the folder of its feature, and one line of the table of actions.
package protocol StoreVerb: Hashable, Sendable {
    var verbName: String { get }
    /// Its past tense in a sentence about tasks.
    var pastTense: String { get }
    /// The tasks, in processing order; empty for a verb that names none.
    var targets: [TaskTarget] { get set }
    /// The store's name, as the user confirmed it for a protected store (G8).
    var storeName: String? { get set }
    /// Whether an undo needs only the earlier values (D9).
    var canBeUndone: Bool { get }
    /// Whether it undoes or redoes verbs, whose number of tasks is not known in advance.
    var takesBack: Bool { get }
    /// The queue that receives its tasks; `nil` for other verbs.
    var growingQueue: String? { get }
    /// Whether it creates a missing store.
    var makesStore: Bool { get }
    /// Whether members must follow their ended starts first (T2).
    var needsWakes: Bool { get }
    /// The part of the debugger that it uses, whose first use ends attached programs of older
    /// versions (P4); nil for other verbs, and where a person has agreed that those programs end.
    var debuggerPart: DebuggerPart? { get }
    /// The same verb, with which those programs may end.
    var endingOlder: Self { get }
    /// When to confirm it with the user.
    var caution: VerbCaution { get }
    /// The question of a confirmation; nil for one about its tasks.
    var question: String? { get }
    /// The part of the answer that a program reads.
    var answers: AnswerPart { get }

    /// Whether a protected store requires its name for this verb on `tasks` tasks.
    func asksForStoreName(tasks: Int) -> Bool
    /// The command with the same effect, without `sluice`.
    func command(in text: CommandText) -> String
    /// The shell lines that repeat it (G7).
    func lines(in script: VerbScript) -> String
    func perform(in context: VerbContext) throws
}

/// The part of an answer that a program reads, in addition to the tasks.
package enum AnswerPart: Hashable, Sendable {
    case tasks
    /// The pauses of a queue or of the store. `stopsRunning` also stops running tasks.
    case pauses(VerbScope, stopsRunning: Bool = false)
    case breakpoints, faults, clock, checkpoints, schedules
    case restore, stepBack
    case protection(Bool)
}

extension StoreVerb {
    package var pastTense: String { verbName }
    package var targets: [TaskTarget] {
        get { [] }
        set {}
    }
    package var storeName: String? {
        get { nil }
        set {}
    }
    package var canBeUndone: Bool { true }
    package var takesBack: Bool { false }
    package var growingQueue: String? { nil }
    package var makesStore: Bool { false }
    package var needsWakes: Bool { false }
    package var debuggerPart: DebuggerPart? { nil }
    package var endingOlder: Self { self }
    package var caution: VerbCaution { .never }
    package var question: String? { nil }
    package var answers: AnswerPart { .tasks }

    package func asksForStoreName(tasks: Int) -> Bool { false }

    package func lines(in script: VerbScript) -> String {
        script.line(command(in: script.text))
    }

    /// Whether both are the same verb with the same parameters.
    func isSame(as other: any StoreVerb) -> Bool { other as? Self == self }
}

/// A verb whose first use ends attached programs of older versions (P4).
package protocol DebuggerVerb: StoreVerb {
    /// Whether a person has agreed that those programs end.
    var endsOlder: Bool { get set }
}

extension DebuggerVerb {
    package var endingOlder: Self {
        var copy = self
        copy.endsOlder = true
        return copy
    }
}
