import SluiceControl
import SluiceModel
import SluiceStore

/// How a change of tasks becomes verbs; commands and the console's `:` line use the same.
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
            let states = filter.namesStates ? filter.storedStates : action.legalStates
            let queues =
                try filter.queue.map { [try reading.store.requireQueue($0)] }
                ?? reading.store.queues()
            return try reading.targets(
                in: queues, sections: ListSection.allCases.filter { states.contains($0.state) },
                matching: filter)
        }
    }
}

extension TaskAction {
    /// The verb that does this to the tasks; `payload` is what `edit` found in its source. Throws
    /// where a place is for one task, and there are several.
    func verb(
        on targets: [TaskTarget], payload: [UInt8]?, store: any StoreReader
    ) throws -> Verb {
        switch self {
        case .skip(let time): return .skip(targets, forMilliseconds: time)
        case .unskip: return .unskip(targets)
        case .delete(let cancels, let members):
            return .delete(targets, cancelsRunning: cancels, members: members)
        case .undelete: return .undelete(targets)
        case .retry(let over): return .retry(targets, overMilliseconds: over)
        case .postpone(let until, let over):
            return .postpone(targets, until: until, overMilliseconds: over)
        case .priority(let number): return .priority(targets, number)
        case .move(let place):
            guard let target = targets.first, targets.count == 1 else {
                throw QueueError(
                    .badValue, "\(targets.count) tasks cannot take one place",
                    fix: "name one task, or move them to another --queue")
            }
            return .move(target, try place.resolved(store))
        case .moveToQueue(let queue): return .moveToQueue(targets, queue)
        case .edit(_, let fields): return .edit(targets, payload: payload, fields: fields)
        case .duplicate: return .duplicate(targets)
        case .cancel: return .cancel(targets)
        case .reclaim: return .reclaim(targets)
        case .acknowledge: return .acknowledge(targets)
        case .purge(let members): return .purge(targets, members: members)
        }
    }
}

extension TaskAction.Place {
    /// The place with its task found.
    func resolved(_ store: any StoreReader) throws -> MovePlace {
        switch self {
        case .before(let task): .before(try store.resolve(task))
        case .after(let task): .after(try store.resolve(task))
        case .first: .first
        case .last: .last
        }
    }
}
