import SluiceModel
package import SluiceStore
import SluiceSystem

/// A few connections that read, each opened when it is first needed; a body that reads has one of
/// them for itself, in one transaction.
package final class ReaderPool: @unchecked Sendable {
    private final class Reader {
        let connection: any TableConnection
        let settingsCache = SettingsCache()
        /// Whether no body had it yet.
        var isNew = true

        init(_ connection: any TableConnection) { self.connection = connection }
    }

    private static let size = 2

    private let name: String
    private let check: PresenceCheck
    private let bodies: BodyThreads
    private let open: ConnectionOpening
    private let lock = Lock()
    private let change: Condition
    private var idle: [Reader] = []
    private var opened = 0
    private var isClosed = false
    private var waiting: [@Sendable () -> Void] = []
    private var threads: [Thread] = []
    private var idleThreads = 0

    /// `check` verifies before each body that the store still exists.
    package init(
        name: String, bodies: BodyThreads,
        check: @escaping PresenceCheck = {}, open: @escaping ConnectionOpening
    ) {
        self.name = name
        self.check = check
        self.bodies = bodies
        self.open = open
        change = Condition(lock)
    }

    /// Adds a connection that was opened to inspect the store.
    package func adopt(_ connection: any TableConnection) {
        idle.append(Reader(connection))
        opened += 1
    }

    /// Runs a body on a thread of the pool's.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try enqueue { [self] in continuation.resume(with: Result { try run(body) }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }

    /// Runs a body here, once a connection is free.
    package func run<Value>(_ body: (any StoreReader) throws -> Value) throws -> Value {
        try bodies.enter(name)
        defer { bodies.leave() }
        try check()
        let reader = try begin()
        defer { giveBack(reader) }
        return try body(TableReader(reader.connection, settingsCache: reader.settingsCache))
    }

    /// Runs work on a thread of the pool's.
    private func enqueue(_ work: @escaping @Sendable () -> Void) throws(QueueError) {
        try lock.withLock { () throws(QueueError) in
            if isClosed { throw .closedStore(name) }
            waiting.append(work)
            if idleThreads < waiting.count, threads.count < Self.size { try startThread() }
            change.broadcast()
        }
    }

    /// Ends the threads after the work that waits, and closes the connections.
    package func close() {
        let threads = lock.withLock { () -> [Thread] in
            isClosed = true
            change.broadcast()
            return self.threads
        }
        for thread in threads where !thread.isCurrent { thread.join() }
        let last = lock.withLock { () -> [Reader] in
            while idle.count < opened { change.wait() }
            defer { idle = [] }
            opened = 0
            return idle
        }
        withExtendedLifetime(last) {}
    }

    private func startThread() throws(QueueError) {
        do {
            threads.append(try Thread(name: "sluice-reader") { [self] in serve() })
        } catch {
            guard threads.isEmpty else { return }
            waiting.removeLast()
            throw .threadRefused(error, name)
        }
    }

    private func serve() {
        while true {
            let work = lock.withLock { () -> (@Sendable () -> Void)? in
                idleThreads += 1
                defer { idleThreads -= 1 }
                while waiting.isEmpty {
                    if isClosed { return nil }
                    change.wait()
                }
                return waiting.removeFirst()
            }
            guard let work else { return }
            work()
        }
    }

    /// A reader in a transaction. Replaces an idle reader whose connection is broken.
    private func begin() throws(QueueError) -> Reader {
        while true {
            let reader = try take()
            do throws(QueueError) {
                try reader.connection.beginReading()
                return reader
            } catch {
                giveBack(reader, isUsable: false)
                if reader.isNew || error.code != .serverGone { throw error }
            }
        }
    }

    private func take() throws(QueueError) -> Reader {
        let idleReader = try lock.withLock { () throws(QueueError) -> Reader? in
            while idle.isEmpty, opened == Self.size, !isClosed { change.wait() }
            if isClosed { throw .closedStore(name) }
            if let reader = idle.popLast() { return reader }
            opened += 1
            return nil
        }
        if let idleReader { return idleReader }
        do {
            return Reader(try open())
        } catch {
            lock.withLock {
                opened -= 1
                change.broadcast()
            }
            throw error
        }
    }

    /// Returns a reader. Discards a connection whose transaction cannot be ended; the next body
    /// opens another.
    private func giveBack(_ reader: Reader, isUsable: Bool = true) {
        var isUsable = isUsable
        reader.isNew = false
        if reader.connection.isInTransaction {
            do {
                try reader.connection.control(.rollback)
            } catch {
                isUsable = false
            }
        }
        lock.withLock {
            if isUsable { idle.append(reader) } else { opened -= 1 }
            change.broadcast()
        }
    }
}
