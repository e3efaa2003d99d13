import SluiceSystem

/// A session: a name for tasks whose results outlive the program (section 8). Any runner executes
/// them, and this process or a later one collects the results.
///
/// An open session attaches its process to the store. Its tasks belong to this process alone. Open
/// it with `QueueClient.session`.
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

    /// The tasks offered at the opening, by number (PN-07).
    public var reconnected: [SessionItem] { found.withLock { $0 } }

    func begin() async throws {
        let items = try await reconnect()
        found.withLock { $0 = items }
    }

    var process: ProcessID { attachment.process.id }
    var store: any QueueStore { client.store }

    /// Enqueues a task. It proceeds after the return whether this program lives or not (S2), and
    /// `events` reports its end. The default queue is the type's, or else has the session's name.
    /// Returns the task's number, unique in the store (PN-03).
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
        return try await enqueue([request], to: queue ?? Payload.queue).first ?? 0
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

    /// Takes over the session's tasks without an attached owner: waiting, running, and ended but
    /// not collected (S3). Returns each task once; a second call finds only tasks abandoned since.
    /// Opening the session has called it already.
    public func reconnect() async throws -> [SessionItem] {
        try await reapTheDead()
        var items: [SessionItem] = []
        // A task may return to a state already listed, so list again if there were several pages.
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

    /// Sets the earliest start of a task that has not ended (S1), or the earliest next start of a
    /// running one. Never shortens the wait after a failure.
    public func setEarliestBegin(_ moment: Timestamp, of id: TaskID) async throws {
        try await change(id) { try $0.apply(.begin(moment), to: $1) }
    }

    /// Says that the result of a task was dealt with: it is not told again, and may be forgotten
    /// (PN-11). Throws `changed` where the task has begun again since.
    public func acknowledge(_ item: SessionItem) async throws {
        try await acknowledge(TaskTarget(item.task))
    }

    /// Acknowledges the end of a task.
    public func acknowledge(_ id: TaskID) async throws {
        try await acknowledge(TaskTarget(id))
    }

    private func acknowledge(_ target: TaskTarget) async throws {
        try checkOpen()
        try await client.control.perform(.acknowledge([target]))
        ledger.forget(target.id)
        if ledger.hasWakers { try await tellWakers() }
    }

    /// Cancels a task: a waiting one goes to the trash, and a running one stops. The session
    /// receives no more events about it.
    public func cancel(_ id: TaskID) async throws {
        let person = client.control.person
        try await change(id) { mutation, task in
            try mutation.withdraw(task, by: person)
            // A task in the trash can be restored, but a dropped result cannot (D9).
            let undo = task.waiting == nil ? nil : mutation.undo
            try mutation.record("cancel", task, by: person, "#\(id) taken back by \(person)", undo)
        }
        ledger.forget(id)
    }

    /// Enqueues a task again, optionally with another payload or type, and cancels the former one
    /// in the same commit (PN-09). It continues unreadable or failed tasks, and those from another
    /// version. Returns the new number.
    @discardableResult
    public func reissue(
        _ id: TaskID, type: String? = nil, payload: [UInt8]? = nil
    ) async throws -> TaskID {
        let (person, process) = (client.control.person, process)
        let new = try await change(id) { mutation, task in
            let new = try mutation.reissue(
                task, type: type, payload: payload, collector: process, by: person)
            let line = "#\(id) issued again as #\(new) by \(person)"
            try mutation.record("reissue", task, by: person, line, nil)
            return new
        }
        ledger.forget(id)
        return new
    }

    /// The fate of a session's work at its close (S7).
    public enum Fate: Hashable, Sendable {
        /// Keeps it; the next opener takes it over.
        case keep
        /// Deletes waiting tasks, stops running ones and drops results. Leaves tasks of other
        /// living processes alone.
        case cancel
    }

    /// Closes the session: its events end, and its work has the fate that is given. A second time
    /// does nothing.
    public func close(_ fate: Fate = .keep) async throws {
        guard !ledger.isClosed else { return }
        if fate == .cancel { try await withdrawAll() }
        ledger.notice(closes: true)
        observation.withLock { $0 = nil }
        for waker in ledger.drainWakers(evenUndelivered: true) { waker() }
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
        try await write { try $0.record("sessionClosed", nil, by: person, line, nil) }
    }
}

extension Mutation {
    /// Writes a line into the journal.
    fileprivate func record(
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
            "session \(name) is closed", fix: "open it again to continue its work")
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

/// The events of a session, until it closes. Several readers share one sequence, which delivers
/// each event once. The end of a task repeats only after the task has run and ended again.
package struct SessionEvents: AsyncSequence, Sendable {
    let session: TaskSession

    /// Reads event after event; asking for the next one says that the former was dealt with.
    package struct Iterator: AsyncIteratorProtocol {
        let session: TaskSession
        private var former: TaskID?

        init(_ session: TaskSession) { self.session = session }

        /// The next event; `nil` after the session's close or a cancellation of the reading task.
        package mutating func next() async throws -> SessionEvent? {
            if let former { session.ledger.wasRead(former) }
            former = nil
            let event = try await session.nextEvent()
            if case .ended(let item)? = event { former = item.id }
            return event
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(session) }
}

extension TaskSession {
    /// The events of the session's tasks. Ends from before the opening come first (S4).
    public var events: some AsyncSequence<SessionEvent, any Error> & Sendable {
        SessionEvents(session: self)
    }

    /// Waits for the end of a task of the session; returns immediately if it has ended (S4).
    /// `events` then omits it. Throws `unknownTask` for a removed or acknowledged task, or one of
    /// another session.
    public func end(of id: TaskID) async throws -> SessionItem {
        while true {
            try checkOpen()
            let news = ledger.news
            let name = name
            let entry = try await store.read { store in
                let task = try store.requireTask(id)
                guard task.session == name, !task.isAcknowledged else {
                    throw QueueError.unknownTask(id)
                }
                return task.endedAt == nil ? nil : try store.entries([task]).first
            }
            if let entry {
                let item = SessionItem(entry, kinds: client.kinds)
                ledger.take(endOf: item)
                return item
            }
            await ledger.wait(since: news)
            try Task.checkCancellation()
        }
    }

    /// Calls `waker` exactly once, when the client has received and handled all events, or at the
    /// session's close (PN-14). For an unknown session this happens immediately. An end is handled
    /// when the client acknowledges it, or when its reader requests the next event.
    public func whenDelivered(_ waker: @escaping @Sendable () -> Void) async throws {
        try checkOpen()
        ledger.add(waker: waker)
        try await tellWakers()
    }

    func tellWakers() async throws {
        try await look()
        for waker in ledger.drainWakers() { waker() }
    }

    fileprivate func nextEvent() async throws -> SessionEvent? {
        while !Task.isCancelled {
            if let event = ledger.take() { return event }
            guard !ledger.isClosed else { return nil }
            let news = ledger.news
            try await look()
            if ledger.hasPending { continue }
            for waker in ledger.drainWakers() { waker() }
            await ledger.wait(since: news)
        }
        return nil
    }

    /// Polls for new events if no event is pending.
    private func look() async throws {
        guard !ledger.hasPending else { return }
        while true {
            let look = SessionLook(
                session: name, process: process, now: client.control.now(), told: ledger.told,
                kinds: client.kinds)
            let found = try await store.read { try look.events($0) }
            ledger.add(found.events)
            guard found.isCut, !ledger.hasPending else { return }
        }
    }
}
