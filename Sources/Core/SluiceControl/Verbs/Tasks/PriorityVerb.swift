public import SluiceModel
import SluiceStore

/// Larger runs first, where the order of the queue is by priority (Q1).
package struct PriorityVerb: TaskVerb {
    package static let name = "priority"
    package static let help = "larger runs first (order priority)"
    package static let participle = "given a priority"
    package static let argument: String? = "N"
    package static let keepsQueueLength = true
    package static let states: Set<TaskState.Name> = [.waiting, .failed]
    /// A number, or a name that the queue has for one.
    package var value: PriorityWord

    package static func reason(against shown: ShownTask) -> String? { shown.isNotWaitingOrFailed }

    package var pastTense: String { "given priority \(value.text)" }

    package func words(in text: CommandText) -> [String] { [value.text] }

    package func perform(on task: QueueTask, in context: VerbContext) throws {
        // Throw for an unknown word even if the task's state is wrong.
        let settings = try context.mutation.queue(task.queue).settings
        _ = try settings.priority(of: value, queue: task.queue)
        guard Self.states.contains(task.state.name) else { throw task.refusal(Self.participle) }
        try context.mutation.apply(.edit([.priority(value)]), to: task)
        let order = settings.order
        if order != .priority, context.answer.consequences.isEmpty {
            context.answer.consequences.append(
                "the order of \(task.queue) is \(order.rawValue), so it has no effect there")
        }
    }
}

extension PriorityVerb {
    package init(_ words: VerbWords) throws(QueueError) {
        value = try Arguments.priority(words.argument, of: "N")
    }
}

extension Verb {
    /// Gives tasks a priority (Q1).
    public static func priority(_ targets: [TaskTarget], _ value: PriorityWord) -> Verb {
        on(targets, PriorityVerb(value: value))
    }
}
