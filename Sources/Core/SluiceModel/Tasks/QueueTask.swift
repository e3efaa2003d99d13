/// The number of a task: unique in its store, never reused, shown as `#1042` (T1).
public typealias TaskID = Int64

/// The number of an attached process.
package typealias ProcessID = Int64

/// The key that orders tasks in a queue with the order `key` (Q1).
public enum SortKey: Hashable, Sendable {
    case integer(Int64)
    case text(String)
}

/// A requirement before a task may start (B6).
public enum Requirement: String, Hashable, Sendable, CaseIterable {
    case network, unmetered
}

/// The behavior of an enqueue if a waiting task has its unique key (T5).
public enum UniquePolicy: String, Hashable, Sendable, CaseIterable {
    case keep, replace, reject
}

/// A unit of work in a queue: its handler's type, its place, and its state (T1).
///
/// The value excludes the payload, which has separate queries, so that lists stay small. Fields are
/// in a copy-on-write box, because code passes tasks on more often than it changes them.
public struct QueueTask: Hashable, Sendable {
    @usableFromInline var fields: Shared<TaskFields>

    package init(
        id: TaskID, queue: String, type: String, position: Int64, createdAt: Timestamp,
        state: TaskState = .waiting(Waiting())
    ) {
        fields = Shared(
            TaskFields(
                id: id, queue: queue, type: type, position: position, createdAt: createdAt,
                updatedAt: createdAt, state: state))
    }
}

/// The fields of every task, with rarely used ones in a separate box.
@usableFromInline
struct TaskFields: Hashable, Sendable {
    @usableFromInline var id: TaskID
    @usableFromInline var queue: String
    @usableFromInline var type: String
    @usableFromInline var position: Int64
    @usableFromInline var priority: Int = 0
    @usableFromInline var attempts = 0
    @usableFromInline var executions = 0
    @usableFromInline var createdAt: Timestamp
    @usableFromInline var updatedAt: Timestamp
    @usableFromInline var version: Int64 = 1
    @usableFromInline var state: TaskState
    @usableFromInline var isHeld = false
    @usableFromInline var freshAt = Timestamp(milliseconds: 0)
    @usableFromInline var optional = Shared<OptionalFields>.plain
}

extension QueueTask {
    /// The number of the task, unique in the store.
    @inlinable public var id: TaskID {
        _read { yield fields.value.id }
        _modify { yield &fields.value.id }
    }

    /// The name of its queue.
    @inlinable public var queue: String {
        _read { yield fields.value.queue }
        _modify { yield &fields.value.queue }
    }

    /// Which handler runs it.
    @inlinable public var type: String {
        _read { yield fields.value.type }
        _modify { yield &fields.value.type }
    }

    /// Its place in the order of arrival; `move` changes it, and no two tasks of a queue share one.
    @inlinable public var position: Int64 {
        _read { yield fields.value.position }
        _modify { yield &fields.value.position }
    }

    /// Larger runs first; only the order `priority` reads it.
    @inlinable public var priority: Int {
        _read { yield fields.value.priority }
        _modify { yield &fields.value.priority }
    }

    /// Counted executions so far; back to 0 by `retry` of a given-up task.
    @inlinable public var attempts: Int {
        _read { yield fields.value.attempts }
        _modify { yield &fields.value.attempts }
    }

    /// Every execution so far; numbers the attempt log and never goes back.
    @inlinable public var executions: Int {
        _read { yield fields.value.executions }
        _modify { yield &fields.value.executions }
    }

    /// The time of its enqueue.
    @inlinable public var createdAt: Timestamp {
        _read { yield fields.value.createdAt }
        _modify { yield &fields.value.createdAt }
    }

    /// When it last changed.
    @inlinable public var updatedAt: Timestamp {
        _read { yield fields.value.updatedAt }
        _modify { yield &fields.value.updatedAt }
    }

    /// Grows with fields, state and attempts; not with index columns or progress.
    @inlinable public var version: Int64 {
        _read { yield fields.value.version }
        _modify { yield &fields.value.version }
    }

    /// Its state (T2).
    @inlinable package var state: TaskState {
        _read { yield fields.value.state }
        _modify { yield &fields.value.state }
    }

    /// An index column: a start of one of its groups holds it (B5). Kept by the operations, equal
    /// to the pure rule, and not part of the version.
    @inlinable package var isHeld: Bool {
        _read { yield fields.value.isHeld }
        _modify { yield &fields.value.isHeld }
    }

    /// An index column: when the task became, or becomes, fresh for a batched run; 0 when it is a
    /// left-over (Q4).
    @inlinable package var freshAt: Timestamp {
        _read { yield fields.value.freshAt }
        _modify { yield &fields.value.freshAt }
    }

    var optional: Shared<OptionalFields> {
        _read { yield fields.value.optional }
        _modify { yield &fields.value.optional }
    }
}

extension QueueTask {
    /// The name of its state.
    public var stateName: StateName { state.name }

    /// Whether the task starts or belongs to a group.
    package var hasGroupRole: Bool { groupStart != nil || !groupMembers.isEmpty }

    /// The details of its wait, if it waits.
    package var waiting: Waiting? {
        if case .waiting(let waiting) = state { return waiting }
        return nil
    }

    /// Who runs it, when it runs.
    package var running: Running? {
        if case .running(let running) = state { return running }
        return nil
    }

    /// The policy that applied when a start ended without success, if it did (Q10).
    package var endedStartPolicy: StartFailurePolicy? {
        get {
            switch state {
            case .failed(let failure): failure.startPolicy
            case .deleted(let trash): trash.startPolicy
            case .waiting, .running, .succeeded: nil
            }
        }
        set {
            switch state {
            case .failed(var failure):
                failure.startPolicy = newValue
                state = .failed(failure)
            case .deleted(var trash):
                trash.startPolicy = newValue
                state = .deleted(trash)
            case .waiting, .running, .succeeded: break
            }
        }
    }

    /// Whether the task, as the start of its group, holds members that come after it (B5, N2).
    package var holdsMembers: Bool {
        guard groupStart != nil else { return false }
        switch state {
        case .waiting, .running: return true
        case .succeeded: return false
        case .failed, .deleted: return [.hold, .skipRun].contains(endedStartPolicy)
        }
    }

    /// Whether the task has ended and its client has collected the result (S4).
    package var isAcknowledged: Bool {
        switch state {
        case .succeeded(let success): success.isAcknowledged
        case .failed(let failure): failure.isAcknowledged
        case .deleted(let trash): trash.isAcknowledged
        case .waiting, .running: false
        }
    }

    /// Whether a session still has to hear of it, so that nothing forgets it (S4).
    package var isAwaited: Bool { session != nil && !isAcknowledged }

    /// Whether the expiry of a waiting task has passed, so that it counts as failed (Q8).
    package func isExpired(at now: Timestamp, settings: QueueSettings) -> Bool {
        guard case .waiting = state, let expiresAt, expiresAt <= now else { return false }
        return groupStart == nil || settings.startsExpire
    }

    /// Whether the task, a group's start, has expired in a queue that then releases members. If the
    /// queue fails them instead, they wait for the sweep (Q8, Q10).
    package func isReleased(at now: Timestamp, in queue: QueueRecord) -> Bool {
        queue.whenStartFailsNow == .release && isExpired(at: now, settings: queue.settings)
    }

    /// Whether the task is fresh for a batched run: it came, or became due, since then, and was not
    /// attempted since (Q4).
    package func isFresh(since: Timestamp?, now: Timestamp) -> Bool {
        freshAt > Timestamp(milliseconds: 0) && freshAt <= now
            && (since.map { freshAt >= $0 } ?? true)
    }
}

extension QueueTask {
    /// The age in milliseconds after which a Customer.io SDK removes a task, by its default.
    package static let appStartExpiry: Int64 = 3 * 86_400_000

    /// Whether the SDK of a Customer.io folder removes it when its app starts next: it waits, is
    /// older than three days, and starts no group (CIO-20).
    package func expiresAtAppStart(real: Timestamp) -> Bool {
        appStartRemoval.map { $0 < real } ?? false
    }

    /// The moment after which a start of the app removes it; nil for a task that stays.
    package var appStartRemoval: Timestamp? {
        waiting != nil && groupStart == nil ? createdAt + Self.appStartExpiry : nil
    }
}

extension QueueSettings {
    /// When a task of the queue expires that arrived at a moment; nil for one that does not.
    package func expiry(of task: QueueTask, from moment: Timestamp) -> Timestamp? {
        guard task.groupStart == nil || startsExpire else { return nil }
        return expiresAfterMilliseconds.map { moment + $0 }
    }
}

/// The invariants of a task.
///
/// A change that would break one is a programming error. Sluice rejects it before the write, so no
/// reader sees a wrong value.
extension QueueTask {
    /// The invariant that a change to `after` breaks, in words; `nil` if all hold.
    package func broken(by after: QueueTask) -> String? {
        if after.id != id || after.createdAt != createdAt { return "it is another task" }
        if after.attempts < 0 { return "its attempts are below 0" }
        if after.executions < executions { return "its executions go back" }
        if after.version < version { return "its version goes back" }
        let isSame = after.state.name == state.name && after.attempts == attempts
        if !isSame && after.version == version { return "its version does not grow" }
        guard let lease = after.running else { return nil }
        if lease.owner < 1 { return "it runs without an owner" }
        let isLast = running != nil || lease.attempt == after.executions
        return isLast ? nil : "it begins to run in an attempt that is not its last"
    }
}

extension QueueError {
    /// A change of a task that breaks what always holds.
    package static func broken(_ id: TaskID, _ what: String) -> QueueError {
        QueueError(
            .notLegal, "#\(id) was left as it was, for the change is wrong: \(what)",
            fix: "this is a mistake of the program; sluice report \(id) has what a maintainer asks")
    }
}

extension UniquePolicy {
    /// Splits a unique key from the policy after its last colon; the default is `keep`. A key may
    /// contain colons.
    package static func split(_ text: String) -> (key: String, policy: UniquePolicy) {
        guard let colon = text.lastIndex(of: ":"),
            let policy = UniquePolicy(rawValue: String(text[text.index(after: colon)...]))
        else { return (text, .keep) }
        return (String(text[..<colon]), policy)
    }
}
