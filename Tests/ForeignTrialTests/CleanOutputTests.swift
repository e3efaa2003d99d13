import SluiceModel
import SluicePlatform
import SluicePostgresHarness
import SluiceRedisClient
import SluiceRedisHarness
import Testing

/// Each text that another system keeps steers a terminal, one place after the other; no command
/// writes it as it is.
@Suite("Output of other systems without control characters")
struct CleanOutputTests {
    private static let tests = String(
        #filePath.dropLast("/ForeignTrialTests/CleanOutputTests.swift".count))

    /// What a system's own library wrote, as commands of Redis.
    struct Scenario: Sendable, CustomTestStringConvertible {
        var system: String
        var name: String
        var commands: [[[UInt8]]]
        var testDescription: String { "\(system), \(name)" }
    }

    private static let scenarios: [[Scenario]] = [
        "arq", "bullmq", "celery", "dramatiq", "huey", "rq", "saq", "sidekiq",
    ].map { (try? scenarios(of: $0)) ?? [] }

    private static func scenarios(of system: String) throws -> [Scenario] {
        let path = "\(tests)/ForeignQueuesTests/Fixtures/\(system).jsonl"
        var all: [Scenario] = []
        for line in try Files.read(path, limitBytes: 8 << 20).split(separator: UInt8(ascii: "\n")) {
            let value = try JSONValue.parse(Array(line))
            if let name = value["scenario"]?.string {
                all.append(Scenario(system: system, name: name, commands: []))
            }
            guard let words = value.array, !all.isEmpty else { continue }
            all[all.count - 1].commands.append(
                words.map { word in
                    word.string.map { Array($0.utf8) }
                        ?? word["base64"]?.string.flatMap(Base64.decode) ?? []
                })
        }
        return all
    }

    /// What a word is: the field of a hash, or the command and its key without the names in it.
    private static func kind(_ command: [[UInt8]], _ place: Int) -> String {
        let text = command.map { String(decoding: $0, as: UTF8.self) }
        let key = text[1].split(separator: ":").prefix(2).joined(separator: ":")
        let isField = text[0] == "HSET" && place % 2 == 1
        return isField ? "\(text[0]) \(key) \(text[place - 1])" : "\(text[0]) \(key)"
    }

    /// The places of texts, by what they are, and names that keys have.
    private static func places(_ scenario: Scenario) -> (kinds: Set<[String]>, names: Set<String>) {
        var (kinds, names): (Set<[String]>, Set<String>) = ([], [])
        let keys = scenario.commands.map { String(decoding: $0[1], as: UTF8.self) }
        for command in scenario.commands {
            for place in command.indices.dropFirst(2) {
                let isName = command[0] == Array("HSET".utf8) && place % 2 == 0
                for path in Poison.paths(command[place]) where !isName {
                    kinds.insert([kind(command, place), path])
                }
                let text = String(decoding: command[place], as: UTF8.self)
                let isPart = keys.contains { $0.split(separator: ":").contains(Substring(text)) }
                if text.count > 2, isPart { names.insert(text) }
            }
        }
        for key in keys {
            names.formUnion(key.split(separator: ":").dropFirst().map(String.init))
        }
        return (kinds, names.filter { $0.count > 2 && Int($0) == nil })
    }

    @Test(
        "D3 K11 each text in Redis is made harmless wherever a command shows it",
        .enabled(if: RedisServer.isInstalled), arguments: scenarios)
    func redis(_ all: [Scenario]) throws {
        try #require(!all.isEmpty)
        let server = try RedisServer()
        let redis = try server.connect()
        var tally = PoisonBench.Tally()
        var known: Set<[String]> = []
        func read(_ place: String, _ system: String, _ commands: [[[UInt8]]]) throws {
            try redis.call("FLUSHALL")
            _ = try redis.pipeline(
                commands.map {
                    RedisCommand(
                        String(decoding: $0[0], as: UTF8.self), words: Array($0.dropFirst()))
                })
            tally += PoisonBench(address: server.address(), system: system).read(place)
        }
        for scenario in all {
            let (kinds, names) = Self.places(scenario)
            for kind in kinds.subtracting(known).sorted(by: { $0.joined() < $1.joined() }) {
                let commands = scenario.commands.map { command in
                    command.indices.map { place in
                        guard place > 1, Self.kind(command, place) == kind[0] else {
                            return command[place]
                        }
                        return Poison.word(command[place], at: kind[1]) ?? command[place]
                    }
                }
                try read("\(scenario.testDescription) \(kind)", scenario.system, commands)
            }
            for name in names.sorted() where known.insert(["name", name]).inserted {
                let commands = scenario.commands.map { command in
                    [command[0]] + command.dropFirst().map { Poison.renamed($0, name) }
                }
                try read("\(scenario.testDescription) \(name)", scenario.system, commands)
            }
            known.formUnion(kinds)
        }
        print("clean output: \(all[0].system), \(tally)")
        #expect(tally.shown > 100, "\(tally)")
    }
}
