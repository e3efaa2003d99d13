import SluicePlatform

/// Pauses that belong to the app's own life: as while its screens are away (D1, KKT-24).
extension QueueClient {
    /// Pauses a queue, or by default the store, until `resume` or until this program detaches or
    /// dies. It stops work for every runner. Pauses by people, handlers and other apps are
    /// independent. A second call only adds a missing reason.
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

    /// Detaches from the store, which ends this program's pauses. The end of the program does the
    /// same.
    public func leave() async throws {
        let left = presence.withLock { presence in
            defer { presence = nil }
            return presence
        }
        guard let left else { return }
        let now = control.now()
        try await offPool { try left.detach(now: now) }
    }

    /// Closes this client: stops its workers, gives running tasks their grace, ends its pauses and
    /// closes its store. Later calls throw. Afterwards it throws the first error of a worker's end.
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

    /// This program's attachment, created at its first pause.
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
