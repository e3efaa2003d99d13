package import SluiceModel

/// Converts the rows of an application's own transaction into the effects of Sluice's own verbs
/// (T4).
extension Mutation {
    /// The actor of events for an application's SQL.
    package static let applicationName = "application"

    /// Takes in rows of an inbox, in order. A refused row stays in its table with a mark and does
    /// not block others.
    ///
    /// The rows committed together with the application's own work. So, as for a follow-up (A3), a
    /// full queue or an enqueue pause does not refuse them, and `reject` acts as `keep`.
    package func takeIn(_ entries: [InboxEntry], from inbox: any InboxWriter) throws {
        var intake = InboxIntake(mutation: self, inbox: inbox)
        for entry in entries { try intake.take(entry) }
        try intake.flush()
        try intake.writeJournal()
    }

    /// Leaves a row where it is, marked with why it cannot be taken in.
    package func refuse(
        _ entry: InboxEntry, _ error: QueueError, in inbox: any InboxWriter
    ) throws {
        try InboxIntake(mutation: self, inbox: inbox).refuse(entry, error)
    }
}

/// One slice of an inbox. Adjacent tasks for one queue become one enqueue.
private struct InboxIntake {
    let mutation: Mutation
    let inbox: any InboxWriter
    private var queue: String?
    private var requests: [EnqueueRequest] = []
    private var arrived = 0
    private var gone: [TaskID] = []
    private var queues: Set<String> = []

    init(mutation: Mutation, inbox: any InboxWriter) {
        self.mutation = mutation
        self.inbox = inbox
    }

    mutating func take(_ entry: InboxEntry) throws {
        var settings = QueueSettings()
        if case .task(let name, _) = entry.content {
            // The enqueue will create a missing queue with default settings (Q11).
            settings = try mutation.store.queue(named: name)?.settings ?? settings
        }
        do throws(QueueError) {
            try look(at: entry, settings)
        } catch {
            return try refuse(entry, error)
        }
        switch entry.content {
        case .task(let name, let request):
            if name != queue { try flush() }
            queue = name
            requests.append(request)
        case .removal(let id):
            try flush()
            if let task = try mutation.store.task(id) { try remove(task) }
        case .keyRemoval(let name, let type, let key):
            try flush()
            try inbox.removeRefusedRows(queue: name, type: type, key: key)
            let holders = try mutation.store.uniqueHolders(
                queue: name, type: Names.composed(type), key: Names.composed(key),
                includingRunning: true)
            for task in try mutation.store.tasks(holders) { try remove(task) }
        case .unreadable: break
        }
        try inbox.removeInboxRow(entry)
    }

    func refuse(_ entry: InboxEntry, _ error: QueueError) throws {
        try inbox.refuseInboxRow(entry, error.description)
        try journal(
            "row \(entry.row) of \(inbox.name(of: entry.table)) was refused: \(error.message)")
    }

    /// Throws the reason why a row can never be taken in.
    private func look(
        at entry: InboxEntry, _ settings: QueueSettings
    ) throws(QueueError) {
        switch entry.content {
        case .task(let name, let request):
            try Names.check(name, of: "queue")
            try request.check(settings, queue: name)
        case .unreadable(let error): throw error
        case .removal, .keyRemoval: break
        }
    }

    /// Enqueues the collected requests.
    mutating func flush() throws {
        guard let name = queue, !requests.isEmpty else { return }
        let result = try mutation.enqueue(requests, to: name, isEffect: true)
        arrived += result.added.count
        queues.insert(name)
        requests.removeAll(keepingCapacity: true)
    }

    /// The verb `delete`. A running task gets a stop request and is deleted after it stops (D6,
    /// A6). A task in the trash already is no error.
    private mutating func remove(_ task: QueueTask) throws {
        let deletion = Deletion(by: Mutation.applicationName)
        switch task.state {
        case .waiting, .failed, .succeeded: try mutation.apply(.delete(deletion), to: task)
        case .running: try mutation.apply(.requestStop(.deleted, deletion), to: task)
        case .deleted: return
        }
        gone.append(task.id)
        queues.insert(task.queue)
    }

    /// Says what the slice did, with the way back.
    func writeJournal() throws {
        let came = arrived == 1 ? "1 task came in" : "\(arrived) tasks came in"
        let went = gone.count == 1 ? "#\(gone[0]) was removed" : "\(gone.count) tasks were removed"
        switch (arrived, gone.count) {
        case (0, 0): return
        case (_, 0): try journal("\(came) with the application's own work", withUndo: true)
        case (0, _): try journal("\(went) with the application's own work", withUndo: true)
        default: try journal("\(came) and \(went) with the application's own work", withUndo: true)
        }
    }

    private func journal(_ text: String, withUndo: Bool = false) throws {
        let undo = withUndo ? mutation.undo : nil
        try mutation.store.append([
            JournalEvent(
                at: mutation.real, kind: "inbox", queue: queues.count == 1 ? queues.first : nil,
                task: arrived == 0 && gone.count == 1 ? gone.first : nil,
                by: Mutation.applicationName, text: text,
                undo: undo.flatMap { $0.isEmpty ? nil : $0 })
        ])
    }
}
