import SluiceForeignQueues
import SluiceSystem

/// Payloads of foreign tasks for a filter, cached while the tasks are visible.
final class ForeignPayloads: Sendable {
    private let known = Protected<[ForeignNumbers.Name: [UInt8]]>([:])

    /// The payloads of tasks. Each is read once.
    func read(
        of tasks: [ForeignLook.FoundTask], in store: ForeignStore
    ) throws -> [ForeignNumbers.Name: [UInt8]] {
        let former = known.withLock { $0 }
        var found: [ForeignNumbers.Name: [UInt8]] = [:]
        for system in store.systems {
            var unread: [ForeignTask] = []
            for entry in tasks where entry.system == system.name {
                let name = ForeignNumbers.Name(
                    system: system.name, reference: entry.task.reference)
                found[name] = former[name]
                if found[name] == nil { unread.append(entry.task) }
            }
            for (task, detail) in zip(unread, try system.details(of: unread)) {
                let name = ForeignNumbers.Name(system: system.name, reference: task.reference)
                found[name] = detail?.payload.told
            }
        }
        let read = found
        known.withLock { $0 = read }
        return found
    }

    /// Removes a task's payload from the cache, so that it is read again.
    func forget(_ name: ForeignNumbers.Name) { known.withLock { $0[name] = nil } }
}
