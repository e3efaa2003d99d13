import SluiceC

/// The connections of one thread: one exchange at a time, in constant memory.
///
/// The first exchange loads libcurl. `answer` follows redirects. libcurl handles proxies and
/// trusted certificates (`http_proxy`, `https_proxy`, `no_proxy`, the machine's store).
package final class HTTPSession {
    private var handle: OpaquePointer?

    /// A session without connections.
    package init() {}

    deinit {
        if let handle { ccurl_session_free(handle) }
    }

    /// Waits; returns false if interrupted.
    package func pause(milliseconds: Int64, _ interruption: HTTPInterruption) -> Bool {
        guard let handle = try? open() else { return !interruption.isInterrupted }
        defer { interruption.leave() }
        guard interruption.enter(handle) else { return false }
        let end = SystemClock.monotonicNanoseconds() + UInt64(max(0, milliseconds)) * 1_000_000
        while !interruption.isInterrupted {
            let now = SystemClock.monotonicNanoseconds()
            if now >= end { return true }
            ccurl_wait(handle, Int32(clamping: (end - now + 999_999) / 1_000_000))
        }
        return false
    }

    /// One exchange, its redirects not followed: sends the request and hands the answer to `sink`.
    /// `onEnd` is given what came of the request.
    package func exchange(
        _ request: HTTPRequest, body: (any HTTPBody)?, sink: any HTTPSink,
        _ interruption: HTTPInterruption, onEnd: ((HTTPTrace) -> Void)? = nil
    ) throws(HTTPFailure) -> HTTPHead {
        let handle = try open()
        let exchange = HTTPExchange(session: handle, body: body, sink: sink)
        defer {
            interruption.leave()
            ccurl_end(handle)
        }
        guard interruption.enter(handle) else { throw .stopped }
        do throws(HTTPFailure) {
            let head = try perform(exchange, request, handle, interruption)
            onEnd?(HTTPTrace(request, of: handle, failure: nil))
            return head
        } catch {
            onEnd?(HTTPTrace(request, of: handle, failure: error))
            throw error
        }
    }

    private func perform(
        _ exchange: HTTPExchange, _ request: HTTPRequest, _ handle: OpaquePointer,
        _ interruption: HTTPInterruption
    ) throws(HTTPFailure) -> HTTPHead {
        try exchange.begin(request)
        while true {
            var code: Int32 = 0
            let state = ccurl_perform(handle, &code)
            if state == 0 { return try exchange.finish(code) }
            if interruption.isInterrupted { throw .stopped }
            guard state > 0 else { throw .transport("libcurl cannot continue") }
            let wait = try exchange.stallTimeout(request.limits.stalledMilliseconds)
            ccurl_wait(handle, Int32(clamping: wait))
        }
    }

    private func open() throws(HTTPFailure) -> OpaquePointer {
        if let handle { return handle }
        if let reason = ccurl_load() { throw .unavailable(String(cString: reason)) }
        // A server that closes its side must not end this process.
        SignalInbox.ignorePipeSignal()
        guard let made = ccurl_session_make() else {
            throw .unavailable("libcurl has no memory for a session")
        }
        handle = made
        return made
    }
}
