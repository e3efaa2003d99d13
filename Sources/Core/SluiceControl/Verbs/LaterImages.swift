import SluiceModel
import SluiceStore

/// The state that a verb left, from the images of later verbs. The first later verb on a task
/// stores the task from before it. Reads the journal on first use.
final class LaterImages {
    private let store: any StoreReader
    private let since: Int64
    private let steps: [StepImage]
    private var isRead = false
    private var tasks: [TaskID: QueueTask] = [:]
    private var payloads: [TaskID: [UInt8]] = [:]
    private var queues: [String: QueueRecord] = [:]
    private var pauses: [Pause]?

    /// Images of verbs after that event.
    convenience init(_ store: any StoreReader, since event: JournalEvent) {
        self.init(store, since: event.sequence)
    }

    /// Uses images of verbs after a journal number, and of later steps that someone undid. An
    /// undone step restores its task except for the number of executions.
    init(_ store: any StoreReader, since sequence: Int64, _ steps: [StepImage] = []) {
        self.store = store
        since = sequence
        self.steps = steps
    }

    /// Whether a task still has the fields and payload that the verb left. Ignores its version.
    func isSame(_ task: QueueTask, as image: UndoRecord.TaskImage) throws -> Bool {
        try read()
        guard let left = tasks[task.id], left.version == image.versionAfter,
            left.hasSameFields(as: task)
        else { return false }
        guard let payload = payloads[task.id] else { return true }
        return try store.payload(of: task.id) == payload
    }

    /// The queue as the verb left it; nil if no later verb changed it.
    func queue(_ name: String) throws -> QueueRecord? {
        try read()
        return queues[name]
    }

    /// The store's pauses as the verb left them; nil if no later verb changed them.
    func storePauses() throws -> [Pause]? {
        try read()
        return pauses
    }

    private func read() throws {
        guard !isRead else { return }
        isRead = true
        var query = JournalQuery(limit: 100)
        query.after = since
        while true {
            let page = try store.journal(query)
            for case .event(let event) in page {
                if let undo = event.undo { take(undo) }
            }
            guard let last = page.last, page.count == query.limit else { return collectSteps() }
            query.after = last.sequence
        }
    }

    /// Uses the image of the first change to a task, by a verb or a step.
    private func collectSteps() {
        for step in steps {
            let first = tasks[step.task.id]
            guard first.map({ $0.version > step.task.version }) ?? true else { continue }
            let id = step.task.id
            tasks[id] = step.task
            tasks[id]?.executions += steps.count { $0.task.id == id }
        }
    }

    private func take(_ undo: UndoRecord) {
        for image in undo.tasks {
            if let before = image.before, tasks[image.id] == nil { tasks[image.id] = before }
            if let payload = image.payloadBefore, payloads[image.id] == nil {
                payloads[image.id] = payload
            }
        }
        if let queue = undo.queue, queues[queue.name] == nil { queues[queue.name] = queue }
        pauses = pauses ?? undo.storePausesBefore
    }
}

extension QueueTask {
    /// Whether only the version, its moment, index columns and waiting processes differ.
    fileprivate func hasSameFields(as other: QueueTask) -> Bool {
        var task = withoutEdit
        task.version = other.version
        task.updatedAt = other.updatedAt
        task.isHeld = other.isHeld
        task.freshAt = other.freshAt
        task.collector = other.collector
        return task == other.withoutEdit
    }
}
