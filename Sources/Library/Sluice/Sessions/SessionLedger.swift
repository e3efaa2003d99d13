import SluiceSystem

/// The reported and pending events of a session, under one lock.
final class SessionLedger: Sendable {
    /// Identifies the end of a task. A retried task may end again, which is a new event.
    struct EndKey: Hashable, Sendable {
        var state: TaskState.Name
        var at: Timestamp?
        var executions: Int

        init(_ task: QueueTask) {
            (state, at, executions) = (task.state.name, task.endedAt, task.executions)
        }
    }

    struct PauseKey: Hashable, Sendable {
        var queue: String
        var cause: Pause.Cause
        var since: Timestamp
    }

    /// The reported events. A poll compares the store with them.
    struct Told: Sendable {
        var ends: [TaskID: EndKey] = [:]
        var progress: [TaskID: SessionProgress] = [:]
        var pauses: Set<PauseKey> = []
    }

    private struct State {
        var told = Told()
        var pending: [SessionEvent] = []
        var taken = 0
        /// Ends that the client has received and not yet acknowledged or passed.
        var inFlight: Set<TaskID> = []
        var wakers: [@Sendable () -> Void] = []
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiting = 0
        var news = 0
        var isClosed = false
    }

    private let state = Protected(State())

    var told: Told { state.withLock { $0.told } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    /// Grows with every change of the store.
    var news: Int { state.withLock { $0.news } }
    var hasPending: Bool { state.withLock { $0.taken < $0.pending.count } }

    /// Adds the results of a poll, except events that a concurrent poll already added.
    func add(_ events: [SessionEvent]) {
        state.withLock { state in
            for event in events where state.told.isNew(event) { state.pending.append(event) }
        }
    }

    /// The next undelivered event.
    func take() -> SessionEvent? {
        state.withLock { state in
            guard state.taken < state.pending.count else { return nil }
            let event = state.pending[state.taken]
            state.taken += 1
            if state.taken == state.pending.count {
                state.pending = []
                state.taken = 0
            }
            if case .ended(let item) = event { state.inFlight.insert(item.id) }
            return event
        }
    }

    /// Marks a task's end as delivered by this call and removes its pending event.
    func take(endOf item: SessionItem) {
        state.withLock { state in
            state.told.ends[item.id] = EndKey(item.task)
            state.pending.removeSubrange(..<state.taken)
            state.taken = 0
            state.pending.removeAll { event in
                if case .ended(let other) = event { other.id == item.id } else { false }
            }
            state.inFlight.insert(item.id)
        }
    }

    /// The client has dealt with the end of a task: it came back for more.
    func wasRead(_ id: TaskID) { state.withLock { _ = $0.inFlight.remove(id) } }

    /// The client acknowledged the end of a task, or wants to hear nothing more of it.
    func forget(_ id: TaskID) {
        state.withLock { state in
            state.inFlight.remove(id)
            state.told.ends[id] = nil
            state.told.progress[id] = nil
        }
    }

    func add(waker: @escaping @Sendable () -> Void) { state.withLock { $0.wakers.append(waker) } }

    var hasWakers: Bool { state.withLock { !$0.wakers.isEmpty } }

    /// The wakers, each once, if everything is delivered or `evenUndelivered`; else none.
    func drainWakers(evenUndelivered: Bool = false) -> [@Sendable () -> Void] {
        state.withLock { state in
            let isDelivered = state.inFlight.isEmpty && state.taken == state.pending.count
            guard isDelivered || evenUndelivered else { return [] }
            defer { state.wakers = [] }
            return state.wakers
        }
    }
}

/// Waiting for the store to change.
extension SessionLedger {
    /// Wakes waiters after a change of the store or the session's close.
    func notice(closes: Bool = false) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.news += 1
            state.isClosed = state.isClosed || closes
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Returns when the store has changed since `news`, the session closes, or a cancellation ends
    /// the caller's task.
    func wait(since news: Int) async {
        let number = state.withLock { state -> Int in
            state.lastWaiting += 1
            return state.lastWaiting
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isLate = state.withLock { state -> Bool in
                    guard state.news == news, !state.isClosed, !Task.isCancelled else {
                        return true
                    }
                    state.waiting[number] = continuation
                    return false
                }
                if isLate { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}

extension SessionLedger.Told {
    /// Whether an event is new to the session; notes it.
    fileprivate mutating func isNew(_ event: SessionEvent) -> Bool {
        switch event {
        case .ended(let item):
            let mark = SessionLedger.EndKey(item.task)
            progress[item.id] = nil
            return ends.updateValue(mark, forKey: item.id) != mark
        case .progress(let told):
            return progress.updateValue(told, forKey: told.id) != told
        case .paused(let queue, let pause):
            return pauses.insert(pause.mark(of: queue)).inserted
        }
    }
}

extension Pause {
    func mark(of queue: String) -> SessionLedger.PauseKey {
        SessionLedger.PauseKey(queue: queue, cause: cause, since: since)
    }
}
