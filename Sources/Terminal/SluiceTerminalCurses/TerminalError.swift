package import SluiceSystem

/// Why there is no screen to draw on (K12).
package enum TerminalError: Error, Equatable, Sendable {
    /// Standard input or output is a file or a pipe.
    case notATerminal
    /// TERM is not set.
    case unnamedTerminal
    /// No entry of terminfo has the name.
    case unknownTerminal(String)
    /// The terminal cannot move its cursor.
    case plainTerminal(String)
    /// A screen is open already in this process.
    case alreadyOpen
    /// The curses library could not open the screen.
    case refused(String)
    /// The system refused a call.
    case system(SystemError)

    /// One sentence with the problem and its fix.
    package var sentence: String {
        switch self {
        case .notATerminal:
            "standard input and output are not both a terminal; run it in one, without a pipe"
        case .unnamedTerminal:
            "TERM is not set, so the terminal is unknown; set it, for example TERM=xterm-256color"
        case .unknownTerminal(let name):
            "TERM=\(name) is not in this system's terminfo; set TERM=xterm-256color, or install the"
                + " entry (Debian: ncurses-term)"
        case .plainTerminal(let name):
            "a terminal of TERM=\(name) cannot move its cursor, so no screen can be shown on it"
        case .alreadyOpen:
            "this process shows a screen already; close it first"
        case .refused(let name):
            "the curses library could not open a screen for TERM=\(name)"
        case .system(let error):
            error.sentence
        }
    }
}
