import SluiceModel
package import SluiceStore
import SluiceSystem

/// Runs writing bodies. Waiting bodies share one commit, each in its own savepoint, and each caller
/// gets its result after the commit with its work (P1).
///
/// A caller that may block runs its body itself if no other thread writes, so that a plain program
/// needs no second thread. One thread, started on first use, serves all others.
package final class GroupCommit: @unchecked Sendable {
    private let name: String
    private let bodies: BodyThreads
    private let lock = Lock()
    private let arrival: Condition
    private var waiting: [any WriteJob] = []
    private var isBusy = false
    private var isClosed = false
    private var thread: Thread?
    /// Used only by the thread that set `isBusy`.
    private var batch: WriteBatch?

    package init(name: String, bodies: BodyThreads, batch: WriteBatch) {
        self.name = name
        self.bodies = bodies
        self.batch = batch
        arrival = Condition(lock)
    }

    /// Runs a body on the writer's thread, or on the thread of a caller whose commit it shares.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            enqueue(BodyJob(body) { continuation.resume(with: $0) })
        }
    }

    /// Runs a body on the caller's thread if no other thread writes, otherwise waits for the
    /// writer's thread.
    package func writeBlocking<Value: Sendable>(
        expecting expected: ExpectedReads = ExpectedReads(),
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value {
        let promise = Promise<Value>()
        let job = BodyJob(body, expecting: expected) { promise.resolve($0) }
        if try !runHere(job) { enqueue(job) }
        return try promise.wait()
    }

    /// Queues a body; its result comes on the writer's thread.
    private func enqueue(_ job: any WriteJob) {
        let failure = lock.withLock { () -> QueueError? in
            if isClosed { return .closedStore(name) }
            waiting.append(job)
            do throws(SystemError) {
                try startThread()
            } catch {
                waiting.removeLast()
                return .threadRefused(error, name)
            }
            arrival.broadcast()
            return nil
        }
        if let failure { job.finish(failure) }
    }

    /// Runs a body here if no other thread writes. Returns whether it did.
    private func runHere(_ job: any WriteJob) throws(QueueError) -> Bool {
        try bodies.check(name)
        let mayRun = try lock.withLock { () throws(QueueError) -> Bool in
            if isClosed { throw .closedStore(name) }
            guard !isBusy, waiting.isEmpty else { return false }
            isBusy = true
            return true
        }
        if mayRun { run([job]) }
        return mayRun
    }

    /// Ends the thread after the bodies that wait, and closes the connection.
    package func close() {
        let thread = lock.withLock { () -> Thread? in
            isClosed = true
            arrival.broadcast()
            return self.thread
        }
        if let thread, !thread.isCurrent { thread.join() }
        let last = lock.withLock { () -> WriteBatch? in
            while isBusy { arrival.wait() }
            defer { batch = nil }
            return batch
        }
        withExtendedLifetime(last) {}
    }

    private func startThread() throws(SystemError) {
        guard thread == nil else { return }
        thread = try Thread(name: "sluice-writer") { [self] in serve() }
    }

    private func serve() {
        while true {
            let jobs = lock.withLock { () -> [any WriteJob]? in
                while isBusy || waiting.isEmpty {
                    if isClosed, waiting.isEmpty, !isBusy { return nil }
                    arrival.wait()
                }
                isBusy = true
                return dequeueWaiting(WriteBatch.bodyLimit)
            }
            guard let jobs else { return }
            run(jobs)
        }
    }

    /// Under the lock.
    private func dequeueWaiting(_ limit: Int) -> [any WriteJob] {
        let count = min(waiting.count, limit)
        defer { waiting.removeFirst(count) }
        return Array(waiting.prefix(count))
    }

    /// Commits the bodies that fit in one commit, including bodies that arrive during it. The
    /// writer's thread takes the rest, so that no caller works for others after its own body.
    private func run(_ first: [any WriteJob]) {
        var jobs = first
        bodies.enter()
        let done = batch?.commit(&jobs) { limit in lock.withLock { dequeueWaiting(limit) } }
        bodies.leave()
        lock.withLock {
            waiting.insert(contentsOf: jobs.dropFirst(done ?? jobs.count), at: 0)
            isBusy = false
            arrival.broadcast()
        }
    }
}

extension QueueError {
    static func closedStore(_ name: String) -> QueueError {
        QueueError(.noStore, "\(name) was closed", fix: "open it again")
    }

    static func threadRefused(_ error: SystemError, _ name: String) -> QueueError {
        QueueError(.storeBusy, "\(name): \(error.sentence)", fix: "end other programs first")
    }
}
