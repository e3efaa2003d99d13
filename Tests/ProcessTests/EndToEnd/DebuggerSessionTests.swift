import SluiceControl
import SluiceSystem
import SluiceTestSupport
import Testing

/// The session of docs/debugger.md, line by line, with programs unaware of the debugger.
@Suite("end to end: a session with the debugger", .serialized)
struct DebuggerSessionTests {
    @Test(
        "G1 G2 G3 G5 G6 the session prints what its page says, and its tape leads back to the stop",
        arguments: DebuggedGround.Kind.allCases.filter(\.isPossible))
    func session(kind: DebuggedGround.Kind) async throws {
        try await Workplace.onOwnThread {
            let ground = try DebuggedGround(kind)
            try ground.sluice(["queue", "set", "profiles", "--retry", "fixed(10s)"])
            try ground.sluice(["pause", "profiles"])
            let workers = try ground.startWorkers()
            let log = try ground.start(["log", "--follow"])
            var recorder: RunningProgram?
            for line in try PageSession.lines() {
                let printed: String
                if line.command.hasPrefix("kill -INT ") {
                    let recorder = try #require(recorder)
                    try recorder.signal(.interrupt)
                    printed = try ground.place.expecting(0, recorder.answer()).output
                } else if line.runsBeside {
                    recorder = try ground.start(line.words)
                    try ground.place.wait(for: "the recording to begin") {
                        ground.place.text("incident.tape").contains("{\"begin\":")
                    }
                    continue
                } else if line.command == "sluice incident.tape" {
                    try goBackToTheStop(ground)
                    continue
                } else {
                    printed = try ground.sluice(line.words).output
                }
                if line.command == "sluice resume profiles" {
                    try ground.place.wait(for: "the stop") {
                        log.output.contains("breakpoint 1 stopped profiles before #2 identify")
                    }
                }
                let (found, said) = (PageSession.plain(printed), PageSession.plain(line.output))
                #expect(line.output.isEmpty || found == said, "\(line.command)\n\(printed)")
            }
            for worker in workers { try worker.signal(.terminate) }
            let ran = try workers.map { try $0.answer() }
            #expect(ran.allSatisfy { $0.code == 0 }, "\(ran)")
            print(kind, ran.map(\.output).joined())
        }
    }

    /// Opens the tape at its beginning and steps through events until the queue stops.
    private func goBackToTheStop(_ ground: DebuggedGround) throws {
        let tape = ground.place.file("incident.tape")
        let console = try TerminalSession(
            BuiltProgram.path(), [tape], environment: ["SLUICE_USER=eve"], columns: 118, rows: 30)
        let first = try console.wait(forText: "event 0 of ")
        #expect(first.position(of: "◆ breakpoint 1 before #2 identify") == nil)
        var event = 0
        while try console.screen.position(of: "◆ breakpoint 1 before #2 identify") == nil {
            event += 1
            try #require(event < 20)
            try console.send(".")
            try console.wait(forText: "event \(event) of ")
        }
        #expect(try console.screen.position(of: "fault 1 injected") == nil)
        try console.send("w")
        try console.wait(forText: "breakpoint 1 stopped the queue profiles before #2 identify")
        try console.send("q")
        try console.send("}")
        try console.wait("a moment without the stop") {
            $0.position(of: "◆ breakpoint 1 before #2 identify") == nil
        }
        // From the end by the line of the log, and by a command without leaving it.
        try console.send("4")
        try console.send("/")
        try console.send("stopped\r")
        try console.wait(forText: "1 line · only stopped")
        try console.send(":why 2 --at \(event)\r")
        try console.wait(forText: "#2 identify: next")
        try console.send("\r")
        try console.wait(forText: "◆ breakpoint 1 before #2 identify")
        try console.kill(.terminate)
        let why = try ground.sluice(["why", "2", "--store", tape, "--at", "\(event)"])
        #expect(why.output.contains("breakpoint 1 stopped the queue profiles"), "\(why)")
        let before = try ground.sluice(["why", "2", "--store", tape, "--at", "\(event - 1)"])
        #expect(!before.output.contains("breakpoint 1 stopped"), "\(before)")
    }
}

/// A store, and who works it without a word of a debugger.
struct DebuggedGround {
    enum Kind: String, CaseIterable {
        /// Two workers on a SQLite file.
        case file
        /// Two workers on a store at a server.
        case server
        /// An app that embeds the library.
        case app

        var isPossible: Bool { self != .server || PostgresServer.isInstalled }
    }

    let kind: Kind
    let place: Workplace
    private let address: String

    init(_ kind: Kind) throws {
        self.kind = kind
        place = try Workplace()
        if kind == .server {
            let server = try PostgresServer.shared()
            let database = server.newName()
            try server.run("CREATE DATABASE \(database)")
            address = server.address(database)
        } else {
            address = place.store
        }
        try sluice(["init"])
    }

    /// The words with the actor and the store, unless they name their own.
    private func named(_ words: [String]) -> [String] {
        let isNamed = words.contains("--store") || words[0] == "replay"
        return words + (isNamed ? [] : ["--store", address])
            + (["log", "replay", "record"].contains(words[0]) ? [] : ["--by", "ann"])
    }

    @discardableResult
    func sluice(_ words: [String]) throws -> ProgramAnswer {
        try place.expecting(0, start(words).answer())
    }

    func start(_ words: [String]) throws -> RunningProgram { try place.start(named(words)) }

    func startWorkers() throws -> [RunningProgram] {
        if kind == .app {
            let program = try BuiltProgram.path(of: "SluiceServiceExample")
            let app = try place.start("stdbuf", ["-oL", program, address])
            try place.wait(for: "the app") { app.output.contains("ready") }
            return [app]
        }
        try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
        return try (1...2).map { _ in
            let worker = try start(["work", "--handlers", place.file("handlers.json")])
            try place.wait(for: "a worker") { worker.errors.contains("is attached") }
            return worker
        }
    }
}

/// The commands of a page after the heading "A session", with their documented output.
private struct PageSession {
    var command: String
    var output = ""

    var runsBeside: Bool { command.hasSuffix(" &") }

    /// The words after the program's name.
    var words: [String] {
        ShellLine(command).all.dropFirst().filter { $0 != "&" }
    }

    static func lines() throws -> [PageSession] {
        let root = Project.folder
        let bytes = try Files.read("\(root)/docs/debugger.md", limitBytes: 1 << 20)
        let page = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        let title = try #require(page.firstIndex(of: "## A session"))
        let rest = page[(title + 1)...].prefix { !$0.hasPrefix("## ") }
        var (lines, isBlock, isInside): ([PageSession], Bool, Bool) = ([], false, false)
        for line in rest {
            // The block of the shell makes what `DebuggedGround` makes for each kind.
            if line.hasPrefix("```") {
                isBlock.toggle()
                isInside = isBlock && line == "```"
            } else if isInside, line.hasPrefix("$ ") {
                lines.append(PageSession(command: String(line.dropFirst(2))))
            } else if isInside {
                lines[lines.count - 1].output += line + "\n"
            }
        }
        try #require(lines.count > 20)
        return lines
    }

    /// The words of an output, without what another run measures otherwise: durations, times, and
    /// how many events there were.
    static func plain(_ output: String) -> [String] {
        let words = output.split { $0 == " " || $0 == "\n" }.map(String.init)
        let bare = words.map { word in
            word.filter { !"()+,".contains($0) }.reversed().drop { $0 == ":" }.reversed()
        }.map { String($0) }
        return words.indices.compactMap { place in
            let word = bare[place]
            let next = place + 1 < bare.count ? bare[place + 1] : ""
            if ["ms", "events", "decisions"].contains(next), Int(word) != nil { return nil }
            let isTime = word.first?.isNumber ?? false && word.contains(":")
            let isLong = ["ms", "s", "m", "h", "Z"].contains { unit in
                word.hasSuffix(unit) && Int(word.dropLast(unit.count)) != nil
            }
            return isTime || isLong || ["ms", "ago", "after"].contains(word) ? nil : word
        }
    }
}
