import SluicePlatform

/// Work that outlives its program (section 8): a name under which tasks are handed over, carried
/// by any runner, and their results collected, by this process or by a later one.
///
/// While a session is open its process is attached to the store, and the tasks that it handed over
/// or found are offered to nobody else. Open it with `QueueClient.session`.
public final class TaskSession: Sendable {
    /// The name.
    public let name: String
    let client: QueueClient
    let attachment: Attachment
    let ledger: SessionLedger
    private let observation: Protected<(any StoreObservation)?>
    private let found = Protected<[SessionItem]>([])

    init(_ name: String, client: QueueClient) throws {
        try Names.check(name, of: "session")
        self.name = Names.composed(name)
        self.client = client
        let ledger = SessionLedger()
        self.ledger = ledger
        attachment = try Attachment(
            to: client.store, role: .program, now: client.control.now())
        observation = Protected(try client.store.observe { ledger.notice() })
    }

    /// What was offered when the session was opened, by number (PN-07).
    public var reconnected: [SessionItem] { found.withLock { $0 } }

    func begin() async throws {
        let items = try await reconnect()
        found.withLock { $0 = items }
    }

    var process: ProcessID { attachment.process.id }
    var store: any QueueStore { client.store }

    /// Hands a task over; from the return on it proceeds whether this program lives or not (S2),
    /// and its end is told by `events`. The queue is named as the session unless `queue` says
    /// another. Gives its number, unique in the store (PN-03).
    @discardableResult
    public nonisolated(nonsending) func enqueue<Payload: TaskPayload>(
        _ payload: Payload, to queue: String? = nil, clientString: ClientString? = nil,
        notBefore: Timestamp? = nil,
        _ configure: (inout EnqueueRequest) -> Void = { _ in }
    ) async throws -> TaskID {
        client.know(Payload.self)
        var request = try EnqueueRequest(payload)
        request.clientString = clientString
        request.notBefore = notBefore
        configure(&request)
        return try await enqueue([request], to: queue).first ?? 0
    }

    /// Hands tasks over as they are, all or none; gives their numbers in order.
    @discardableResult
    public func enqueue(
        _ requests: [EnqueueRequest], to queue: String? = nil
    ) async throws -> [TaskID] {
        let (name, process) = (name, process)
        let owned = requests.map { request in
            var request = request
            request.session = name
            request.collector = process
            return request
        }
        return try await write { try $0.enqueue(owned, to: queue ?? name).ids }
    }

    /// Lists what no attached process waits for and makes it this session's: waiting, running, and
    /// finished but not collected (S3). Each task is offered once: a second call finds only what
    /// was left behind since. Opening the session has done it already.
    public func reconnect() async throws -> [SessionItem] {
        try await reapTheDead()
        var items: [SessionItem] = []
        // A task may go back to a state that was listed already: a long list is read once more.
        while true {
            var place: SessionPlace? = .start
            var pages = 0
            let before = items.count
            while let from = place {
                let (name, process) = (name, process)
                let page = try await write {
                    try $0.adopt(session: name, by: process, from: from, limit: 500)
                }
                items += page.entries.map { SessionItem($0, kinds: client.kinds) }
                place = page.next
                pages += 1
            }
            if pages == 1 || items.count == before { break }
        }
        ledger.notice()
        return items.sorted { $0.id < $1.id }
    }

    /// Replaces, or with nil removes, the client string of a task that has not ended (S1).
    public func setClientString(_ string: ClientString?, of id: TaskID) async throws {
        try string?.check()
        try await change(id) { try $0.apply(.annotate(string), to: $1) }
    }

    /// Replaces the earliest begin of a task that has not ended (S1); of one that runs, that of its
    /// next execution. It never shortens the wait after a failure.
    public func setEarliestBegin(_ moment: Timestamp, of id: TaskID) async throws {
        try await change(id) { try $0.apply(.begin(moment), to: $1) }
    }

    /// Says that the result of a task was dealt with: it is not told again, and may be forgotten
    /// (PN-11). Throws `changed` where the task has begun again since.
    public func acknowledge(_ item: SessionItem) async throws {
        try await acknowledge(TaskTarget(item.task))
    }

    /// Says that the result of a task was dealt with, whatever it was.
    public func acknowledge(_ id: TaskID) async throws {
        try await acknowledge(TaskTarget(id))
    }

    private func acknowledge(_ target: TaskTarget) async throws {
        try checkOpen()
        try await client.control.perform(.acknowledge([target]))
        ledger.forget(target.id)
        if ledger.hasWakers { try await tellWakers() }
    }

    /// Takes a task back: one that waits goes to the trash, one that runs is told to stop. The
    /// session hears nothing more of it.
    public func cancel(_ id: TaskID) async throws {
        let person = client.control.person
        try await change(id) { mutation, task in
            try mutation.withdraw(task, by: person)
            // What it left in the trash can be brought back; an end that was let go cannot (D9).
            let undo = task.waiting == nil ? nil : mutation.undo
            try mutation.note("cancel", task, by: person, "#\(id) taken back by \(person)", undo)
        }
        ledger.forget(id)
    }

    /// Hands a task over once more, with another payload or type where they are given, and takes
    /// the former one back in the same commit (PN-09): what cannot be read, failed, or was written
    /// by another version goes on so. Gives the new number.
    @discardableResult
    public func reissue(
        _ id: TaskID, type: String? = nil, payload: [UInt8]? = nil
    ) async throws -> TaskID {
        let (person, process) = (client.control.person, process)
        let new = try await change(id) { mutation, task in
            let new = try mutation.reissue(
                task, type: type, payload: payload, collector: process, by: person)
            let line = "#\(id) issued again as #\(new) by \(person)"
            try mutation.note("reissue", task, by: person, line, nil)
            return new
        }
        ledger.forget(id)
        return new
    }

    /// What becomes of a session's work when the session is closed (S7).
    public enum Fate: Hashable, Sendable {
        /// It goes on; whoever opens the session next is offered it.
        case keep
        /// What waits goes to the trash, what runs is told to stop, results are let go; work that
        /// another living process waits for is left alone.
        case cancel
    }

    /// Closes the session: its events end, and its work has the fate that is given. A second time
    /// does nothing.
    public func close(_ fate: Fate = .keep) async throws {
        guard !ledger.isClosed else { return }
        if fate == .cancel { try await withdrawAll() }
        ledger.notice(closes: true)
        observation.withLock { $0 = nil }
        for waker in ledger.takeWakers(evenUndelivered: true) { waker() }
        let (attachment, now) = (attachment, client.control.now())
        try await offPool { try attachment.detach(now: now) }
    }

    private func withdrawAll() async throws {
        let (name, process, person) = (name, process, client.control.person)
        var place: SessionPlace? = .start
        var count = 0
        while let from = place {
            let (done, next) = try await write {
                try $0.withdraw(
                    session: name, of: process, by: person, from: from, limit: Control.slice)
            }
            count += done
            place = next
        }
        let word = count == 1 ? "task" : "tasks"
        let line = "session \(name) closed by \(person), \(count) \(word) taken back"
        try await write { try $0.note("sessionClosed", nil, by: person, line, nil) }
    }
}

extension Mutation {
    /// Writes a line into the journal.
    fileprivate func note(
        _ kind: String, _ task: QueueTask?, by person: String, _ text: String, _ undo: UndoRecord?
    ) throws {
        try store.append([
            JournalEvent(
                at: real, kind: kind, queue: task?.queue, task: task?.id, by: person, text: text,
                undo: undo)
        ])
    }
}

/// How a session reads and writes.
extension TaskSession {
    func checkOpen() throws {
        guard ledger.isClosed else { return }
        throw QueueError.notLegal(
            "session \(name) is closed", fix: "open it again to go on with its work")
    }

    @discardableResult
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (Mutation) throws -> Value
    ) async throws -> Value {
        try checkOpen()
        let now = client.control.now()
        return try await store.transact(at: now) { mutation in
            let value = try body(mutation)
            return value
        }
    }

    /// Changes a task of this session; throws `unknownTask` for one of another.
    @discardableResult
    private func change<Value: Sendable>(
        _ id: TaskID, _ body: @escaping @Sendable (Mutation, QueueTask) throws -> Value
    ) async throws -> Value {
        let name = name
        return try await write { mutation in
            let task = try mutation.store.requireTask(id)
            guard task.session == name else { throw QueueError.unknownTask(id) }
            return try body(mutation, task)
        }
    }

    private func reapTheDead() async throws {
        let (store, now, chance) = (store, client.control.now(), client.control.chance())
        try await offPool { try Reaper.reapTheDead(in: store, now: now, chance: chance) }
    }
}
