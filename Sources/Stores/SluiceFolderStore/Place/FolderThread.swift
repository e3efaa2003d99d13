import SluiceModel
import SluiceSystem

/// A thread that runs work in order of arrival. The first work starts it.
final class FolderThread: @unchecked Sendable {
    private let name: String
    private let lock = Lock()
    private let arrival: Condition
    private var waiting: [@Sendable () -> Void] = []
    private var isClosed = false
    private var thread: Thread?

    init(name: String) {
        self.name = name
        arrival = Condition(lock)
    }

    /// Whether the caller is work of this thread.
    var isCurrent: Bool { lock.withLock { thread?.isCurrent ?? false } }

    /// Enqueues work. Errors name `store`.
    func enqueue(_ store: String, _ work: @escaping @Sendable () -> Void) throws(QueueError) {
        try lock.withLock { () throws(QueueError) in
            if isClosed { throw .closedFolder(store) }
            if thread == nil {
                do throws(SystemError) {
                    thread = try Thread(name: name) { [self] in serve() }
                } catch {
                    throw QueueError(
                        .storeBusy, "\(store): \(error.sentence)", fix: "end other programs first")
                }
            }
            waiting.append(work)
            arrival.signal()
        }
    }

    /// Ends the thread after the work that waits.
    func close() {
        let thread = lock.withLock { () -> Thread? in
            isClosed = true
            arrival.broadcast()
            return self.thread
        }
        if let thread, !thread.isCurrent { thread.join() }
    }

    private func serve() {
        while true {
            let work = lock.withLock { () -> (@Sendable () -> Void)? in
                while waiting.isEmpty {
                    if isClosed { return nil }
                    arrival.wait()
                }
                return waiting.removeFirst()
            }
            guard let work else { return }
            work()
        }
    }
}
