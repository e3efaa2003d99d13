package import SluiceModel

/// The only way to change a task. Every operation applies the events of a task's lifecycle through
/// a mutation, which updates its group, queue and unique key.
///
/// It exists inside one `transact`, which writes the changed queues at its end.
package final class Mutation {
    package let store: any StoreWriter
    /// The time of the write by the store's clock, which tasks wait by (G3).
    package private(set) var now: Timestamp
    /// The same time in real time, for events and ends.
    package let real: Timestamp
    /// The images of what changed, for `undo` (D9).
    package private(set) var undo = UndoRecord()
    private var queueCache: [String: SharedQueue] = [:]
    /// The queue read last, which is usually the next task's too.
    private var lastQueue: (name: String, queue: SharedQueue)?
    private var queuesBefore: [String: QueueRecord] = [:]
    private var changedQueues: Set<String> = []
    private var renewedQueues: Set<String> = []
    /// The indexes of the images in `undo` by task, built on demand.
    private var imageIndex: [TaskID: Int] = [:]
    private var indexedImages = 0
    /// The queues into which tasks came that may start.
    var enqueuedQueues: Set<String> = []
    /// The facts about the next runs of queues before tasks came.
    var runFacts: [String: BatchFacts] = [:]
    /// The runner that claims in this write. Remaining tasks are not offered to it.
    var claimer: ProcessID?
    /// Whether the store has breakpoints, where that was asked; nil again when one comes (G1).
    var knownBreakpoints: Bool?
    /// The same of faults (G2).
    var knownFaults: Bool?
    /// The work for group members in this commit.
    var wakeWork: WakeWork
    /// The number of due tasks that a claim checks.
    let bounds: DueBounds

    /// How many members of groups follow their starts in one commit; wakes do the rest (T2).
    package static let membersAtOnce = 1000
    /// The same limit for larger groups: small enough to block no one, even in a program's first
    /// such commit.
    package static let membersOfMany = 10

    /// A mutation that begins. `membersAtOnce` is how many members of groups follow their starts in
    /// this commit at most; the rest is left to wakes (T2).
    init(
        _ store: any StoreWriter, at real: Timestamp, membersAtOnce: Int,
        bounds: DueBounds = .claim
    ) throws {
        self.store = store
        self.real = real
        now = try store.storeRecord().time.time(at: real)
        self.bounds = bounds
        wakeWork = WakeWork(membersLeft: membersAtOnce)
    }

    /// Adopts a changed clock setting for the rest of the write.
    func followClock(_ time: StoreTime) { now = time.time(at: real) }

    /// A queue as this mutation knows it; throws `unknownQueue`.
    package func queue(_ name: String) throws -> QueueRecord {
        if let lastQueue, lastQueue.name == name { return lastQueue.queue.record }
        let queue = try queueCache[name] ?? SharedQueue(store.requireQueue(name))
        keep(queue, named: name)
        return queue.record
    }

    private func keep(_ queue: SharedQueue, named name: String) {
        queueCache[name] = queue
        lastQueue = (name, queue)
    }

    /// Changes a queue; written at the end of the transaction.
    package func changeQueue(_ name: String, _ change: (inout QueueRecord) -> Void) throws {
        var queue = try queue(name)
        let before = queue
        change(&queue)
        guard queue != before else { return }
        if queue.settings.order != before.settings.order { queue.restartWakes() }
        if queue.settings.rate != before.settings.rate {
            if queue.settings.rate?.per != before.settings.rate?.per { queue.paidKeys = PaidKeys() }
            queue.limitRate(at: now)
        }
        var others = queue
        others.wakes = before.wakes
        if others != before {
            if queuesBefore[name] == nil { queuesBefore[name] = before }
            if renewedQueues.insert(name).inserted { queue.version += 1 }
        }
        changedQueues.insert(name)
        keep(SharedQueue(queue), named: name)
    }

    /// Claims enqueued tasks for offered slots (A1) and writes the changed queues: the last step of
    /// a transaction.
    func finish() throws {
        try recordArrivals()
        try handOver()
        try writeQueues()
    }

    /// Whether a queue read in this mutation has pending wakes (T2).
    package var leavesWakes: Bool { queueCache.values.contains { !$0.record.wakes.isEmpty } }

    func writeQueues() throws {
        let isReordered = changedQueues.contains {
            renewedQueues.contains($0)
                && queuesBefore[$0]?.settings.priority != queueCache[$0]?.record.settings.priority
        }
        if isReordered { try withdrawOffers() }
        for name in changedQueues.sorted() {
            if let queue = queueCache[name] { try store.put(queue.record) }
        }
        changedQueues.removeAll()
    }

    /// The data for `undo`, including the image of the queue `withQueue`.
    package func undoRecord(withQueue name: String? = nil) throws -> UndoRecord {
        var record = undo
        if let name, let before = queuesBefore[name] {
            record.queue = before
            record.queueVersionAfter = try queue(name).version
        }
        return record
    }

    /// Applies `event` to `task` and writes the consequences. `chance` draws the jitter. Without
    /// `isUndoable` it keeps no image of the task.
    @discardableResult
    package func apply(
        _ event: TaskEvent, to task: QueueTask, chance: Double = 0.5,
        attemptedIn run: Run? = nil, isUndoable: Bool = true
    ) throws -> Transition {
        let queue = try queue(task.queue)
        var change = try task.applying(
            event, settings: queue.settings, now: now, real: real, chance: chance)
        if case .waiting(var waiting) = change.task.state {
            if task.waiting == nil, change.attemptEnd != nil, run != nil {
                waiting.attemptedInRun = true
                change.task.state = .waiting(waiting)
            }
            if task.waiting == nil {
                change.task.isHeld = try isHeld(change.task)
                try forgetGone(&change.task)
            }
        }
        try followRun(&change.task)
        try write(change, before: task)
        if isUndoable { record(before: task, after: change.task) }
        if let pause = change.pause {
            try add(pause, to: task.queue, by: "#\(task.id) \(task.type)")
        }
        try followGroup(from: task, to: change.isRemoved ? nil : change.task)
        try followPlace(from: task, to: change.task)
        if change.attemptEnd != nil { try supersede(&change) }
        return change
    }

    /// Clears an abandoned attempt of a detached runner: it has ended (B12).
    func forgetGone(_ task: inout QueueTask) throws {
        guard let lingering = task.state.lingering, lingering.kind == .abandoned,
            try !store.processes().contains(where: { $0.id == lingering.owner })
        else { return }
        task.state.lingering = nil
    }

    private func write(_ change: Transition, before: QueueTask) throws {
        if change.isRemoved {
            try store.remove([before.id])
        } else {
            if let what = before.broken(by: change.task) {
                throw QueueError.broken(before.id, what)
            }
            try store.update([change.task])
        }
    }

    /// Keeps the image from before the first change and the version after the last.
    package func record(before: QueueTask?, after: QueueTask, payloadBefore: [UInt8]? = nil) {
        if before != nil, let index = imagePlace(of: after.id) {
            undo.tasks[index].versionAfter = after.version
        } else {
            undo.tasks.append(
                UndoRecord.TaskImage(
                    id: after.id, before: before?.withoutEdit, payloadBefore: payloadBefore,
                    versionAfter: after.version))
        }
    }

    func recordMade(_ id: TaskID, version: Int64) {
        undo.tasks.append(UndoRecord.TaskImage(id: id, before: nil, versionAfter: version))
    }

    private func imagePlace(of id: TaskID) -> Int? {
        while indexedImages < undo.tasks.count {
            imageIndex[undo.tasks[indexedImages].id] = indexedImages
            indexedImages += 1
        }
        return imageIndex[id]
    }

    /// The images from that place on, which are another event's.
    func takeImages(from first: Int) -> UndoRecord {
        var record = UndoRecord()
        record.tasks = Array(undo.tasks[first...])
        for image in record.tasks { imageIndex[image.id] = nil }
        indexedImages = min(indexedImages, first)
        undo.tasks.removeSubrange(first...)
        return record
    }

    /// Runs `body` and returns the images of its changes and new tasks, separate from earlier
    /// images.
    func images<Value>(
        of body: () throws -> Value
    ) throws -> (value: Value, images: [UndoRecord.TaskImage]) {
        let earlier = takeImages(from: 0).tasks
        var images: [UndoRecord.TaskImage] = []
        defer {
            undo.tasks = earlier
            (imageIndex, indexedImages) = ([:], 0)
            for image in images {
                if image.before != nil, let place = imagePlace(of: image.id) {
                    undo.tasks[place].versionAfter = image.versionAfter
                } else {
                    undo.tasks.append(image)
                }
            }
        }
        do {
            let value = try body()
            images = undo.tasks
            return (value, images)
        } catch {
            images = undo.tasks
            throw error
        }
    }

    /// Adds a pause to a queue, joined with one of the same cause that still holds (D1).
    package func add(_ pause: Transition.QueuePause, to queue: String, by: String) throws {
        let until = pause.milliseconds.map { now + $0 }
        try addPause(
            Pause(cause: pause.cause, by: by, reason: pause.reason, since: now, until: until),
            to: queue)
    }

    /// Adds a pause to a queue, merged with an active pause of the same cause (D1). It stops a run
    /// that a person requested (D4).
    package func addPause(_ pause: Pause, to queue: String) throws {
        try changeQueue(queue) {
            $0.pauses = $0.pauses.adding(pause, at: now, real: real)
            if pause.direction.stopsWork { $0.run?.limit = nil }
        }
    }

    /// A task that would wait again while another waits with its key ends as `superseded` (T5).
    private func supersede(_ change: inout Transition) throws {
        let task = change.task
        guard task.waiting != nil, let key = task.uniqueKey else { return }
        let holders = try store.uniqueHolders(
            queue: task.queue, type: task.type, key: key, includingRunning: false)
        guard holders.contains(where: { $0 != task.id }) else { return }
        let ended = try apply(.giveUp(reason: "superseded"), to: task)
        change.task = ended.task
    }
}

extension [Pause] {
    /// These pauses and one more: a cause has at most one, of apps each one, and one that has
    /// passed makes room (D1).
    package func adding(
        _ pause: Pause, at now: Timestamp, real: Timestamp? = nil
    ) -> [Pause] {
        var pauses = filter { $0.isActive(at: now, real: real) }
        if let index = pauses.firstIndex(where: { $0.isSame(as: pause) }) {
            pauses[index] = pauses[index].joined(with: pause)
        } else {
            pauses.append(pause)
        }
        return pauses
    }
}

extension Mutation {
    /// Saves a filter for everybody under a name, or removes it if there is no text (F1).
    package func saveFilter(_ text: String?, as name: String) throws {
        var record = try store.storeRecord()
        record.filters[name] = text
        record.version += 1
        try store.put(record)
    }
}

/// The network state in a runner's row (B6, A3).
extension Mutation {
    /// Records a runner's measured network state. `online` also clears an offline report of a
    /// handler. The journal records each change of state.
    package func setNetwork(_ state: NetworkState, of runner: ProcessID) throws {
        guard let process = try process(runner) else { return }
        var changed = process
        changed.network = state
        if state == .online { changed.offlineUntil = nil }
        if changed != process { try store.put(changed) }
        guard state != process.network ?? .online else { return }
        let isOffline = changed.offlineCause(at: now).map { "is offline: \($0.words)" }
        _ = try store.append([
            JournalEvent(
                at: real, kind: "network", queue: nil, task: nil, by: "sluice",
                text: "worker \(runner) \(isOffline ?? "has a network again")")
        ])
    }

    /// A handler found no network: for 30 s, or until there is one, its runner counts as offline.
    func markOffline(_ runner: ProcessID) throws {
        guard var process = try process(runner) else { return }
        process.offlineUntil = now + ProcessRecord.offlineMilliseconds
        try store.put(process)
    }

    private func process(_ id: ProcessID) throws -> ProcessRecord? {
        try store.processes().first { $0.id == id }
    }
}
