import SluiceControl
import SluiceModel
import SluiceStore

/// The names of tasks in messages. In a folder these are UUIDs, also for removed tasks (P6).
extension CommandContext {
    /// The names of `tasks` and of the tasks that sentences mention.
    func names(of tasks: [TaskID], in sentences: [String] = []) throws -> TaskNames {
        guard try store().namesTasks else { return TaskNames() }
        let all = tasks + sentences.flatMap(TaskNames.mentioned)
        return try read { try $0.names(of: all) }
    }

    func names(in answer: StepAnswer) throws -> TaskNames {
        let ids = answer.stepped.map(\.id) + answer.blockers.compactMap(\.task)
        return try names(
            of: ids + [answer.next, answer.stop?.task].compactMap { $0 },
            in: answer.stepped.compactMap(\.consequence) + answer.blockers.map(\.text))
    }

    /// The lines of a verb's answer with each task by its name.
    func named(_ lines: [String]) throws -> [String] {
        let names = try names(of: [], in: lines)
        return lines.map(names.text)
    }

    /// An error with each task by its name; as it is where the store cannot say.
    func named(_ error: QueueError) -> QueueError {
        let sentences = [error.message, error.fix]
        guard isOpen, sentences.contains(where: { $0.contains("#") }),
            let names = try? names(of: [], in: sentences)
        else { return error }
        return QueueError(error.code, names.text(error.message), fix: names.text(error.fix))
    }
}
