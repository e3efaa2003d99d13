import SluiceModel
import SluiceSystem

/// A thread that does one thing after the other, so that what may block never holds up the screen.
final class JobThread: Sendable {
    private let jobs: Jobs
    private let thread: Thread

    /// Starts the thread; it sleeps until there is something to do.
    init(name: String) throws(SystemError) {
        let jobs = Jobs()
        self.jobs = jobs
        thread = try Thread(name: name) { jobs.run() }
    }

    deinit { jobs.put(nil) }

    /// Runs `job` after the earlier ones.
    func put(_ job: @escaping @Sendable () -> Void) { jobs.put(job) }
}

/// The queue of a job thread.
private final class Jobs: Sendable {
    private let lock = Lock()
    private let condition: Condition
    private enum Job: Sendable {
        case work(@Sendable () -> Void)
        case end
    }
    private let waiting = Protected<[Job]>([])

    init() { condition = Condition(lock) }

    /// Adds a job; nil ends the thread.
    func put(_ job: (@Sendable () -> Void)?) {
        let entry = job.map(Job.work) ?? .end
        lock.withLock { waiting.withLock { $0.append(entry) } }
        // Signal after the unlock; otherwise the woken thread would block on the lock again.
        condition.signal()
    }

    func run() {
        while case .work(let job) = next() { job() }
    }

    private func next() -> Job {
        lock.withLock {
            while true {
                let taken = waiting.withLock { jobs -> Job? in
                    jobs.isEmpty ? nil : jobs.removeFirst()
                }
                if let taken { return taken }
                condition.wait()
            }
        }
    }
}

extension Result where Failure == QueueError {
    /// The result of a body. Converts other errors to a `QueueError`.
    init(outcomeOf body: () throws -> Success) {
        do {
            self = .success(try body())
        } catch let error as QueueError {
            self = .failure(error)
        } catch let error as SystemError {
            self = .failure(QueueError(.denied, error.sentence, fix: "try again"))
        } catch {
            self = .failure(QueueError(.damagedStore, "\(error)", fix: "sluice doctor looks"))
        }
    }
}
