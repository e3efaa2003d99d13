import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

@testable import SluiceCommand

/// The program with a store in memory, a stopped clock and captured streams.
struct Bench: Sendable {
    /// The output and exit code of a command.
    struct Outcome: Equatable, Sendable {
        var exit: ExitCode
        var output: String
        var errors: String

        var json: JSONValue { (try? JSONValue.parse(output)) ?? .null }
        var errorCode: String? {
            (try? JSONValue.parse(errors))?["error"]?["code"]?.string
        }
    }

    static let start = Timestamp(milliseconds: 1_800_000_000_000)
    let store: MemoryStore
    let clock = Protected(Self.start)
    /// The milliseconds that the clock advances at each read.
    var tick: Int64 = 0
    var input = ""
    var files: [String: String] = [:]
    var environment: [String: String] = ["SLUICE_USER": "dana"]
    var answers: [String]?
    /// Errors for the first attempts to open the store.
    let refusals = Protected<[QueueError]>([])
    /// The version of the tables that the next opening changes.
    let upgraded = Protected<Int?>(nil)
    /// The error for writes to standard output; `nil` allows them.
    let refusedOutput = Protected<SystemError?>(nil)
    /// The width of the terminal; `nil` for a pipe.
    var columns: Int?
    /// Stop a bulk before the task at this index.
    var stopsAt: Int?
    /// Called when a client begins to follow a bulk.
    var atFollowing: @Sendable () -> Void = {}

    /// A program at a store of that identity.
    init(_ identity: String = "memory") {
        store = MemoryStore(name: "memory", identity: identity)
    }

    /// Runs one command, its words separated by blanks.
    func callAsFunction(_ line: String) -> Outcome {
        run(line.split(separator: " ").map(String.init))
    }

    func run(_ words: [String]) -> Outcome { run(words.map { Word($0) }) }

    /// Runs one command whose words are any bytes.
    func run(_ words: [Word]) -> Outcome {
        let written = Protected<(output: String, errors: String)>(("", ""))
        let code = Program(host: host(written)).run(words)
        let texts = written.withLock { $0 }
        return Outcome(exit: code, output: texts.output, errors: texts.errors)
    }

    /// The reply of a command that a person types in a console.
    func reply(inConsole line: String) -> Reply {
        var host = host
        host.isConfirmedOnScreen = true
        return Program(host: host).outcome(of: line.split(separator: " ").map(String.init)).reply
    }

    /// Every value of the store that a command could change, for `nothing changed`.
    func contents() throws -> String {
        try store.readBlocking { reader in
            let queues = try reader.queues()
            let tasks = try queues.flatMap { queue in
                try TaskState.Name.allCases.flatMap {
                    try reader.tasks(
                        matching: TaskQuery(queue: queue.name, state: $0, limit: 1000))
                }
            }
            return "\(queues) \(tasks) \(try reader.storeRecord()) "
                + "\(try reader.journal(JournalQuery(limit: 1000)))"
        }
    }

    /// The machine of a command without output.
    var host: Host { host(Protected(("", ""))) }

    private func host(_ written: Protected<(output: String, errors: String)>) -> Host {
        let (store, clock, input, files, variables) = (store, clock, input, files, environment)
        let waiting = Protected(answers ?? [])
        let canAsk = answers != nil
        let (stopsAt, refusals, tick, columns) = (stopsAt, refusals, tick, columns)
        let (atFollowing, refusedOutput) = (atFollowing, refusedOutput)
        let upgraded = upgraded
        let now: @Sendable () -> Timestamp = {
            clock.withLock { moment in
                defer { moment = moment + tick }
                return moment
            }
        }
        return Host(
            environment: { variables[$0] }, user: { "user@host" }, isTerminal: { false },
            canAsk: { canAsk }, columns: { columns }, now: now, chance: { 0.5 },
            write: { text, output in
                if output == .output, let error = refusedOutput.withLock({ $0 }) { throw error }
                written.withLock {
                    if output == .output { $0.output += text } else { $0.errors += text }
                }
            },
            read: { source, limit in
                switch source {
                case .bytes(let bytes): return bytes
                case .standardInput: return Array(input.utf8)
                case .file(let path):
                    guard let text = files[path] else {
                        throw QueueError(.denied, "cannot read \(path): no such file")
                    }
                    return Array(text.utf8)
                }
            },
            readLine: { waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() } },
            open: { place, access in
                let refusal = refusals.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                if let refusal { throw refusal }
                guard case .sqlite(let path) = place, !Files.exists(path) else {
                    return try place.open(access, now: now)
                }
                guard !access.isReadOnly else { return store.readOnly() }
                let version = upgraded.withLock { version in
                    defer { version = nil }
                    return version
                }
                return OpenStore(store, upgradedFrom: version)
            },
            follow: { _ in
                atFollowing()
                return BulkFollowing(watch: { $0.done == stopsAt ? .stop : .goOn })
            })
    }
}
