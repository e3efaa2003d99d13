import SluiceModel
import SluiceSystem
import SluiceTestSupport

/// A store with workers, people and consoles, all of whom are killed.
///
/// Belongs to one thread, as the terminals do.
final class Siege {
    static let queues = ["line", "wide", "files"]

    let place: Workplace
    /// The tasks with an acknowledged enqueue.
    private(set) var handed: Set<Int64> = []
    private(set) var kills: [String: Int] = [:]
    private let server: ScriptedServer
    private var team: [RunningProgram] = []
    /// Workers that kill themselves at a change or commit.
    private var doomed: [RunningProgram] = []
    var chance: SeededChance
    private var files = 0
    private var parked = 0

    init(seed: UInt64) throws {
        chance = SeededChance(seed: seed)
        place = try Workplace.withStore()
        server = try SiegeServer.start()
        try place.employWitness()
        try place.makeFolder("files")
        try place.write(String(repeating: "what is sent ", count: 20_000), to: "letter")
        try place.write(
            """
            {"handlers": {"job": {"command": ["./witness"]},
                "fetch": {"download": {"root": "files"}}, "send": {"upload": {"root": "."}}}}
            """, to: "handlers.json")
        let common = [
            "--retry", "fixed(0s)", "--attempts", "none", "--keep-finished", "100000",
        ]
        try place.json(["queue", "set", "line", "--after-failure", "block"] + common)
        try place.json(["queue", "set", "wide", "--concurrency", "3"] + common)
        try place.json(["queue", "set", "files", "--concurrency", "3"] + common)
        team = try (0..<2).map { _ in try recruit() }
    }

    var total: Int { kills.values.reduce(0, +) }

    var summary: String {
        let all = kills.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return "killed \(total): \(all.joined(separator: ", ")); \(handed.count) tasks "
            + "acknowledged, \(place.testimony.count("start")) executions of commands, "
            + "\(server.requests.count) requests, \(parked) tasks lost five times in succession"
    }

    /// Kills until the count is reached.
    func fight(kills wanted: Int) throws {
        var strokes = 0
        while total < wanted {
            strokes += 1
            if strokes % 4 == 0 { try feed() }
            switch chance.number(0...99) {
            case 0...19: try killWorker()
            case 20...39: try killCommand()
            case 40...57: try killVerb(point: nil)
            case 58...77: try killVerb(point: chance.number(1...16))
            case 78...88: try killConsole(point: nil)
            default: try killConsole(point: chance.number(1...12))
            }
            try mindDoomed()
            if strokes % 10 == 0 { try putInOrder() }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: chance.number(0...300))
        }
    }

    /// Enqueues work from a process that survives.
    private func feed() throws {
        for queue in Self.queues {
            let answer = try place.json(["enqueue", queue, "--jsonl", "-"], input: lines(queue))
            handed.formUnion(answer["ids"]?.array?.compactMap(\.integer) ?? [])
        }
    }

    /// Stops killing until all tasks are done, and dismisses the workers that kill themselves.
    func truce() throws {
        for worker in doomed {
            try worker.signal(.terminate)
            if try worker.answer().exit == .signal(.kill) { count("workers at points") }
        }
        doomed = []
        try place.wait(for: "the last task", seconds: 180, burstMilliseconds: 200) {
            try putInOrder()
            let queues = try place.json(["queues"])["queues"]?.array ?? []
            return queues.allSatisfy {
                $0["counts"]?["waiting"] == 0 && $0["counts"]?["running"] == 0
            }
        }
    }

    /// Dismisses the remaining workers.
    func end() throws { try place.dismiss(team) }

    func tasks(_ queue: String) throws -> [Int64] {
        try place.list([queue, "--state", "succeeded"]).sorted()
    }

    /// Resumes queues that killed processes left paused, and retries tasks lost too often.
    private func putInOrder() throws {
        for queue in try place.json(["queues"])["queues"]?.array ?? [] {
            guard let name = queue["name"]?.string else { continue }
            let isPaused = queue["pauses"]?.array?.isEmpty == false
            if isPaused { try place.json(["resume", name]) }
            if queue["counts"]?["parked"]?.integer ?? 0 > 0 {
                parked += 1
                _ = try place.sluice(["retry", "--filter", "queue:\(name) state:waiting", "--yes"])
            }
            if queue["counts"]?["deleted"]?.integer ?? 0 > 0 {
                let trash = ["--filter", "queue:\(name) state:deleted", "--yes"]
                _ = try place.sluice(["undelete"] + trash)
            }
        }
    }

    private func count(_ kind: String) { kills[kind, default: 0] += 1 }

    private func recruit(_ environment: [String] = []) throws -> RunningProgram {
        try place.start(
            ["work", "--quiet", "--handlers", place.file("handlers.json")],
            environment: environment)
    }

    private func killWorker() throws {
        let index = chance.number(0...(team.count - 1))
        let fallen = team[index]
        try fallen.signal(.kill)
        team[index] = try recruit()
        try fallen.answer()
        count("workers")
    }

    private func mindDoomed() throws {
        let fallen = doomed.filter { !$0.isRunning }
        doomed.removeAll { worker in fallen.contains { $0 === worker } }
        for worker in fallen where try worker.answer().exit == .signal(.kill) {
            count("workers at points")
        }
        while doomed.count < 2 {
            doomed.append(try recruit(["SLUICE_TEST_KILL=\(chance.number(1...60))"]))
        }
    }

    /// Kills the command of a task, as soon as one runs.
    private func killCommand() throws {
        let deadline = Deadline(milliseconds: 500)
        while !deadline.isOver {
            let told = Testimony(String(place.text(Witness.log).suffix(500)))
            let last = told.lines.last { $0.word == "start" }
            if let process = last?.process, place.isOurs(process),
                let start = ProcessIdentity.startTime(of: process),
                try ChildProcess.signalGroup(
                    processID: process, startTime: start, signal: .kill)
            {
                return count("commands of tasks")
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 3)
        }
    }

    private func killVerb(point: Int?) throws {
        let (words, input) = verb()
        let verb = try place.start(
            words, input: input, environment: point.map { ["SLUICE_TEST_KILL=\($0)"] } ?? [])
        if point == nil {
            _ = try Poll.wait(
                fds: [PollInterest(verb.child.pidfd.number)],
                timeoutMilliseconds: chance.number(0...30))
            try verb.signal(.kill)
        }
        let answer = try verb.answer()
        if answer.exit == .signal(.kill) { count(point == nil ? "verbs" : "verbs at points") }
        guard words[0] == "enqueue", answer.code == 0 else { return }
        handed.formUnion(answer.json["ids"]?.array?.compactMap(\.integer) ?? [])
    }

    private func verb() -> (words: [String], input: String) {
        let queue = Self.queues.randomElement(using: &chance) ?? "line"
        let some = ["--filter", "queue:wide state:waiting", "--yes"]
        switch chance.number(0...13) {
        case 0...5: return (["enqueue", queue, "--jsonl", "-", "--json"], lines(queue))
        case 6: return (["pause", queue], "")
        case 7: return (["resume", queue], "")
        case 8: return (["delete"] + some, "")
        case 9: return (["undelete", "--filter", "queue:wide state:deleted", "--yes"], "")
        case 10: return (["retry"] + some, "")
        case 11: return (["pause", queue, "--now", "--for", "200ms"], "")
        default: return (["step", queue, "--handlers", place.file("handlers.json")], "")
        }
    }

    /// Tasks for a queue, each with a unique address and name.
    private func lines(_ queue: String) -> String {
        (0..<chance.number(1...5)).map { _ -> String in
            guard queue == "files" else {
                return #"{"type":"job","payload":{"ms":\#(chance.number(0...60))}}"# + "\n"
            }
            files += 1
            if files % 3 == 0 {
                let url = server.url("/in/\(files)")
                return #"{"type":"send","payload":{"url":"\#(url)","source":"letter"}}"# + "\n"
            }
            let name = "\(files)-\(chance.number(0...400_000))"
            let url = server.url("/out/\(name)")
            return #"{"type":"fetch","payload":{"url":"\#(url)","destination":"\#(name)"}}"# + "\n"
        }.joined()
    }

    /// Keys that a person might press who spoils no order.
    private static let keys: [TerminalKey] =
        [.enter, .escape, .up, .down, .tab] + "jjkkhhllprrssRFFgGT1234567".map { .char($0) }

    private func killConsole(point: Int?) throws {
        let kill = point.map { ["SLUICE_TEST_KILL=\($0)"] } ?? []
        let terminal = try TerminalSession(
            BuiltProgram.path(),
            [place.store, "--theme", "dark", "--handlers", place.file("handlers.json")],
            environment: [
                "SLUICE_TEST_FOLDER=\(place.path)", "SLUICE_USER=tester", "TZ=UTC",
                "XDG_CONFIG_HOME=\(place.path)/config", "XDG_STATE_HOME=\(place.path)/state",
            ] + kill, directory: place.path, columns: 110, rows: 30)
        let deadline = Deadline(milliseconds: chance.number(20...(point == nil ? 150 : 300)))
        while !deadline.isOver, try terminal.exit == nil {
            if let key = Self.keys.randomElement(using: &chance) { try? terminal.key(key) }
            try terminal.settle(quietMilliseconds: chance.number(1...8), timeoutSeconds: 1)
        }
        if try terminal.exit == .signal(.kill) { return count("consoles at points") }
        try terminal.kill(.kill)
        _ = try terminal.waitForExit()
        count("consoles")
    }
}

extension Siege {
    /// Errors in the downloaded files and in the server's uploads.
    func fileFaults() throws -> [String] {
        var faults: [String] = []
        let names = try Files.list(place.file("files"))
        for name in names {
            guard let file = SiegeServer.file(name) else {
                faults.append("\(name) is left over")
                continue
            }
            let bytes = try Files.read(place.file("files/\(name)"), limitBytes: 1 << 20)
            if bytes != file.content { faults.append("\(name) has other bytes") }
        }
        var came = names.count
        var sent: Set<String> = []
        for request in server.requests where request.method == "PUT" { sent.insert(request.path) }
        came += sent.count
        let tasks = try tasks("files").count
        if came < tasks { faults.append("\(came) files came and went for \(tasks) tasks") }
        return faults + server.complaints.filter { !$0.contains("the client left") }
    }

    /// The error of `body` in words.
    static func faults(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return "\(error)" }
    }
}

/// The server of a siege. File names define their content, and it accepts uploads.
enum SiegeServer {
    /// The file of a name such as `12-4000`: its place in the pattern and its length.
    static func file(_ name: String) -> ServedFile? {
        let parts = name.split(separator: "-").map { Int64($0) }
        guard parts.count == 2, let shift = parts[0], let bytes = parts[1] else { return nil }
        var file = ServedFile(bytes: bytes)
        file.shift = shift
        file.tag = "\"\(name)\""
        return file
    }

    /// One of three answers is cut, one of three comes in drops.
    static func start() throws -> ScriptedServer {
        try ScriptedServer { talk in
            let name = talk.request.path.split(separator: "/").last.map(String.init) ?? ""
            guard talk.request.method == "GET", let file = file(name) else {
                _ = try talk.body()
                return try talk.answer(201)
            }
            switch talk.number % 3 {
            case 0: try talk.serve(file)
            case 1: try talk.serve(file, cutAfter: 100_000)
            default:
                guard let start = try talk.begin(file) else { return }
                for place in stride(from: start, to: file.bytes, by: 20_000) {
                    try talk.send(file, place..<min(file.bytes, place + 20_000))
                    _ = try Poll.wait(fds: [], timeoutMilliseconds: 3)
                }
            }
        }
    }
}
