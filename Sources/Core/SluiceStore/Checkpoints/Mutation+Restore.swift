package import SluiceModel

/// The result of restoring a checkpoint (G5).
package struct Restored: Hashable, Sendable {
    /// The restored tasks, as a difference would list them. Excludes tasks whose only change is
    /// that a start holds them again.
    package var putBack: [TaskID] = []
    /// Tasks created after the checkpoint, now in the trash.
    package var trashed: [TaskID] = []
    /// The queues that are again as they were.
    package var queues: [String] = []
    /// Whether the restore changed the pauses of the store or its forced network state.
    package var isStoreChanged = false
    /// The data that `undo` needs in addition to the images of tasks.
    package var undo = UndoRecord()

    package var count: Int {
        putBack.count + trashed.count + queues.count + (isStoreChanged ? 1 : 0)
    }

    /// Nothing yet.
    package init() {}
}

/// Putting a store back to a checkpoint: tasks, queues and their settings, and the pauses of the
/// store. Ids, versions, leases, the journal, attempts, acknowledgements, processes, permits,
/// breakpoints and faults stay as they are.
extension Mutation {
    /// Restores everything changed since a checkpoint, from the kept images. Throws without a
    /// change while a task runs, or if a queue is in another store.
    package func restore(to checkpoint: Checkpoint, by person: String) throws -> Restored {
        try refuseWhereSomethingRuns()
        var images = try store.images(since: checkpoint)
        try refuseElsewhere(images)
        var restored = Restored()
        let came = try self.came(after: checkpoint, images)
        if !came.isEmpty {
            try trash(came, by: person, &restored)
            // By now the effects on group members have images too.
            images = try store.images(since: checkpoint)
        }
        try restoreStore(checkpoint, &restored)
        for case .queue(let before) in images.map(\.content) {
            try restore(queue: before, &restored)
        }
        try writeQueues()
        try restore(tasks: images, lastTask: checkpoint.lastTask, &restored)
        return restored
    }

    private func refuseWhereSomethingRuns() throws {
        let running = try store.counts(of: nil)[.running]
        guard running > 0 else { return }
        throw QueueError.notLegal(
            "\(NumberText.tasks(running)) \(running == 1 ? "runs" : "run")",
            fix: "sluice pause --all, and wait until nothing runs")
    }

    private func refuseElsewhere(_ images: [CheckpointImage]) throws {
        for case .queue(let before) in images.map(\.content) { try before.refuseElsewhere() }
        for queue in try store.queues() { try queue.refuseElsewhere() }
    }

    /// The tasks that were not there at a checkpoint.
    private func came(
        after checkpoint: Checkpoint, _ images: [CheckpointImage]
    ) throws -> [TaskID] {
        let absent = images.compactMap { image -> TaskID? in
            guard case .task(let id) = image.subject, image.content == .absent else { return nil }
            return id
        }
        var came = try store.tasks(absent).map(\.id)
        var place = checkpoint.lastTask
        while true {
            let page = try store.tasks(.numbered(after: place), limit: Self.restorePageSize)
            came += page.map(\.id)
            guard let last = page.last, page.count == Self.restorePageSize else { return came }
            place = last.id
        }
    }

    private func trash(_ came: [TaskID], by person: String, _ restored: inout Restored) throws {
        for id in came {
            // An earlier iteration may have given it up together with its start.
            guard let current = try store.task(id) else { continue }
            if case .deleted(let trash) = current.state {
                try release(membersOf: current, trash)
            } else {
                try apply(.delete(Deletion(by: person, members: .release)), to: current)
                restored.trashed.append(id)
            }
        }
    }

    /// Releases the members of a start that was created after the checkpoint and is already in the
    /// trash.
    private func release(membersOf start: QueueTask, _ trash: Trash) throws {
        guard start.holdsMembers else { return }
        var (task, trash) = (start, trash)
        trash.startPolicy = .release
        task.state = .deleted(trash)
        task.version += 1
        task.updatedAt = real
        try store.update([task])
        record(before: start, after: task)
        try followGroup(from: start, to: task)
    }

    private func restoreStore(_ checkpoint: Checkpoint, _ restored: inout Restored) throws {
        var record = try store.storeRecord()
        let pauses = try stillLiving(checkpoint.storePauses)
        guard record.pauses != pauses || record.forcedNetwork != checkpoint.forcedNetwork
        else { return }
        restored.undo.storePausesBefore = record.pauses
        restored.undo.network = .init(forced: record.forcedNetwork)
        restored.isStoreChanged = true
        record.pauses = pauses
        record.forcedNetwork = checkpoint.forcedNetwork
        record.version += 1
        try store.put(record)
    }

    /// The pauses without an owner, and those whose owner is still attached.
    private func stillLiving(_ pauses: [Pause]) throws -> [Pause] {
        guard pauses.contains(where: { $0.owner != nil }) else { return pauses }
        let attached = Set(try store.processes().map(\.id))
        return pauses.filter { $0.owner.map(attached.contains) ?? true }
    }

    /// Restores a queue, with its current breakpoint pauses. Recreates a removed queue.
    private func restore(queue before: QueueRecord, _ restored: inout Restored) throws {
        var wanted = before
        wanted.pauses = try stillLiving(before.pauses).filter { $0.cause != .breakpoint }
        guard try store.queue(named: before.name) != nil else {
            wanted.version += 1
            try store.put(wanted)
            restored.queues.append(before.name)
            restored.undo.madeQueues.append(before.name)
            return
        }
        let current = try queue(before.name)
        wanted.pauses += current.pauses.filter { $0.cause == .breakpoint }
        wanted.version = current.version
        guard wanted != current else { return }
        try changeQueue(before.name) { $0 = wanted }
        // A change of the order restarts the wakes; here they return to their old places.
        try changeQueue(before.name) { $0.wakes = wanted.wakes }
        restored.queues.append(before.name)
        restored.undo.queues.append(
            .init(before: current, versionAfter: try queue(before.name).version))
    }
}

extension Mutation {
    /// The number of tasks per read.
    private static let restorePageSize = 500

    private func restore(
        tasks images: [CheckpointImage], lastTask: TaskID, _ restored: inout Restored
    ) throws {
        let kept = ImagesByTask(images)
        try makeRoom(for: kept, lastTask: lastTask)
        let ids = Set(kept.tasks.keys).union(kept.payloads.keys).union(kept.results.keys).sorted()
        for start in stride(from: 0, to: ids.count, by: Self.restorePageSize) {
            let page = Array(ids[start..<min(start + Self.restorePageSize, ids.count)])
            var current: [TaskID: QueueTask] = [:]
            for task in try store.tasks(page) { current[task.id] = task }
            for id in page where try restore(id, from: kept, over: current[id], &restored) {
                restored.putBack.append(id)
            }
        }
        for (id, former) in kept.tasks.sorted(by: { $0.key < $1.key }) where former.running != nil {
            try settleIn(id)
        }
    }

    /// Settles a task that ran at the checkpoint as if it returned from an attempt. Starts may hold
    /// it; if another waiting task has its unique key, that task stays (T5).
    private func settleIn(_ id: TaskID) throws {
        guard let task = try store.task(id), task.waiting != nil else { return }
        try refreshHeld(task)
        guard let key = task.uniqueKey else { return }
        let holders = try store.uniqueHolders(
            queue: task.queue, type: task.type, key: key, includingRunning: false)
        guard holders.contains(where: { $0 != id }) else { return }
        try apply(.giveUp(reason: "superseded"), to: try store.requireTask(id))
    }

    /// Puts one back; says whether that changed anything that a difference would name.
    private func restore(
        _ id: TaskID, from kept: ImagesByTask, over current: QueueTask?,
        _ restored: inout Restored
    ) throws -> Bool {
        guard let current else {
            guard let former = kept.tasks[id] else { return false }
            try putBack(gone: former, kept)
            return true
        }
        let payload = try kept.payloads[id] == nil ? [] : store.payload(of: id) ?? []
        let isPaid = kept.payloads[id].map { $0 != payload } ?? false
        let result = try kept.results[id] == nil ? nil : store.result(of: id)
        let hasResult = kept.results[id].map { $0 != result } ?? false
        var task = (kept.tasks[id] ?? current).asPutBack(over: current)
        (task.version, task.updatedAt) = (current.version, current.updatedAt)
        (task.executions, task.collector) = (current.executions, current.collector)
        try forgetGone(&task)
        guard task != current || isPaid || hasResult else { return false }
        task.version += 1
        task.updatedAt = real
        try store.update([task])
        record(before: current, after: task, payloadBefore: isPaid ? payload : nil)
        if isPaid, let former = kept.payloads[id] { try store.setPayload(former, of: id) }
        if hasResult {
            restored.undo.results.append(.init(number: id, before: result))
            try store.setResult(kept.results[id] ?? nil, of: id)
        }
        return isPaid || hasResult || !task.differences(from: current).isEmpty
    }

    /// A task that the store forgot comes again under its number.
    private func putBack(gone former: QueueTask, _ kept: ImagesByTask) throws {
        var task = former.asPutBack(over: nil)
        task.version += 1
        task.updatedAt = real
        task.executions = max(
            task.executions, try store.writtenAttempts(of: task.id).last?.number ?? 0)
        try forgetGone(&task)
        try store.insert([NewTask(task: task, payload: kept.payloads[task.id] ?? [])])
        if let result = kept.results[task.id] ?? nil { try store.setResult(result, of: task.id) }
        recordMade(task.id, version: task.version)
    }

    /// Moves newer tasks to the end of the queue if they occupy the position of a restored task.
    /// Positions are unique in a queue (Q1).
    private func makeRoom(for kept: ImagesByTask, lastTask: TaskID) throws {
        var places: Set<TaskPlace> = []
        for task in kept.tasks.values { places.insert(TaskPlace(task)) }
        guard !places.isEmpty else { return }
        var ids = kept.absent
        var place = lastTask
        while true {
            let page = try store.tasks(.numbered(after: place), limit: Self.restorePageSize)
            ids += page.filter { places.contains(TaskPlace($0)) }.map(\.id)
            guard let last = page.last, page.count == Self.restorePageSize else { break }
            place = last.id
        }
        for var task in try store.tasks(ids) where places.contains(TaskPlace(task)) {
            task.position = try store.lastPosition(queue: task.queue) + positionGap
            try store.update([task])
        }
    }
}

/// The position of a task in its queue.
private struct TaskPlace: Hashable {
    var queue: String
    var position: Int64

    init(_ task: QueueTask) { (queue, position) = (task.queue, task.position) }
}

private struct ImagesByTask {
    var tasks: [TaskID: QueueTask] = [:]
    var payloads: [TaskID: [UInt8]] = [:]
    var results: [TaskID: [UInt8]?] = [:]
    /// Tasks that did not exist at the checkpoint.
    var absent: [TaskID] = []

    init(_ images: [CheckpointImage]) {
        for image in images {
            switch image.subject {
            case .task(let id):
                if let task = image.content.task { tasks[id] = task } else { absent.append(id) }
            case .payload(let id): payloads[id] = image.content.bytes
            case .result(let id): results.updateValue(image.content.bytes, forKey: id)
            case .queue: break
            }
        }
        for id in absent { (payloads[id], results[id]) = (nil, nil) }
    }
}

/// A step keeps images of its changes, so that `undo` can revert the newest step (G5). The lease
/// shows whether a permit started the attempt.
extension Mutation {
    /// Begins a step: keeps the image of the waiting task.
    func begin(step task: QueueTask, _ lease: Running) throws {
        let waiting = try store.task(task.id) ?? task
        try store.put(
            StepImage(
                token: lease.token, task: waiting.withoutEdit, attempt: lease.attempt,
                lastTask: try store.reserveTaskIDs(0) - 1))
    }

    /// Ends a step with `settle`, and keeps images of the changes and of new tasks.
    func end(
        step lease: Running, of task: QueueTask, _ settle: () throws -> Settled
    ) throws -> Settled {
        guard var step = try store.steps().last(where: { $0.token == lease.token })
        else { return try settle() }
        let payload = try payloadOfStep(task)
        let (settled, images) = try images(of: settle)
        let attempt = try store.attempts(of: task.id).last { $0.number == lease.attempt }
        step.end = StepImage.End(
            sequence: attempt?.endSequence ?? 0, left: try store.task(task.id), images: images,
            payload: payload)
        try store.put(step)
        return settled
    }

    /// The run of a queue ended in the commit that ended these steps.
    func recordRunEnd(of queue: String, _ tokens: Set<Int64>) throws {
        for var step in try store.steps()
        where step.task.queue == queue && tokens.contains(step.token) {
            step.end?.endsRun = true
            try store.put(step)
        }
    }

    /// The payload of a stepped task whose end may make the store forget it; nil for any other.
    private func payloadOfStep(_ task: QueueTask) throws -> [UInt8]? {
        switch try queue(task.queue).settings.keepFinished {
        case .none, .last: try store.payload(of: task.id)
        case .milliseconds, .acknowledged: nil
        }
    }

    /// Lets the task of a step wait again as it did; where the store has forgotten it, it comes
    /// again under its number.
    package func revert(_ step: StepImage) throws {
        if let current = try store.task(step.task.id) {
            try restore(step.steppedBack(current), in: current)
            return
        }
        var task = try settled(step.task)
        // Its start and its end were versions of it.
        task.version += 3
        task.updatedAt = real
        task.executions = step.attempt
        task.isHeld = try isHeld(task)
        let behind = TaskSelection.arrived(queue: task.queue, after: task.position - 1)
        if try store.tasks(behind, limit: 1).first?.position == task.position {
            task.position = try store.lastPosition(queue: task.queue) + positionGap
        }
        try store.insert([NewTask(task: task, payload: step.end?.payload ?? [])])
        recordMade(task.id, version: task.version)
        try followGroup(from: nil, to: task)
    }

    /// Clears the attempted-in-run mark of an old image if that run has ended.
    func settled(_ task: QueueTask) throws -> QueueTask {
        guard var waiting = task.waiting, try queue(task.queue).run == nil else { return task }
        var task = task
        waiting.attemptedInRun = false
        task.state = .waiting(waiting)
        return task
    }
}
