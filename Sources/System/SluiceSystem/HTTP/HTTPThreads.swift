/// The threads that wait for servers: one for each concurrent job. They keep their connections for
/// later jobs.
///
/// The thread that became idle last takes the next job, to reuse its connection. An idle thread
/// sleeps without a timer.
package final class HTTPThreads: Sendable {
    package static let shared = HTTPThreads()

    /// The work of a thread, with its session.
    package typealias Job = @Sendable (HTTPSession) -> Void

    private let free = Protected<[HTTPWorker]>([])

    /// None yet.
    package init() {}

    /// Runs a job on its own thread and returns immediately; throws if no thread is available.
    package func run(_ job: @escaping Job) throws(SystemError) {
        if let worker = free.withLock({ $0.popLast() }) { return worker.take(job) }
        let worker = HTTPWorker()
        worker.take(job)
        _ = try Thread(name: "http") { [self] in
            let session = HTTPSession()
            while true {
                worker.next()(session)
                free.withLock { $0.append(worker) }
            }
        }
    }
}

/// One thread's place for its next job.
private final class HTTPWorker: Sendable {
    private let lock = Lock()
    private let condition: Condition
    private let job = Protected<HTTPThreads.Job?>(nil)

    init() { condition = Condition(lock) }

    func take(_ job: @escaping HTTPThreads.Job) {
        lock.withLock {
            self.job.withLock { $0 = job }
            condition.signal()
        }
    }

    func next() -> HTTPThreads.Job {
        lock.withLock {
            while true {
                let taken = job.withLock { job -> HTTPThreads.Job? in
                    defer { job = nil }
                    return job
                }
                if let taken { return taken }
                condition.wait()
            }
        }
    }
}
