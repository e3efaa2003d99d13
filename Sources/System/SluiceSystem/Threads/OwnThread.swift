/// A thread that runs one Swift task as its preferred executor. Blocking calls in it delay no other
/// task and not the cooperative pool. It ends with its last reference.
package final class OwnThread: TaskExecutor {
    private let jobs = Jobs()

    /// Starts the thread. The name shows in ps and debuggers, cut to 15 bytes.
    package init(name: String, stackBytes: Int = 8 << 20) throws(SystemError) {
        let jobs = jobs
        _ = try Thread(name: name, stackBytes: stackBytes) { jobs.run() }
    }

    deinit { jobs.end() }

    /// Takes what the task does next.
    package func enqueue(_ job: consuming ExecutorJob) {
        jobs.add(UnownedJob(job), of: self)
    }

    /// The queued jobs; they outlive the executor until done.
    private final class Jobs: @unchecked Sendable {
        private let lock = Lock()
        private let change: Condition
        // With the lock alone. A job keeps its executor.
        private var waiting: [(job: UnownedJob, executor: OwnThread)] = []
        private var hasEnded = false

        init() { change = Condition(lock) }

        func add(_ job: UnownedJob, of executor: OwnThread) {
            lock.withLock { waiting.append((job, executor)) }
            change.signal()
        }

        func end() {
            lock.withLock { hasEnded = true }
            change.signal()
        }

        func run() {
            while let next = next() {
                next.job.runSynchronously(on: next.executor.asUnownedTaskExecutor())
            }
        }

        private func next() -> (job: UnownedJob, executor: OwnThread)? {
            lock.withLock {
                while waiting.isEmpty, !hasEnded { change.wait() }
                return waiting.isEmpty ? nil : waiting.removeFirst()
            }
        }
    }
}
