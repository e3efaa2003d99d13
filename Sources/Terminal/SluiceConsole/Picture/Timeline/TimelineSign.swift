import SluiceControl
import SluiceTerminalUI

/// How a bar of a timeline looks. Each kind has its own sign, so no colour is needed.
struct TimelineSign {
    let unicode: String
    let ascii: String
    let role: Role
    let word: String

    init(_ kind: TimelineBar.Kind) {
        (unicode, ascii, role, word) =
            switch kind {
            case .ran: ("█", "#", .running, "ran")
            case .failed: ("▚", "x", .failed, "failed")
            case .stopped: ("░", "/", .quiet, "stopped")
            case .running: ("▄", ">", .next, "runs")
            case .timed: ("╌", "-", .time, "retry")
            case .held: ("▒", ":", .held, "held")
            case .waits: ("·", ".", .faint, "waits")
            }
    }

    func text(_ glyphs: GlyphSet) -> String { glyphs == .ascii ? ascii : unicode }

    /// Later ones cover earlier ones where a column has several: a failure is never hidden.
    static let order: [TimelineBar.Kind] = [
        .waits, .held, .timed, .stopped, .ran, .running, .failed,
    ]
}
