package import SluiceSystem

/// A failure of a program on a terminal.
package enum TerminalFailure: Error, CustomStringConvertible {
    /// The expected screen did not appear in time.
    case timedOut(String, seconds: Double, screen: ScreenPicture)
    /// The program ended during a wait.
    case ended(String, exit: ChildProcess.Exit?, screen: ScreenPicture)
    /// A tool that draws pictures failed.
    case toolFailed(String, exit: ChildProcess.Exit?, errors: String)

    /// One sentence, and the screen as it was.
    package var description: String {
        switch self {
        case .timedOut(let what, let seconds, let screen):
            "waited \(seconds) s for \(what)\n\(Self.frame(screen))"
        case .ended(let what, let exit, let screen):
            "the program ended (\(Self.text(exit))) before \(what)\n\(Self.frame(screen))"
        case .toolFailed(let tool, let exit, let errors):
            "\(tool) failed (\(Self.text(exit))): \(errors)"
        }
    }

    private static func text(_ exit: ChildProcess.Exit?) -> String {
        switch exit {
        case .code(let code): "code \(code)"
        case .signal(let signal): "signal \(signal)"
        case nil: "terminal closed"
        }
    }

    private static func frame(_ screen: ScreenPicture) -> String {
        let edge = "+" + String(repeating: "-", count: screen.columns) + "+"
        let lines = screen.lineTexts.map { "|" + $0 }
        let cursor = "cursor at column \(screen.cursor.column), row \(screen.cursor.row)"
        return ([edge] + lines + [edge, cursor]).joined(separator: "\n")
    }
}
