import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceCommand

/// A store, verbs that chance draws, and what the commands that read say of the store.
final class AnswerWorld {
    /// The answers of the reading commands.
    struct Reads {
        var tasks: [Int64: JSONValue] = [:]
        var queues: [String: JSONValue] = [:]
        var log: [Int64: JSONValue] = [:]
    }

    static let person = "dana"
    private let address: String
    private let handlers: String
    private var chance: SeededChance
    private var check = AnswerFields()
    var compared: Int { check.compared }

    init(at address: String, _ folder: String, seed: Int) throws {
        self.address = address
        handlers = "\(folder)/handlers.json"
        chance = SeededChance(seed: UInt64(seed))
        try Files.writeAtomically(
            Array(
                """
                {"handlers": {"a": {"simulate": {}}, "b": {"simulate": {"fail": 1, "error": "no"}},
                "c": {"simulate": {"outcome": "giveUp", "error": "never"}}}}
                """.utf8), to: handlers)
        for queue in ["q", "r"] {
            _ = run(["enqueue", queue, "a"])
            _ = run(["queue", "set", queue, "--attempts", "2"])
        }
    }

    /// Does one verb, and gives its words, its exit code, and each field that is not so.
    func next() throws -> (words: [String], code: Int32, wrong: [String]) {
        let before = reads()
        let words = words(before)
        let (code, output, errors) = run(words + ["--json"])
        let text = output.isEmpty ? errors : output
        guard let answer = try? JSONValue.parse(text) else { return (words, code, ["no JSON"]) }
        check.begin(before, reads(), words)
        if let error = answer["error"] {
            check.refusal(error)
        } else {
            check.answer(answer) { [self] words in
                (try? JSONValue.parse(run(words).output)) ?? .null
            }
        }
        return (words, code, check.wrong)
    }

    private func reads() -> Reads {
        var reads = Reads()
        func json(_ words: String) -> JSONValue {
            let words = words.split(separator: " ").map(String.init)
            return (try? JSONValue.parse(run(words).output)) ?? .null
        }
        for task in json("list --json --limit 1000 --state all")["tasks"]?.array ?? [] {
            if let id = task["id"]?.integer { reads.tasks[id] = task }
        }
        for queue in json("queues --json")["queues"]?.array ?? [] {
            if let name = queue["name"]?.string { reads.queues[name] = queue }
        }
        for event in json("log --json -n 400")["events"]?.array ?? [] {
            if let sequence = event["sequence"]?.integer { reads.log[sequence] = event }
        }
        return reads
    }

    private func words(_ reads: Reads) -> [String] {
        let all = reads.tasks.keys.sorted()
        func some() -> [String] {
            let count = chance.number(1...3)
            let ids = (0..<count).compactMap { _ in all.randomElement(using: &chance) }
            return Set(ids + (chance.number(0...9) == 0 ? [9999] : [])).sorted().map { "\($0)" }
        }
        func one() -> String { some()[0] }
        let queue = chance.number(0...2) > 0 ? "q" : "r"
        let type = ["a", "b", "c"].randomElement(using: &chance) ?? "a"
        switch chance.number(0...37) {
        case 0, 1: return ["enqueue", queue, type, "{\"n\":\(chance.number(0...9))}"]
        case 2: return ["enqueue", queue, type, "--unique", "k", "--label", "l"]
        case 3: return ["enqueue", queue, type, "--not-before", "+1h", "--priority", "3"]
        case 4: return ["pause", queue, "--reason", "looking"]
        case 5: return ["pause", queue, "--for", "1h"]
        case 6: return ["pause", "--all"]
        case 7, 8: return ["resume", queue]
        case 9, 10: return ["resume", "--all"]
        case 11...15: return ["step", queue, "--handlers", handlers]
        case 16: return ["skip"] + some()
        case 17: return ["unskip"] + some()
        case 18: return ["delete"] + some()
        case 19: return ["undelete"] + some()
        case 20: return ["retry"] + some()
        case 21: return ["postpone", one(), "+\(chance.number(1...9))h"]
        case 22: return ["priority", one(), "\(chance.number(-5...5))"]
        case 23: return ["move", one(), chance.number(0...1) == 0 ? "--first" : "--last"]
        case 24: return ["move", one(), "--queue", queue]
        case 25: return ["edit", one(), "--set", "label=l\(chance.number(0...9))"]
        case 26: return ["duplicate", one()]
        case 27, 28: return ["undo"]
        case 29: return ["redo"]
        case 30: return ["queue", "set", queue, "--concurrency", "\(chance.number(1...4))"]
        case 31: return ["break", "type:\(type)"]
        case 32: return ["break", "remove", "--all"]
        case 33: return ["fault", "type:\(type)", "fail"]
        case 34: return ["schedule", "set", "s\(chance.number(0...2))", "@hourly", queue, type]
        case 35: return ["checkpoint", "c\(chance.number(0...3))"]
        case 36: return ["purge", "--filter", "state:deleted", "--yes"]
        default: return ["delete", "--filter", "type:\(type)", "--yes"]
        }
    }

    private func run(_ words: [String]) -> (code: Int32, output: String, errors: String) {
        let written = Protected<(output: String, errors: String)>(("", ""))
        let variables = ["SLUICE_USER": Self.person, "LANG": "C.UTF-8", "SLUICE_STORE": address]
        var host = Host.machine
        host.environment = { variables[$0] }
        host.isTerminal = { false }
        host.canAsk = { false }
        host.write = { text, output in
            written.withLock {
                if output == .output { $0.output += text } else { $0.errors += text }
            }
        }
        let code = Program(host: host).run(words)
        return (code.rawValue, written.withLock { $0.output }, written.withLock { $0.errors })
    }
}
