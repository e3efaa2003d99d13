import Platform
import ProgramHarness
import TerminalHarness

/// One picture: how the program is started, what is typed, and what shows that it is there.
struct Shot: Sendable, CustomStringConvertible {
    var name: String
    var theme = "dark"
    var keys = ""
    var sign: String

    var description: String { name }

    static let all = [
        Shot(name: "inventory", sign: "next #1"),
        Shot(name: "inventory-light", theme: "light", sign: "next #1"),
        Shot(name: "groups", keys: "2", sign: "tasks wait for #1"),
        Shot(name: "timers", keys: "3", sign: "begins"),
        Shot(name: "why", keys: "jjw", sign: "with all four gone"),
        Shot(name: "detail", keys: "\r", sign: "identifier"),
        Shot(name: "queues", keys: "7", sign: "to the next run"),
        Shot(name: "step", keys: "s", sign: "HTTP 500"),
    ]
}

/// The real program on the demonstration's scene without its worker, with the clock stopped.
struct Scene {
    /// 2026-01-15T14:03:22Z.
    static let now = "1768485802000"

    let folder: String
    let environment: [String]

    init() throws {
        folder = try Files.makeTemporaryDirectory(prefix: "sluice-shot")
        environment =
            ProcessIdentity.environment().filter {
                !$0.hasPrefix("SLUICE_") && !$0.hasPrefix("TERM") && !$0.hasPrefix("COLORTERM")
                    && !$0.hasPrefix("NO_COLOR") && !$0.hasPrefix("TZ=")
                    && !$0.hasPrefix("LC_") && !$0.hasPrefix("LANG=") && !$0.hasPrefix("COLORFGBG")
            } + [
                "SLUICE_TEST_NOW=\(Self.now)", "SLUICE_TEST_HOST=desk", "SLUICE_TEST_PID=4711",
                "SLUICE_USER=dana", "TZ=UTC", "LANG=C.UTF-8",
            ]
        try Files.writeAtomically(Array(Self.handlers.utf8), to: handlers)
        let scene = try TerminalSession(
            BuiltProgram.path(), ["__demo-scene", store], environment: environment)
        _ = try scene.waitForExit()
    }

    var store: String { "\(folder)/demo.db" }
    private var handlers: String { "\(folder)/handlers.json" }

    private static let handlers = """
        {"handlers": {
          "identify": {"simulate": {"fail": 1,
            "error": "HTTP 500 Internal Server Error (simulated)"}},
          "*": {"simulate": {}}}}
        """

    func picture(of shot: Shot) throws -> ScreenPicture {
        let session = try TerminalSession(
            BuiltProgram.path(), [store, "--theme", shot.theme, "--handlers", handlers],
            environment: environment, columns: 118, rows: 32)
        try session.wait(forText: "next #1")
        // Keys go one by one: what one opens must be there for the next.
        for key in shot.keys {
            try session.send(String(key))
            try session.settle(quietMilliseconds: 120)
        }
        try session.wait(forText: shot.sign)
        try session.settle(quietMilliseconds: 300)
        let picture = try session.screen
        try session.kill(.terminate)
        _ = try session.waitForExit()
        return picture
    }

    func remove() throws { try Files.removeTree(folder) }
}
