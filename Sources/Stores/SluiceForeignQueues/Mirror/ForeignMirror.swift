package import SluiceModel
package import SluiceStore

/// What one look read of other systems' queues, as a store in memory: who knows stores reads it
/// with what they have. Its tasks have numbers, its queues the names that are shown.
///
/// The counts of such a store are those of the tasks that were read; those of the queues stand in
/// the look.
package struct ForeignMirror: Sendable {
    /// The store; nobody else writes to it.
    package let store: MemoryStore

    /// The workers of a system that keeps no list of them stand as one of this name.
    package static let unlisted = "not listed"

    /// Makes a store of a look; `journal` is what is known to have happened.
    package init(
        _ look: ForeignLook, numbers: ForeignNumbers, journal: [JournalEvent] = [],
        at now: Timestamp
    ) throws {
        store = MemoryStore(name: "mirror")
        let told = ForeignTold(look, numbers: numbers, at: now)
        try store.writeBlocking { writer in try told.fill(writer, journal) }
    }
}

extension ForeignTold {
    fileprivate func fill(_ writer: any StoreWriter, _ journal: [JournalEvent]) throws {
        for queue in queues { try writer.put(queue) }
        for process in processes { try writer.put(process) }
        let tasks = tasks
        if let last = tasks.map(\.id).max() { _ = try writer.takeTaskIDs(Int(last)) }
        try writer.insert(
            tasks.map { task in NewTask(task: task, payload: payload(of: task)) })
        if let detail = look.detail, let task = tasks.first(where: isSubject) {
            try writer.put(detail.told(of: task))
        }
        if !journal.isEmpty { try writer.append(journal) }
    }

    private func isSubject(_ task: QueueTask) -> Bool {
        look.subject.map { $0 == numbers.name(task.id) } ?? false
    }

    private func payload(of task: QueueTask) -> [UInt8] {
        if let detail = look.detail, isSubject(task) { return detail.payload.told }
        return numbers.name(task.id).flatMap { look.payloads[$0] } ?? []
    }
}
