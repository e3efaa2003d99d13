import SluiceControl
import SluiceModel

/// The commands that do the same as keys.
extension ConsoleState {
    /// The command text of a verb. Uses the filter if `*` marked the tasks.
    func commandText(of verb: Verb? = nil) -> CommandText {
        CommandText(names: names, now: storeNow, filter: verb.flatMap(commandFilter))
    }

    private func commandFilter(of verb: Verb) -> TaskFilter? {
        guard let tasks = verb.onTasks, let request = marks.request, tasks.targets == targets
        else { return nil }
        return request.commandFilter(of: tasks.kind.states)
    }
}
