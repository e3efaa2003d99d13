import SluiceModel
import SluiceStore
import SluiceSystem

/// Moves what commits leave into memory while the beginning of a tape is read, which may take
/// longer than a recorder may be away.
final class SpareMover: Sendable {
    private let store: any QueueStore
    private let stop: Protected<EventSignal?> = Protected(nil)
    private let thread: Protected<Thread?> = Protected(nil)
    private let moved = Protected<Result<[RecordedCommit], QueueError>>(.success([]))
    private static let restMilliseconds = 1000
    private static let rows = 2000

    init(_ store: any QueueStore) { self.store = store }

    func start() throws {
        let signal = try EventSignal()
        stop.withLock { $0 = signal }
        let made = try Thread(name: "sluice-tape") { [self] in
            while let ready = try? Poll.wait(
                fds: [PollInterest(signal.descriptor.number)],
                timeoutMilliseconds: Self.restMilliseconds), ready.isEmpty
            {
                guard move() else { return }
            }
        }
        thread.withLock { $0 = made }
    }

    /// Ends the thread. Returns the moved commits, or throws its error.
    func end() throws -> [RecordedCommit] {
        stop.withLock { $0?.signal() }
        thread.withLock { $0?.join() }
        return try moved.withLock { try $0.get() }
    }

    private func move() -> Bool {
        do {
            let commits = try store.readBlocking { try $0.recorded(limit: Self.rows) }
            guard let last = commits.last else { return true }
            try store.writeBlocking { try $0.forgetRecorded(through: last.number) }
            moved.withLock { moved in moved = moved.map { $0 + commits } }
            return true
        } catch let error as QueueError {
            moved.withLock { $0 = .failure(error) }
        } catch {
            moved.withLock { $0 = .failure(QueueError(.denied, "\(error)")) }
        }
        return false
    }
}
