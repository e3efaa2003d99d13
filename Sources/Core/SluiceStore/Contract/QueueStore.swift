package import SluiceModel

/// One durable place that holds queues (section 1), whatever engine keeps it.
///
/// A body is whole or not at all: what throws leaves nothing behind. From outside both calls are
/// asynchronous and have a blocking form for plain programs; the body itself is synchronous and
/// runs on a thread of the engine's, never on the cooperative pool. Writers that wait at the same
/// time share one commit, each in a savepoint of its own, and each returns after the commit that
/// holds its work (P1).
package protocol QueueStore: Sendable {
    /// What it is and where, for the screen: `sqlite`, `customer.io folder`, `memory`.
    var kind: String { get }
    /// The store's name: its path, or what was given.
    var name: String { get }
    /// The version of its tables; nil where it has none (P4).
    var schemaVersion: Int? { get }
    /// Whether it refuses every change (D11).
    var isReadOnly: Bool { get }
    /// The folder for locks and notices of the processes on this machine; nil for none.
    var runFolder: String? { get }
    /// Whether processes of other machines may be attached (A2).
    var isShared: Bool { get }
    /// How processes of other machines are seen to live; nil for a store of one machine, and for
    /// one that is only read (A2).
    var heartbeats: (any ProcessHeartbeats)? { get }
    /// Whether its tasks have names beside their numbers (P6).
    var namesTasks: Bool { get }
    /// What it has to do without where it is; nil where it lacks nothing (P7).
    var lack: StoreLack? { get }
    /// The clock that the rules read, where it is not that of this machine (G3).
    var clock: StoreClock? { get }
    /// Runs `body` on one moment of the store; never waits for a writer and never holds one up.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value
    /// Runs `body` and commits what it did before it returns; throws `readOnly` at once where
    /// nothing may change.
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
    /// `writeBlocking` for a body that reads tasks which are known before it begins.
    func writeBlocking<Value: Sendable>(
        expecting expected: ExpectedReads,
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) throws -> Value
    /// What is done for a file of its own; nil where it keeps none.
    var upkeep: (any StoreUpkeep)? { get }
    /// Starts telling `notify` of every commit by any process, from a thread of the engine's; it
    /// must return at once. With a pace, for those who only look, several commits are told as one.
    /// Ends when the returned value is released.
    func observe(
        at throttle: ReadThrottle?, _ notify: @escaping @Sendable () -> Void
    ) throws -> any StoreObservation
    /// Ends threads and connections; later calls throw.
    func close()
}

/// What a store has to do without where it is.
package struct StoreLack: Hashable, Sendable {
    /// A word for the screen, beside the kind of the store.
    package var word: String
    /// A sentence for people: what stands in the way, and what follows from that.
    package var sentence: String

    /// What is lacking, in a word and in a sentence.
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

    /// Tells of every commit as soon as it was made.
    package func observe(
        _ notify: @escaping @Sendable () -> Void
    ) throws -> any StoreObservation { try observe(at: nil, notify) }

    /// No: they are known by their numbers.
    package var namesTasks: Bool { false }

    /// Nil: no tables.
    package var schemaVersion: Int? { nil }

    /// Nothing.
    package var lack: StoreLack? { nil }

    /// Nil: no file.
    package var upkeep: (any StoreUpkeep)? { nil }

    /// The last part of its name, which a protected store asks for (G8).
    package var shortName: String { StoreName.short(name) }

    /// The kind for the screen, with a word for what is lacking.
    package var shownKind: String { lack.map { "\(kind), \($0.word)" } ?? kind }
}

/// What is known of processes whose locks cannot be asked: they are on another machine, or of
/// another user (A2).
package protocol ProcessHeartbeats: Sendable {
    /// The beat that a process has kept for so long that it counts as dead; nil for one that
    /// lives. Whoever clears up behind it sees in that commit that it is still the same.
    func missedHeartbeat(of process: ProcessID) -> Int64?
    /// Whether it was seen to beat, and did not fall silent since.
    func hasBeaten(_ process: ProcessID) -> Bool
    /// A process attached to this store, in a commit that was begun at that moment of the monotonic
    /// clock, in milliseconds: from now on it beats.
    func attached(_ process: ProcessID, at instant: Int64)
    /// It beats no longer.
    func detached(_ process: ProcessID)
    /// Up to which moment of the monotonic clock, in milliseconds, it may execute: others hold it
    /// for dead only after a while more, long enough for a handler to be stopped. Nil for a process
    /// that is not attached.
    func heldUntil(_ process: ProcessID) -> Int64?
}

extension QueueStore {
    /// No.
    package var isShared: Bool { false }

    /// Nil: a store of one machine.
    package var heartbeats: (any ProcessHeartbeats)? { nil }

    /// Nil: the clock of this machine, on which the store lies.
    package var clock: StoreClock? { nil }
}

/// Keeps an observation alive; it ends with this value.
package protocol StoreObservation: AnyObject, Sendable {
    /// Whether the system tells of changes. Where it has no watch left for this user, the store is
    /// looked at each second instead, until it has one again; a change of this is told as well.
    var isTold: Bool { get }
}

extension StoreObservation {
    /// Yes.
    package var isTold: Bool { true }
}

extension QueueError {
    /// What is said where a store is not told of, but looked at.
    package static let notTold = QueueError(
        .denied, "this user has no watch (inotify) left, so the store is looked at each second",
        fix: "sysctl fs.inotify says how many there may be")
}

extension QueueError {
    /// The store was opened read-only, or cannot be written (D11).
    package static func readOnlyStore(_ name: String) -> QueueError {
        QueueError(
            .readOnly, "\(name) is open for reading only, so nothing was changed",
            fix: "open it without --read-only")
    }
}
