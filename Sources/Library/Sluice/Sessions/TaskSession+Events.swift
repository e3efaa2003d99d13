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

    /// A reader.
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
