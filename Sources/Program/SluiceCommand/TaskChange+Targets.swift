import SluiceControl
import SluiceModel
import SluiceStore

/// Which tasks a command means; commands and the console's `:` line use the same.
extension TaskChange {
    /// The tasks: named ones without a version, filtered ones with the version that the filter saw
    /// (D8). A filter without a state selects only tasks in states where the verb is legal.
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
