import SluiceSystem
import SluiceTerminalUI
import SluiceTestSupport
import Testing

/// The console on all kinds of terminals, and its exit state.
@Suite("terminals", .serialized)
struct TerminalTests {
    private func console(
        _ scene: Scene, _ words: [String] = [], _ environment: [String] = [],
        type: String = "xterm-256color", hasSecondScreen: Bool = true
    ) throws -> TerminalSession {
        try TerminalSession(
            BuiltProgram.path(), [scene.store] + words,
            environment: scene.environment + environment, columns: 100, rows: 30,
            terminalType: type, hasSecondScreen: hasSecondScreen)
    }

    @Test(
        "K12 on a terminal that cannot move its cursor, and without one, it names the commands",
        arguments: [
            "TERM=dumb sluice STORE", "sluice STORE | cat", "sluice STORE < /dev/null",
            "TERM=dumb sluice demo", "sluice demo | cat", "TERM= sluice STORE",
            "TERM=unheard-of sluice STORE",
        ])
    func noScreen(_ line: String) throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        let program = try BuiltProgram.path()
        let command = line.replacing("STORE", with: scene.store)
            .replacing("sluice ", with: "'\(program)' ")
        let shell = try TerminalSession(
            "/bin/bash", ["-o", "pipefail", "-c", command], environment: scene.environment,
            columns: 200)
        #expect(try shell.waitForExit() == .code(2))
        let screen = try shell.screen
        #expect(screen.text.contains("sluice list") || screen.text.contains("sluice enqueue"))
        #expect(screen.text.hasPrefix("sluice: ") && !screen.isAlternate, "\(screen.text)")
        // An unfit terminal gets no escape sequence.
        #expect(!shell.received.tail.contains(0x1b))
    }

    @Test(
        "K5 only a terminal that is known to answer is asked for its ground",
        arguments: [
            ("xterm-256color", [], true), ("screen-256color", [], true), ("linux", [], false),
            ("vt220", [], false), ("xterm-256color", ["--theme", "light"], false),
        ])
    func ground(type: String, words: [String], isAsked: Bool) throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        let session = try console(scene, words, type: type)
        try session.wait(forText: "next #1")
        let sent = String(decoding: session.received.tail, as: UTF8.self)
        #expect(sent.contains("]11;") == isAsked)
    }

    @Test(
        "K5 K11 a terminal that joins pictures gets them whole, and no row shifts",
        arguments: [true, false])
    func pictures(joins: Bool) throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        let store = "\(scene.folder)/pictures.db"
        let payload = #"{"to":"👩‍👩‍👧 one 👍🏽 two 👨‍👩‍👧‍👦 three 🇩🇪 end"}"#
        let enqueue = try TerminalSession(
            BuiltProgram.path(),
            ["enqueue", "q", "t", payload, "--store", store],
            environment: scene.environment)
        #expect(try enqueue.waitForExit() == .code(0))
        let session = try TerminalSession(
            BuiltProgram.path(), [store], environment: scene.environment, columns: 200, rows: 30,
            joinsPictures: joins)
        let shown = joins ? "👩 one 👍 two 👨👩👧👦 three DE end" : "👩👩👧 one 👍 two 👨👩👧👦 three DE end"
        let screen = try session.wait(forText: "\"to\": \"\(shown)\"")
        for row in 2..<20 {
            #expect(screen.rows[row][34].text == "│", "\(screen.text)")
            #expect(screen.rows[row].filter { $0.text == "│" }.count >= 2, "\(screen.text)")
        }
        let sent = String(decoding: session.received.tail, as: UTF8.self)
        #expect(sent.contains("👩‍👩‍👧 one 👍🏽 two 👨👩👧👦") == joins)
        try session.send("q")
        #expect(try session.waitForExit() == .code(0))
    }

    @Test(
        "K8 a terminal without a second screen keeps no bar of keys",
        arguments: ["linux", "vt100", "screen-256color"])
    func leaving(type: String) throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        let session = try console(scene, [], type: type, hasSecondScreen: false)
        try session.wait(forText: "next #1")
        #expect(try session.screen.text.contains("help"))
        try session.send("q")
        #expect(try session.waitForExit() == .code(0))
        let left = try session.screen.text
        #expect(left.allSatisfy { $0.isWhitespace }, "\(left)")
    }

    @Test("K10 GNU screen, which holds Escape for a program with a mouse, gets no mouse")
    func inScreen() throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        for (environment, wantsMouse) in [([], true), (["STY=1.pts"], false)] {
            let session = try console(scene, [], environment)
            try session.wait(forText: "next #1")
            #expect(session.wantsMouse == wantsMouse)
            try session.send("q")
            #expect(try session.waitForExit() == .code(0))
        }
    }

    @Test("K1 K8 :open goes to another store and back, and says why it cannot")
    func opening() throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        let program = try BuiltProgram.path()
        let other = "\(scene.folder)/other.db"
        let made = try TerminalSession(
            program, ["enqueue", "elsewhere", "t", "--store", other],
            environment: scene.environment)
        #expect(try made.waitForExit() == .code(0))
        let session = try console(scene)
        try session.wait(forText: "next #1")
        try session.send(":open \(scene.store)\r")
        try session.wait(forText: "is open already")
        try session.send(":open \(scene.folder)/none.db\r")
        try session.wait(forText: "there is no store at")
        try session.send(":open \(other)\r")
        try session.wait(forText: "elsewhere")
        try session.wait(forText: "next #1 t ")
        try session.send("p")
        try session.wait(forText: "paused by dana")
        // The command line uses the visible store.
        try session.send(":show 1\r")
        try session.wait(forText: "#1 t in elsewhere")
        try session.send("q")
        try session.send(":open \(scene.store)\r")
        try session.wait(forText: "profiles")
        try session.send("q")
        #expect(try session.waitForExit() == .code(0))
    }

    @Test("K13 without a store the console says how to make one, and where there is one to try")
    func noStore() throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        let session = try TerminalSession(
            BuiltProgram.path(), [], environment: scene.environment, directory: scene.folder,
            columns: 200)
        #expect(try session.waitForExit() == .code(2))
        let text = try session.screen.text
        #expect(text.contains("sluice init ./sluice.db") && text.contains("sluice demo shows"))
    }

    @Test("K5 with --ascii every sign is one of ASCII")
    func ascii() throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        let session = try console(scene, ["--ascii"])
        for (key, sign) in [("", "next #1"), ("w", "waits for"), ("q3", "begins"), ("?", "Keys")] {
            try session.send(key)
            let screen = try session.wait(forText: sign)
            let isASCII = screen.text.unicodeScalars.allSatisfy { $0.isASCII }
            #expect(isASCII, "\(screen.text)")
        }
    }

    @Test("K5 NO_COLOR, --theme mono and few colours show states by signs and words")
    func colours() throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        let mono = try console(scene, ["--theme", "mono"])
        let plain = try console(scene, [], ["NO_COLOR=1"])
        for session in [mono, plain] {
            let screen = try session.wait(forText: "held by #1")
            #expect(Self.colours(of: screen) == [.standard])
            #expect(screen.text.contains("▶"))
            #expect(screen.text.contains("‖ paused"))
        }
        let few = try console(scene, ["--theme", "dark"], type: "xterm-16color")
        for colour in Self.colours(of: try few.wait(forText: "held by #1")) {
            if case .indexed(let number) = colour { #expect(number < 16) }
            if case .rgb = colour { Issue.record("\(colour)") }
        }
    }

    @Test("P6 a folder that may be written says so, for the SDK knows no lock")
    func folder() throws {
        let scene = try Scene()
        defer { try? scene.remove() }
        let warning = "while the app runs on this folder, open it with --read-only"
        let program = try BuiltProgram.path()
        let open = try TerminalSession(
            program, [scene.sdkFolder], environment: scene.environment, columns: 100)
        try open.wait(forText: "3143DAD0")
        try open.wait(forText: warning)
        let looking = try TerminalSession(
            program, [scene.sdkFolder, "--read-only"], environment: scene.environment,
            columns: 100)
        #expect(try !looking.wait(forText: "3143DAD0").text.contains(warning))
        #expect(try Files.list(scene.sdkFolder) == ["inventory.json", "tasks"])
    }

    private static func colours(of screen: ScreenPicture) -> Set<ScreenColor> {
        Set(screen.rows.joined().flatMap { [$0.style.foreground, $0.style.background] })
    }
}
