package import SluiceModel

/// A time in a command line. The store's clock resolves a distance when the command is performed:
/// it may differ from the machine's clock, or a user may have set it (G3).
package enum Moment: Hashable, Sendable {
    case at(Timestamp)
    /// Milliseconds from now; negative in the past.
    case fromNow(Int64)

    /// Reads RFC 3339, `now`, or a duration from now (`+5m`, `2h`); nil for anything else.
    package init?(_ text: String) {
        if let moment = TimeText.rfc3339(text) {
            self = .at(moment)
        } else if let wait = TimeText.moment(text, now: Timestamp(milliseconds: 0)) {
            self = .fromNow(wait.milliseconds)
        } else {
            return nil
        }
    }

    /// Reads a moment that has passed: `10m` is so long ago.
    init?(past text: String) {
        let ago = text.hasPrefix("-") ? String(text.dropFirst()) : text
        if let wait = DurationText.milliseconds(ago) {
            self = .fromNow(-wait)
        } else if text.hasPrefix("+") {
            return nil
        } else {
            self.init(text)
        }
    }

    package func time(at now: Timestamp) -> Timestamp {
        switch self {
        case .at(let moment): moment
        case .fromNow(let milliseconds): now + milliseconds
        }
    }
}
