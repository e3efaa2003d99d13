import SluiceModel
import SluiceSystem
import SluiceTestSupport

/// A server, three workers, and a desk with a console, connected by cables. Each reaches only the
/// server, through a separate link. Their clocks differ by up to twenty minutes.
final class Site {
    static let workers = ["ada", "ben", "cleo"]
    static let desk = "desk"
    static let serverPort: UInt16 = 5432
    private static let clocks: [String: Int64] = [
        "ada": 600_000, "ben": -600_000, "cleo": 0, desk: 300_000,
    ]

    let place: Workplace
    let server: PostgresServer
    let links: [String: Link]
    private let machines: [String: Machine]
    private let program: String
    private(set) var running: [String: RunningProgram] = [:]
    /// The output of ended workers.
    private var saidBefore: [String: String] = [:]

    init(seed: UInt64) throws {
        program = try BuiltProgram.path()
        place = try Workplace()
        let hub = try Machine("server", number: 1, in: place)
        server = try PostgresServer(
            at: .init(words: hub.words(onlyNetwork: true), address: hub.address, isDurable: true))
        var (machines, links) = (["server": hub], [String: Link]())
        for (index, name) in (Self.workers + [Self.desk]).enumerated() {
            let machine = try Machine(
                name, number: index + 2, clockMilliseconds: Self.clocks[name] ?? 0, in: place)
            machines[name] = machine
            links[name] = try Link(
                at: machine.near, port: Self.serverPort, to: (hub.address, Self.serverPort),
                seed: seed &+ UInt64(index))
        }
        (self.machines, self.links) = (machines, links)
        try place.write(Beater.text, to: Beater.program, isProgram: true)
        for name in Self.workers { try place.write(handlers("hold-\(name)"), to: "\(name).json") }
        try place.write(handlers("*"), to: "all.json")
    }

    /// Every worker runs jobs, and one additional task type.
    private func handlers(_ type: String) -> String {
        let beater = #"{"command": ["\#(place.file(Beater.program))"]}"#
        return #"{"handlers":{"job":\#(beater),"quick":{"simulate":{}},"\#(type)":\#(beater)}}"#
    }

    func machine(_ name: String) throws -> Machine {
        guard let machine = machines[name] else { throw ManyFailure("there is no \(name)") }
        return machine
    }

    /// The address of the store, as a machine reaches it.
    func address(from name: String) throws -> String {
        "postgres://postgres@\(try machine(name).near):\(Self.serverPort)/postgres"
    }

    func start(
        _ words: [String], on name: String, input: String = "", environment: [String] = []
    ) throws -> RunningProgram {
        let machine = try machine(name)
        let all = machine.words() + [program] + words + ["--store", try address(from: name)]
        return try place.start(
            all[0], Array(all.dropFirst()), input: input,
            environment: machine.environment + environment)
    }

    /// The command and environment of the desk's console.
    func console() throws -> (words: [String], environment: [String]) {
        let machine = try machine(Self.desk)
        return (
            machine.words() + [program, try address(from: Self.desk), "--theme", "dark"],
            machine.environment + ["SLUICE_TEST_FOLDER=\(place.path)", "SLUICE_USER=tester"]
        )
    }

    /// Runs a verb at the desk, or elsewhere, to its end.
    @discardableResult
    func sluice(
        _ words: [String], on name: String = Site.desk, input: String = "",
        environment: [String] = []
    ) throws -> JSONValue {
        let answer = try start(words + ["--json"], on: name, input: input, environment: environment)
            .answer()
        return try place.expecting(0, answer).json
    }

    /// Hands tasks over at the desk in one commit; gives their ids.
    func enqueue(_ queue: String, type: String = "job", payloads: [String]) throws -> [Int64] {
        let lines = payloads.map { #"{"type":"\#(type)","payload":\#($0)}"# + "\n" }.joined()
        let answer = try sluice(["enqueue", queue, "--jsonl", "-"], input: lines)
        return answer["ids"]?.array?.compactMap(\.integer) ?? []
    }

    /// Starts the worker of a machine, which runs all types or jobs and its own.
    func recruit(_ name: String, all: Bool = false, environment: [String] = []) throws {
        if let old = running[name] { saidBefore[name, default: ""] += old.output }
        let file = place.file("\(all ? "all" : name).json")
        running[name] = try start(
            ["work", "--json", "--slots", "64", "--handlers", file], on: name,
            environment: environment)
    }

    /// Asks the worker of a machine to go, and waits until it has.
    func dismiss(_ name: String) throws {
        guard let worker = running[name] else { return }
        try worker.signal(.terminate)
        try place.expecting(0, worker.answer())
    }

    /// The output of a machine's worker.
    func said(by name: String) -> String {
        saidBefore[name, default: ""] + (running[name]?.output ?? "")
    }

    /// The standard error of a machine's running worker.
    func complaints(of name: String) -> String { running[name]?.errors ?? "" }

    /// The handlers' logs so far.
    var judge: Judge {
        Judge(
            Dictionary(uniqueKeysWithValues: Self.workers.map { ($0, place.text("\($0).log")) }))
    }

    /// One number that the store's tables give.
    func number(_ sql: String) throws -> Int64 { Int64(try server.value(of: sql)) ?? -1 }

    /// Waits until something holds, asked ten times a second; false when the time is over.
    func wait(seconds: Int, until condition: () throws -> Bool) throws -> Bool {
        let deadline = Deadline(seconds: seconds)
        while !deadline.isOver {
            if try condition() { return true }
            Site.rest(milliseconds: 100)
        }
        return try condition()
    }

    static func rest(milliseconds: Int) {
        _ = try? Poll.wait(fds: [], timeoutMilliseconds: milliseconds)
    }
}

extension Site {
    /// Waits until `count` tasks of a queue have succeeded.
    func waitForSuccess(of count: Int, in queue: String, seconds: Int) throws -> Bool {
        try wait(seconds: seconds) { try succeeded(in: queue) >= Int64(count) }
    }

    /// How many tasks of a queue have succeeded, by its counters.
    func succeeded(in queue: String) throws -> Int64 {
        try number(
            """
            SELECT coalesce(sum(n), 0) FROM sluice.tally t JOIN sluice.queue q ON q.id = t.queue
            WHERE q.name = '\(queue)' AND t.state = 2
            """)
    }
}
