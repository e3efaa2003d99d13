import SluiceControl
import SluiceModel
import SluiceStore

/// Which tasks a command means; commands and the console's `:` line use the same.
extension TaskChange {
    /// The tasks: named ones as they are, those of a filter at the versions that it saw (D8). Where
    /// a filter names no state, only tasks of states in which the verb is legal are taken.
    func targets(_ reading: Reading) throws -> [TaskTarget] {
        switch selection {
        case .tasks(let references):
            var targets: [TaskTarget] = []
            for reference in references {
                let target = TaskTarget(try reading.store.number(of: reference))
                if !targets.contains(target) { targets.append(target) }
            }
            return targets
        case .filter(let filter):
            let states = filter.states(usually: words.kind.states)
            let queues =
                try filter.queue.map { [try reading.store.requireQueue($0)] }
                ?? reading.store.queues()
            return try reading.targets(
                in: queues, sections: ListSection.allCases.filter { states.contains($0.state) },
                matching: filter)
        }
    }
}
