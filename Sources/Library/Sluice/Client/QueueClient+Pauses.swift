import SluicePlatform

/// Pauses that belong to the app's own life: as while its screens are away (D1, KKT-24).
extension QueueClient {
    /// Pauses a queue, or without one the whole store, until `resume`, or until this program is no
    /// longer attached: it left, or died. Work is paused for every runner; pauses of people, of
    /// handlers and of other apps stand beside it. Once more changes nothing but the reason where
    /// there was none.
    public func pause(_ queue: String? = nil, reason: String? = nil) async throws {
        let (process, person, now) = (try await process(), control.person, control.now())
        try await store.transact(at: now) { mutation in
            try mutation.pause(queue, for: process, by: person, reason: reason)
        }
    }

    /// Ends what this program paused by `pause`: of a queue, or without one of the whole store.
    /// Other pauses stay; a person's `resume` (`control`) ends all of them.
    public func resume(_ queue: String? = nil) async throws {
        guard let process = presence.withLock({ $0?.process.id }) else { return }
        let (person, now) = (control.person, control.now())
        try await store.transact(at: now) { mutation in
            try mutation.endPause(of: queue, for: process, by: person)
        }
    }

    /// Leaves the store: what this program paused goes on. A program that ends does so by itself.
    public func leave() async throws {
        let left = presence.withLock { presence in
            defer { presence = nil }
            return presence
        }
        guard let left else { return }
        let now = control.now()
        try await offPool { try left.detach(now: now) }
    }

    /// Ends this client: its workers are stopped, what runs has their grace, what it paused goes
    /// on, and its store is closed. Later calls throw. Throws the first error of a worker's end,
    /// after all of that.
    public func close() async throws {
        let working = workers.withLock { workers in
            defer { workers = [] }
            return workers
        }
        let ends = await withTaskGroup(of: Result<Void, any Error>.self) { group in
            for worker in working {
                group.addTask {
                    do { return .success(try await worker.stop()) } catch { return .failure(error) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let left: Result<Void, any Error>
        do { left = .success(try await leave()) } catch { left = .failure(error) }
        store.close()
        for end in ends + [left] { try end.get() }
    }

    /// This program as it is attached: from its first pause on.
    private func process() async throws -> ProcessID {
        let (store, now, presence) = (store, control.now(), presence)
        return try await offPool {
            try presence.withLock { presence throws -> ProcessID in
                if let presence { return presence.process.id }
                let attachment = try Attachment(to: store, role: .program, now: now)
                presence = attachment
                return attachment.process.id
            }
        }
    }
}
