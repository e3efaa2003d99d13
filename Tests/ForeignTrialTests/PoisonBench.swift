import SluiceModel
import SluicePlatform
import Testing

@testable import SluiceCommand

/// Runs the commands that read at one store, and looks at all that they write.
struct PoisonBench {
    /// How many outputs were read, and how many of them show the text.
    struct Tally {
        var outputs = 0
        var shown = 0
        var stores = 0

        static func += (one: inout Tally, other: Tally) {
            one.outputs += other.outputs
            one.shown += other.shown
            one.stores += other.stores
        }
    }

    private static let reading: [[String]] = [
        ["queues"], ["list", "--limit", "20"], ["failures"], ["timers"], ["runners"], ["log"],
        ["stats"], ["expect", "count(state:waiting,failed,running,succeeded) == 99"],
        ["expect", "count(state:failed) == 99"], ["report", "--filter", "state:failed"],
        ["list", "--filter", "text~owned"], ["doctor"], ["forecast"], ["groups"],
    ]
    private static let ofQueue: [[String]] = [
        ["list"], ["pause", "--dry-run"], ["step", "--no"], ["expect"], ["stats"], ["forecast"],
    ]
    private static let ofTask: [[String]] = [
        ["show"], ["why"], ["report"], ["skip", "--dry-run"], ["retry", "--dry-run"],
        ["edit", "--set", "x"],
    ]

    let address: String
    let system: String?

    /// Everything that is read of a store; `place` names it where something is wrong.
    func read(_ place: String) -> Tally {
        var tally = Tally(stores: 1)
        for words in Self.reading {
            for isJSON in [false, true] { look(words, isJSON, place, &tally) }
        }
        let queues = json(["queues"])["queues"]?.array?.compactMap { $0["name"]?.string } ?? []
        let listed = json(["list", "--limit", "20"])["tasks"]?.array ?? []
        let failed = json(["list", "--filter", "state:failed"])["tasks"]?.array ?? []
        let ids = (listed.prefix(3) + failed.prefix(2)).compactMap { $0["id"]?.string }
        for name in queues.prefix(3) {
            for words in Self.ofQueue {
                let name = words[0] == "expect" ? "empty(\"\(name)\")" : name
                look([words[0], name] + words.dropFirst(), false, place, &tally)
            }
        }
        for id in ids {
            for words in Self.ofTask {
                for isJSON in [false, true] where !isJSON || words[0] != "report" {
                    look([words[0], id] + words.dropFirst(), isJSON, place, &tally)
                }
            }
        }
        return tally
    }

    private func look(
        _ words: [String], _ isJSON: Bool, _ place: String, _ tally: inout Tally
    ) {
        let (output, errors) = run(words + (isJSON ? ["--json"] : []))
        for text in [output, errors] where !text.isEmpty {
            let raw = Poison.raw(text, isJSON: isJSON)
            #expect(raw.isEmpty, "\(place): \(words), JSON \(isJSON): \(raw)")
            tally.outputs += 1
            if text.contains("owned") { tally.shown += 1 }
        }
    }

    private func json(_ words: [String]) -> JSONValue {
        (try? JSONValue.parse(run(words + ["--json"]).output)) ?? .null
    }

    private func run(_ words: [String]) -> (output: String, errors: String) {
        let written = Protected<(output: String, errors: String)>(("", ""))
        let variables = [
            "SLUICE_USER": "dana", "LANG": "C.UTF-8", "SLUICE_STORE": address, "HOME": "/nowhere",
        ]
        var host = Host.machine
        host.environment = { variables[$0] }
        host.isTerminal = { false }
        host.canAsk = { false }
        host.write = { text, output in
            written.withLock {
                if output == .output { $0.output += text } else { $0.errors += text }
            }
        }
        _ = Program(host: host).run(words + (system.map { ["--as", $0] } ?? []))
        return written.withLock { $0 }
    }
}
