package import SluicePlatform

/// The threads that wait for servers: one for each job that goes on at once, kept with their
/// connections for the next.
///
/// The thread that was free last takes the next job, so that a connection is used again. A free one
/// sleeps without a timer.
package final class HTTPThreads: Sendable {
    /// The threads of this process.
    package static let shared = HTTPThreads()

    /// What a thread does, with its session.
    package typealias Job = @Sendable (HTTPSession) -> Void

    private let free = Protected<[HTTPWorker]>([])

    /// None yet.
    package init() {}

    /// Runs a job on a thread of its own, and returns at once; throws where no thread can be had.
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
