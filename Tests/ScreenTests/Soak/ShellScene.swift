import SluiceSystem
import SluiceTestSupport
import Testing

/// A shell on a terminal with the console in the foreground. Afterwards the shell reports its
/// terminal modes.
final class ShellScene {
    let terminal: TerminalSession
    private let place: Workplace

    private static let script = """
        stty -g > modes-before
        "$0" "$@"
        echo $? > console-code
        stty -g > modes-after
        echo back in the shell
        read -r line
        """

    init(at place: Workplace) throws {
        self.place = place
        terminal = try TerminalSession(
            "sh", ["-c", Self.script, BuiltProgram.path(), place.store, "--theme", "dark"],
            environment: LiveConsole.environment(at: place), directory: place.path,
            columns: 110, rows: 30)
        try terminal.wait(forText: "mail", timeoutSeconds: 30)
        try terminal.settle(quietMilliseconds: 100)
    }

    /// The console's process.
    var console: Int32 {
        get throws {
            let shell = terminal.processID
            let path = "/proc/\(shell)/task/\(shell)/children"
            let text = String(decoding: try Files.read(path, limitBytes: 4096), as: UTF8.self)
            return try #require(text.split(separator: " ").first.flatMap { Int32($0) }, "\(text)")
        }
    }

    /// Sends the console a signal by its name, such as `TERM`.
    func signal(_ name: String) throws {
        try place.expecting(0, place.start("kill", ["-\(name)", "\(try console)"]).answer())
    }

    /// Waits for the shell; gives the console's exit code as a shell sees it.
    func code() throws -> Int {
        try terminal.wait(forText: "back in the shell", timeoutSeconds: 60)
        return Int(place.text("console-code").dropLast()) ?? -1
    }

    /// The console's terminal modes still set; empty after a clean exit (K8).
    var leftovers: [String] {
        get throws {
            let isCooked = place.text("modes-before") == place.text("modes-after")
            return try terminal.leftovers + (isCooked ? [] : ["raw mode"])
        }
    }
}
