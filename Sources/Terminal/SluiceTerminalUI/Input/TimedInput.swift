/// Terminal input, decoded on arrival, and the timeout of pending bytes.
///
/// The timeout of a sequence starts at its first byte. Otherwise an unterminated sequence would
/// swallow fast typing. Each byte of a paste restarts the timeout. Each byte of an abandoned
/// sequence does too, up to the length of an answer.
package struct TimedInput: Sendable {
    private var decoder: InputDecoder
    /// When the pending bytes began, or a paste last went on; nil when nothing is pending.
    private var since: UInt64?

    /// Decodes by `decoder`.
    package init(_ decoder: InputDecoder) {
        self.decoder = decoder
    }

    /// Whether a query to the terminal is unanswered.
    package var awaitsAnswer: Bool {
        get { decoder.awaitsAnswer }
        set { decoder.awaitsAnswer = newValue }
    }

    /// The time for `flush`, on the clock of the incoming bytes; `nil` if no bytes are pending.
    package var deadline: UInt64? {
        guard let since, let timeout = decoder.timeoutMilliseconds else { return nil }
        return since + UInt64(timeout) * 1_000_000
    }

    /// Takes bytes that came at a moment in nanoseconds, and returns the events that are complete.
    package mutating func feed(
        _ bytes: some Sequence<UInt8>, at nanoseconds: UInt64
    ) -> [InputEvent] {
        let former = decoder.taken
        let events = decoder.feed(bytes)
        if decoder.timeoutMilliseconds == nil {
            since = nil
        } else if since == nil || decoder.taken != former || decoder.isWithinPaste {
            since = nanoseconds
        }
        return events
    }

    /// Ends pending input if its deadline has passed.
    package mutating func flush(at nanoseconds: UInt64) -> [InputEvent] {
        guard let deadline, nanoseconds >= deadline else { return [] }
        let events = decoder.flush()
        since = decoder.timeoutMilliseconds == nil ? nil : nanoseconds
        return events
    }
}
