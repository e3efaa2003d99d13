import SluiceSystem
import SluiceTerminalUI
import SluiceTestSupport
import Testing

/// The real console on a terminal that only the test sees, at the store of a folder.
///
/// Belongs to one thread, as its terminal does.
final class LiveConsole {
    let terminal: TerminalSession

    init(
        at place: Workplace, _ words: [String] = [], store: String? = nil, columns: Int = 110,
        rows: Int = 30, environment: [String] = []
    ) throws {
        terminal = try TerminalSession(
            BuiltProgram.path(), [store ?? place.store, "--theme", "dark"] + words,
            environment: Self.environment(at: place) + environment, directory: place.path,
            columns: columns, rows: rows)
    }

    /// The program's environment, which marks it as a process of the folder.
    static func environment(at place: Workplace) -> [String] {
        [
            "SLUICE_TEST_FOLDER=\(place.path)", "SLUICE_USER=tester", "EDITOR=true", "VISUAL=true",
            "TZ=UTC", "XDG_CONFIG_HOME=\(place.path)/config", "XDG_STATE_HOME=\(place.path)/state",
        ]
    }

    /// A console that has drawn a first picture with a text in it.
    static func open(
        at place: Workplace, _ words: [String] = [], showing text: String, columns: Int = 110,
        rows: Int = 30
    ) throws -> LiveConsole {
        let console = try LiveConsole(at: place, words, columns: columns, rows: rows)
        try console.terminal.wait(forText: text, timeoutSeconds: 30)
        try console.terminal.settle(quietMilliseconds: 100)
        return console
    }

    /// Whether a text is on the screen now.
    func shows(_ text: String) throws -> Bool {
        try terminal.screen.position(of: text) != nil
    }

    /// The row of the screen that the cursor is on, by the ground of the selection.
    func selectedRow() throws -> Int? {
        try terminal.screen.rows.firstIndex { row in
            row.suffix(40).contains { $0.style.background == .indexed(237) }
                && row.first?.style.background != .indexed(237)
        }
    }

    /// The number of the task under the cursor; nil for none.
    func selectedTask() throws -> Int64? {
        guard let row = try selectedRow() else { return nil }
        let selected = try terminal.screen.rows[row].filter {
            $0.style.background == .indexed(237)
        }
        let words = selected.map(\.text).joined().split(separator: " ")
        return words.lazy.compactMap { Int64($0.drop { $0 == "#" }) }.first
    }

    /// Presses Ctrl-C, which closes a question and else ends the program, until it has ended.
    func leave() throws -> ChildProcess.Exit {
        for _ in 0..<20 {
            // After the console restored the screen it only closes the store, so send no further
            // key.
            guard try terminal.exit == nil, try terminal.screen.isAlternate else { break }
            try terminal.key(.control("c"))
            try terminal.settle(quietMilliseconds: 50, timeoutSeconds: 2)
        }
        return try terminal.waitForExit(timeoutSeconds: 20)
    }

    /// Leaves, and proves that the console ended well and gave the terminal back (K8).
    func quit() throws {
        let exit = try leave()
        let left = try terminal.leftovers
        #expect(exit == .code(0))
        #expect(left == [], "\(terminal.lastBytes)")
    }
}

extension TerminalSession {
    /// The last that came, for a failure's text.
    var lastBytes: String {
        String(decoding: received.tail.suffix(400), as: UTF8.self).debugDescription
    }

    /// The console's terminal modes still set; empty after a clean exit (K8).
    var leftovers: [String] {
        get throws {
            let screen = try screen
            return [
                screen.isAlternate ? "alternate screen" : nil,
                screen.isCursorVisible ? nil : "hidden cursor",
                wantsMouse ? "mouse" : nil,
            ].compactMap { $0 }
        }
    }
}
