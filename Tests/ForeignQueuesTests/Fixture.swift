import SluiceModel
import SluicePlatform
import SluiceRedisClient
import SluiceRedisHarness
import SluiceSQLiteClient
import Testing

@testable import SluiceForeignQueues

/// What a system's own library wrote, out of a file of `Fixtures`, which `make.py` there makes.
struct Fixture {
    private static let folder = String(#filePath.dropLast("Fixture.swift".count)) + "Fixtures"

    /// A server ends with its value, and a test may use its connection longer than its fixture.
    private static let kept = Protected<[RedisServer]>([])

    let server: RedisServer
    let redis: RedisConnection

    /// A server with one scenario of a system.
    init(_ system: String, _ scenario: String, options: [String] = []) throws {
        server = try RedisServer(options: options)
        redis = try server.connect()
        Self.kept.withLock { [server] in $0.append(server) }
        let commands = try Self.commands(system, scenario)
        try #require(!commands.isEmpty, "\(system) has no scenario \(scenario)")
        for answer in try redis.pipeline(commands) { _ = try answer.accepted() }
    }

    static func text(_ name: String) throws -> String {
        String(
            decoding: try Files.read("\(folder)/\(name)", limitBytes: 8 << 20), as: UTF8.self)
    }

    /// What a key of a scenario is made with: the fields and values of a hash, or the elements of a
    /// list.
    static func content(_ system: String, _ scenario: String, of key: String) throws -> [[UInt8]] {
        let made = try commands(system, scenario).first { $0.words[1] == Array(key.utf8) }
        return Array(try #require(made).words.dropFirst(2))
    }

    private static func commands(_ system: String, _ scenario: String) throws -> [RedisCommand] {
        var commands: [RedisCommand] = []
        var isWanted = false
        for line in try text("\(system).jsonl").split(separator: "\n") {
            let value = try JSONValue.parse(Array(line.utf8))
            guard let words = value.array else {
                isWanted = value["scenario"]?.string == scenario
                continue
            }
            if isWanted {
                let bytes = words.map { $0.string.map { Array($0.utf8) } ?? packed($0) }
                commands.append(
                    RedisCommand(words[0].string ?? "", words: Array(bytes.dropFirst())))
            }
        }
        return commands
    }

    /// A file of a SqliteHuey, with what its own library wrote.
    static func hueyFile(in folder: String) throws -> SQLiteFile {
        let path = "\(folder)/huey.db"
        try Files.writeAtomically([], to: path)
        let file = try SQLiteFile(path: path)
        for statement in try text("huey-sqlite.sql").split(separator: ";\n") {
            let lines = statement.split(separator: "\n").filter { !$0.hasPrefix("--") }
            let words = lines.joined(separator: "\n")
            if words.hasPrefix("CREATE") || words.hasPrefix("INSERT") { try file.rows(words) }
        }
        return file
    }

    private static func packed(_ word: JSONValue) -> [UInt8] {
        word["base64"]?.string.flatMap(Base64.decode) ?? []
    }

    /// The system of the scenario, by a connection of its own.
    func system<System: RedisSystem>(_ type: System.Type) throws -> System {
        System(try server.connect(), KeeperLauncher { _, _ in })
    }

    /// The names of the systems that are seen there.
    func recognised() throws -> [String] {
        try RedisSystems.recognise(server.connect(), as: nil, KeeperLauncher { _, _ in })
            .map(\.name)
    }
}

extension ForeignSystem {
    /// Each task of a queue as `id word`.
    func shown(_ queue: String, _ state: TaskState.Name? = nil) throws -> [String] {
        try page(ForeignQuery(queue: queue, state: state)).tasks.map {
            "\($0.reference) \($0.display.word)"
        }
    }

    /// The words of `why`.
    func why(_ reference: String, at now: Timestamp = Timestamp(milliseconds: 1)) throws -> [String]
    {
        try blockers(of: require(reference), now: now).map(\.text)
    }
}
