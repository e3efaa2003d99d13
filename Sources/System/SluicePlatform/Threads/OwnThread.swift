/// A thread that runs one Swift task, given as its preferred executor: what blocks in it holds up
/// neither the cooperative pool nor any other task. It ends when nothing holds it any more.
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

    /// What is to be run; it outlives the executor until that is done.
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
