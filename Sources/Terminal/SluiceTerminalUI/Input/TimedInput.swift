/// What a terminal sends, decoded as it comes, and the moment at which what is pending is given up.
///
/// The time of a sequence runs from its first byte: a sequence without an end would otherwise take
/// all that is typed for as long as keys come quickly. A paste has its time anew with each byte. So
/// has the rest of a sequence that was given up, up to the length of an answer.
package struct TimedInput: Sendable {
    private var decoder: InputDecoder
    /// When the pending bytes began, or a paste last went on; nil when nothing is pending.
    private var since: UInt64?

    /// Decodes by `decoder`.
    package init(_ decoder: InputDecoder) {
        self.decoder = decoder
    }

    /// Whether a question of the program to the terminal is unanswered.
    package var awaitsAnswer: Bool {
        get { decoder.awaitsAnswer }
        set { decoder.awaitsAnswer = newValue }
    }

    /// When `flush` is due, on the clock by which bytes are fed; nil when nothing is pending.
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

    /// Ends what is pending where its time is up.
    package mutating func flush(at nanoseconds: UInt64) -> [InputEvent] {
        guard let deadline, nanoseconds >= deadline else { return [] }
        let events = decoder.flush()
        since = decoder.timeoutMilliseconds == nil ? nil : nanoseconds
        return events
    }
}
