import SluiceForeignQueues
import SluicePlatform

/// The payloads of tasks of other systems that a filter asked for, kept while the tasks are seen.
final class ForeignPayloads: Sendable {
    private let known = Protected<[ForeignNumbers.Name: [UInt8]]>([:])

    /// Those of tasks; each is read once.
    func read(
        of tasks: [ForeignLook.Sighting], in store: ForeignStore
    ) throws -> [ForeignNumbers.Name: [UInt8]] {
        let former = known.withLock { $0 }
        var found: [ForeignNumbers.Name: [UInt8]] = [:]
        for sighting in tasks {
            let name = ForeignNumbers.Name(
                system: sighting.system, reference: sighting.task.reference)
            if let payload = former[name] {
                found[name] = payload
            } else if let system = store.systems.first(where: { $0.name == name.system }),
                let detail = try system.detail(of: sighting.task)
            {
                found[name] = detail.payload.told
            }
        }
        let read = found
        known.withLock { $0 = read }
        return found
    }

    /// Reads that of a task anew.
    func forget(_ name: ForeignNumbers.Name) { known.withLock { $0[name] = nil } }
}
