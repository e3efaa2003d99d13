/// What a session tells its client, event by event, until the session is closed. Several readers
/// share one sequence: each event is given once, and the end of a task again only where it has
/// begun and ended again.
package struct SessionEvents: AsyncSequence, Sendable {
    let session: TaskSession

    /// Reads event after event; asking for the next one says that the former was dealt with.
    package struct Iterator: AsyncIteratorProtocol {
        let session: TaskSession
        private var former: TaskID?

        init(_ session: TaskSession) { self.session = session }

        /// The next event; nil where the session is closed or the reading task is cancelled.
        package mutating func next() async throws -> SessionEvent? {
            if let former { session.ledger.wasRead(former) }
            former = nil
            let event = try await session.nextEvent()
            if case .ended(let item)? = event { former = item.id }
            return event
        }
    }

    /// A reader.
    package func makeAsyncIterator() -> Iterator { Iterator(session) }
}

extension TaskSession {
    /// What happens to the session's tasks, those that ended before it was opened first of all
    /// (S4).
    public var events: some AsyncSequence<SessionEvent, any Error> & Sendable {
        SessionEvents(session: self)
    }

    /// The end of one task of the session: at once where it has ended (S4), else when it does.
    /// `events` does not tell it again. Throws `unknownTask` where it is gone, was
    /// acknowledged, or is not of this session.
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

    /// Calls `waker` exactly once: when all that there is to tell is told and dealt with, which for
    /// a session that nobody knows is at once, and at the latest when the session is closed
    /// (PN-14). An end is dealt with when it is acknowledged, or its reader came back for more.
    public func whenDelivered(_ waker: @escaping @Sendable () -> Void) async throws {
        try checkOpen()
        ledger.add(waker: waker)
        try await tellWakers()
    }

    func tellWakers() async throws {
        try await look()
        for waker in ledger.takeWakers() { waker() }
    }

    fileprivate func nextEvent() async throws -> SessionEvent? {
        while !Task.isCancelled {
            if let event = ledger.take() { return event }
            guard !ledger.isClosed else { return nil }
            let news = ledger.news
            try await look()
            if ledger.hasPending { continue }
            for waker in ledger.takeWakers() { waker() }
            await ledger.wait(since: news)
        }
        return nil
    }

    /// Finds what is new, where nothing waits to be told.
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
