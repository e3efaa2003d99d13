import SluiceC

/// Interrupts a session's work immediately, from any thread.
package final class HTTPInterruption: Sendable {
    private struct State: @unchecked Sendable {
        var isInterrupted = false
        /// The session that waits, while it may be woken.
        var session: OpaquePointer?
    }

    private let state = Protected(State())

    package init() {}

    /// Ends it now; what begins later under it does not begin.
    package func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            if let session = state.session { ccurl_session_wake(session) }
        }
    }

    package var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// Wakes the session on later interrupts; returns false if already interrupted.
    func enter(_ session: OpaquePointer) -> Bool {
        let box = SessionBox(session: session)
        return state.withLock { state in
            state.session = box.session
            return !state.isInterrupted
        }
    }

    /// The session is woken no more.
    func leave() { state.withLock { $0.session = nil } }
}

/// Carries a session's pointer under the lock.
private struct SessionBox: @unchecked Sendable {
    let session: OpaquePointer
}
