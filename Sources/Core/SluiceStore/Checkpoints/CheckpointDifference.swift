package import SluiceModel

/// The difference between a store at a checkpoint and the current store, or a later checkpoint
/// (G5).
package struct CheckpointDifference: Hashable, Sendable {
    /// Something at both moments; nil if it was not there.
    package struct Pair<Value: Hashable & Sendable>: Hashable, Sendable {
        /// At the first moment.
        package var before: Value?
        /// At the second.
        package var after: Value?

        /// Something at two moments.
        package init(before: Value?, after: Value?) { (self.before, self.after) = (before, after) }
    }
    package var tasks: [TaskID: Pair<QueueTask>] = [:]
    package var payloads: [TaskID: Pair<[UInt8]>] = [:]
    package var results: [TaskID: Pair<[UInt8]>] = [:]
    package var queues: [String: Pair<QueueRecord>] = [:]
    package var storePauses: Pair<[Pause]>
    package var forcedNetwork: Pair<Bool>
    /// The schedules; nil if they were not kept at one of the moments.
    package var schedules: Pair<Schedules>
}

extension StoreReader {
    /// Computes the changes from a checkpoint to a later one, or until now. The cost depends on the
    /// number of changes, not on the size of the store.
    package func difference(
        from old: Checkpoint, to new: Checkpoint?
    ) throws -> CheckpointDifference {
        let record = try storeRecord()
        var found = CheckpointDifference(
            storePauses: .init(
                before: old.storePauses, after: new?.storePauses ?? record.pauses),
            forcedNetwork: .init(
                before: old.forcedNetwork,
                after: new == nil ? record.forcedNetwork : new?.forcedNetwork),
            schedules: .init(
                before: old.schedules, after: new == nil ? record.schedules : new?.schedules))
        let later = try new.map { LaterValues(try images(from: $0.number, before: .max)) }
        for image in try images(since: old, before: new) {
            switch image.subject {
            case .task(let id):
                found.tasks[id] = .init(
                    before: image.content.task, after: try value(of: id, later))
            case .payload(let id):
                let current = try later?.payloads[id] ?? payloads(of: [id])[id].map { .some($0) }
                found.payloads[id] = .init(before: image.content.bytes, after: current ?? nil)
            case .result(let id):
                let current = try later?.results[id] ?? result(of: id).map { .some($0) }
                found.results[id] = .init(before: image.content.bytes, after: current ?? nil)
            case .queue(let name):
                let current = try later?.queues[name] ?? queue(named: name).map { .some($0) }
                found.queues[name] = .init(before: image.content.queue, after: current ?? nil)
            }
        }
        for (id, task) in try came(after: old, until: new, later) {
            found.tasks[id] = .init(before: nil, after: task)
        }
        return found
    }

    /// The images that a checkpoint needs, up to another. A task that came after it has one where
    /// a later checkpoint needs that, and was not there at this one.
    func images(
        since old: Checkpoint, before new: Checkpoint? = nil
    ) throws -> [CheckpointImage] {
        try images(from: old.number, before: new?.number ?? .max).filter { image in
            switch image.subject {
            case .task(let id), .payload(let id), .result(let id): id <= old.lastTask
            case .queue: true
            }
        }
    }

    private func value(of id: TaskID, _ later: LaterValues?) throws -> QueueTask? {
        if let kept = later?.tasks[id] { return kept }
        return try task(id)
    }

    /// The tasks that came between, as they were at the second moment; one that is in the trash by
    /// then came and went.
    private func came(
        after old: Checkpoint, until new: Checkpoint?, _ later: LaterValues?
    ) throws -> [TaskID: QueueTask] {
        var found: [TaskID: QueueTask] = [:]
        var place = old.lastTask
        let last = new?.lastTask ?? .max
        while place < last {
            let page = try tasks(.numbered(after: place), limit: 500)
            for task in page where task.id <= last { found[task.id] = task }
            guard let end = page.last, page.count == 500 else { break }
            place = end.id
        }
        for (id, task) in later?.tasks ?? [:] where id > old.lastTask && id <= last {
            found[id] = task
        }
        return found.filter { $0.value.state.name != .deleted }
    }
}

/// The values at the later checkpoint of subjects changed after it.
private struct LaterValues {
    var tasks: [TaskID: QueueTask?] = [:]
    var payloads: [TaskID: [UInt8]?] = [:]
    var results: [TaskID: [UInt8]?] = [:]
    var queues: [String: QueueRecord?] = [:]

    init(_ images: [CheckpointImage]) {
        for image in images {
            switch image.subject {
            case .task(let id): tasks.updateValue(image.content.task, forKey: id)
            case .payload(let id): payloads.updateValue(image.content.bytes, forKey: id)
            case .result(let id): results.updateValue(image.content.bytes, forKey: id)
            case .queue(let name): queues.updateValue(image.content.queue, forKey: name)
            }
        }
    }
}

extension CheckpointImage.Content {
    /// The task; nil if it was not there.
    var task: QueueTask? { if case .task(let task) = self { task } else { nil } }
    /// The queue; nil if it was not there.
    var queue: QueueRecord? { if case .queue(let queue) = self { queue } else { nil } }
    /// The bytes; nil where there were none.
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
