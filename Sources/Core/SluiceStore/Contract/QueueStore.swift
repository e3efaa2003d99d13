package import SluiceModel
package import SluiceSystem

/// One durable store of queues (section 1), for any engine.
///
/// A body commits as a whole or not at all: a body that throws changes nothing. Both calls are
/// async and have a blocking form for plain programs. The synchronous body runs on a thread of the
/// engine, never on the cooperative pool. Waiting writers share one commit, each in its own
/// savepoint, and each returns after the commit with its work (P1).
package protocol QueueStore: Sendable {
    /// The kind of the store, for the screen: `sqlite`, `customer.io folder`, `memory`.
    var kind: String { get }
    /// The store's name: its path, or the given name.
    var name: String { get }
    /// The version of its tables; nil if it has none (P4).
    var schemaVersion: Int? { get }
    /// The older version of its tables that opening it changed; nil if it changed nothing (P4).
    var upgradedFrom: Int? { get }
    /// Whether it refuses every change (D11).
    var isReadOnly: Bool { get }
    /// The folder for locks and notices of the processes on this machine; nil for none.
    var runFolder: String? { get }
    /// Whether processes of other machines may attach (A2).
    var isShared: Bool { get }
    /// How processes of other machines are seen to live; nil for a store of one machine, and for
    /// one that is only read (A2).
    var heartbeats: (any ProcessHeartbeats)? { get }
    /// Whether tasks have names in addition to numbers (P6).
    var namesTasks: Bool { get }
    /// The missing capability in this environment, or `nil` (P7).
    var lack: StoreLack? { get }
    /// The clock that the rules use, or `nil` for this machine's clock (G3).
    var clock: StoreClock? { get }
    /// Runs `body` on one moment of the store; never waits for a writer and never holds one up.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value
    /// Runs `body` and commits its changes before returning. Throws `readOnly` immediately if the
    /// store is read-only.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value
    /// `read` for a caller that may block its thread.
    func readBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) throws -> Value
    /// `write` for a caller that may block its thread.
    func writeBlocking<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value
    /// `writeBlocking` for a body whose reads are partly known in advance.
    func writeBlocking<Value: Sendable>(
        expecting expected: ExpectedReads,
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value
    /// The maintenance of the store's own file, or `nil` if it has none.
    var upkeep: (any StoreUpkeep)? { get }
    /// Starts to call `notify` after commits by any process, on a thread of the engine. `notify`
    /// must return immediately. With a throttle, several commits give one call. Ends when the
    /// returned value is released.
    func observe(
        at throttle: ReadThrottle?, _ notify: @escaping @Sendable () -> Void
    ) throws -> any StoreObservation
    /// Ends threads and connections; later calls throw.
    func close()
}

/// A capability that a store lacks in its environment.
package struct StoreLack: Hashable, Sendable {
    /// A word for the screen, shown with the kind of the store.
    package var word: String
    /// A sentence for people: the cause and the consequences.
    package var sentence: String

    package init(word: String, sentence: String) {
        self.word = word
        self.sentence = sentence
    }
}

extension QueueStore {
    /// Reads cost nothing but at a server.
    package func writeBlocking<Value: Sendable>(
        expecting expected: ExpectedReads,
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value { try writeBlocking(body) }

    /// Calls `notify` immediately after each commit.
    package func observe(
        _ notify: @escaping @Sendable () -> Void
    ) throws -> any StoreObservation { try observe(at: nil, notify) }

    /// By default tasks have only numbers.
    package var namesTasks: Bool { false }

    /// Nil: no tables.
    package var schemaVersion: Int? { nil }

    /// Nil: nothing was changed.
    package var upgradedFrom: Int? { nil }

    package var lack: StoreLack? { nil }

    /// Nil: no file.
    package var upkeep: (any StoreUpkeep)? { nil }

    /// The last part of its name, which a protected store asks for (G8).
    package var shortName: String { StoreName.short(name) }

    /// The kind for the screen, with the word of the missing capability.
    package var shownKind: String { lack.map { "\(kind), \($0.word)" } ?? kind }
}

/// Heartbeats of processes whose locks are unavailable here: they run on another machine, or as
/// another user (A2).
package protocol ProcessHeartbeats: Sendable {
    /// The last heartbeat of a process that counts as dead, or `nil` if it is alive. The cleanup
    /// checks in its commit that the heartbeat is unchanged.
    func missedHeartbeat(of process: ProcessID) -> Int64?
    /// Whether this process has seen the heartbeat change, and not expire since.
    func hasBeaten(_ process: ProcessID) -> Bool
    /// A process attached to this store, in a commit that was begun at that moment of the monotonic
    /// clock, in milliseconds: from now on it beats.
    func attached(_ process: ProcessID, at instant: Int64)
    /// It beats no longer.
    func detached(_ process: ProcessID)
    /// The time, in milliseconds of the monotonic clock, until when the process may execute. Others
    /// count it as dead only later, with enough time to stop a handler. `nil` if the process is not
    /// attached.
    func heldUntil(_ process: ProcessID) -> Int64?
}

extension QueueStore {
    /// No.
    package var isShared: Bool { false }

    /// Nil: a store of one machine.
    package var heartbeats: (any ProcessHeartbeats)? { nil }

    /// `nil` by default: the clock of this machine, which holds the store.
    package var clock: StoreClock? { nil }
}

/// Keeps an observation alive; it ends with this value.
package protocol StoreObservation: AnyObject, Sendable {
    /// Whether the system reports changes. If this user has no inotify watch left, the engine polls
    /// the store every second until a watch is free. A change of this value also notifies.
    var isNotified: Bool { get }
    /// Ends notices until `listen`, for an observer that reads changes with each own commit.
    /// Returns whether the engine can do that.
    func mute() -> Bool
    /// Notifies again, first of what may have happened since `mute`.
    func listen()
}

extension StoreObservation {
    package var isNotified: Bool { true }
    /// No.
    package func mute() -> Bool { false }
    package func listen() {}
}

extension QueueError {
    /// The message for a store that is polled without notifications.
    package static let notWatched = QueueError(
        .denied, "this user has no watch (inotify) left, so the store is checked each second",
        fix: "sysctl fs.inotify says how many there may be")

    /// The error of a watch that cannot begin: for want of a watch, or of a thread or descriptor.
    package static func cannotWatch(_ error: SystemError) -> QueueError {
        QueueError(
            .denied, error.sentence,
            fix: error.operation == .watch
                ? "sysctl fs.inotify says how many watches there may be"
                : "give this process more of it (ulimit -a)")
    }
}

extension QueueError {
    /// The store is open read-only, or its file is not writable (D11).
    package static func readOnlyStore(_ name: String) -> QueueError {
        QueueError(
            .readOnly, "\(name) is open for reading only, so nothing was changed",
            fix: "open it without --read-only")
    }
}

/// Wakes: the rest of a start's end for its members. The caller that ended the start processes them
/// (T2).
extension QueueStore {
    /// Processes every wake, each slice in its own commit, so that others can write in between.
    /// Later slices or a runner process the remainder.
    package func workOffWakes(now: Timestamp) async throws {
        guard !isReadOnly else { return }
        var batch = WakeBatchSize()
        while try await read({ try $0.hasWakes() }) {
            let members = batch.members
            batch.took(
                nanoseconds: try await write { store in
                    try store.workOffWakes(at: now, members: members)
                })
        }
    }

    /// `workOffWakes` for a caller that may block its thread.
    package func workOffWakesBlocking(now: Timestamp) throws {
        guard !isReadOnly else { return }
        var batch = WakeBatchSize()
        while try readBlocking({ try $0.hasWakes() }) {
            let members = batch.members
            batch.took(
                nanoseconds: try writeBlocking { store in
                    try store.workOffWakes(at: now, members: members)
                })
        }
    }
}

extension StoreReader {
    /// Whether the end of a start has left something to do for its members (T2).
    package func hasWakes() throws -> Bool { try !queuesWithWakes().isEmpty }

    func queuesWithWakes() throws -> [String] {
        try queues(.busy).map(\.record).filter { !$0.wakes.isEmpty }.map(\.name)
    }
}

extension StoreWriter {
    /// Processes a slice of `members` members. Returns the duration in nanoseconds.
    package func workOffWakes(at now: Timestamp, members: Int) throws -> UInt64 {
        try WakeBatchSize.measure {
            _ = try transact(at: now, membersAtOnce: members) { mutation in
                try mutation.workOffWakes()
            }
        }
    }
}
