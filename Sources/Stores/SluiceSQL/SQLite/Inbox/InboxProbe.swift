import SluiceModel
import SluiceSystem

/// Checks on its own connection for new commits, and for inbox rows of an application (T4).
final class InboxProbe: @unchecked Sendable {
    /// The state of a file at a time.
    struct Sight: Equatable {
        /// Differs after every commit of any process.
        var commit: Int64
        /// Whether the inbox has new rows.
        var isFresh: Bool
    }

    private let open: @Sendable () throws(QueueError) -> Connection
    private let lock = Lock()
    private var reader: Connection?
    private var isClosed = false

    init(_ open: @escaping @Sendable () throws(QueueError) -> Connection) { self.open = open }

    /// The current state; `nil` if it cannot be read, or after the store was closed.
    func look() -> Sight? {
        lock.withLock {
            if isClosed { return nil }
            do throws(QueueError) {
                if reader == nil { reader = try open() }
                guard let reader else { return nil }
                // A commit between the two questions counts as a later one, so nothing is missed.
                return Sight(
                    commit: try reader.dataVersion(), isFresh: try hasFreshRows(reader))
            } catch {
                reader = nil
                return nil
            }
        }
    }

    /// Closes the connection; later checks return `nil`.
    func close() {
        lock.withLock {
            isClosed = true
            reader = nil
        }
    }

    private func hasFreshRows(_ reader: Connection) throws(QueueError) -> Bool {
        let row = try reader.prepare(TableReader.InboxSQL.isFresh)
        defer { row.reset() }
        return try row.next() && row.integer(0) != 0
    }
}
