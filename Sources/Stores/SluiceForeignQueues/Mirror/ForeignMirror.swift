package import SluiceModel
package import SluiceStore

/// A snapshot of foreign queues as a store in memory, so that code for stores can read it. Tasks
/// have numbers, and queues have their shown names.
///
/// The store counts only the tasks that were read. The snapshot has the counts of the queues.
package struct ForeignMirror: Sendable {
    /// The store. Only this type writes to it.
    package let store: MemoryStore

    /// The name of the one worker that represents the workers of a system without a list.
    package static let unlisted = "not listed"

    /// Makes a store from a snapshot; `journal` has the known events.
    package init(
        _ look: ForeignLook, numbers: ForeignNumbers, journal: [JournalEvent] = [],
        at now: Timestamp
    ) throws {
        store = MemoryStore(name: "mirror")
        let told = ForeignSnapshot(look, numbers: numbers, at: now)
        try store.writeBlocking { writer in try told.fill(writer, journal) }
    }
}

extension ForeignSnapshot {
    fileprivate func fill(_ writer: any StoreWriter, _ journal: [JournalEvent]) throws {
        try writer.show(states)
        for queue in queues { try writer.put(queue) }
        for process in processes { try writer.put(process) }
        let tasks = tasks
        if let last = tasks.map(\.id).max() { _ = try writer.reserveTaskIDs(Int(last)) }
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
