import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

/// Content that a system's own library wrote, from a file of `Fixtures`, which `make.py` there
/// makes.
struct Fixture {
    /// Texts of a scenario, and the texts that replace them: ids, and names of queues.
    typealias Names = KeyValuePairs<String, String>

    private static let folder = String(#filePath.dropLast("Fixture.swift".count)) + "Fixtures"

    /// A server ends with its value, and a test may use its connection longer than its fixture.
    private static let kept = Protected<[RedisServer]>([])

    let server: RedisServer
    let redis: RedisConnection

    /// The parsed files, by system and scenario.
    private static let read = Protected<[String: [String: [RedisCommand]]]>([:])

    /// A server with one scenario of a system.
    init(
        _ system: String, _ scenario: String, _ names: Names = [:], options: [String] = []
    ) throws {
        server = try RedisServer(options: options)
        redis = try server.connect()
        Self.kept.withLock { [server] in $0.append(server) }
        try Self.play(system, scenario, names, at: redis)
    }

    /// Writes a scenario to a server that may hold others.
    static func play(
        _ system: String, _ scenario: String, _ names: Names = [:], at redis: RedisConnection
    ) throws {
        try play(commands(system, scenario, names), at: redis)
    }

    /// Tasks that arrive in the queue `mail`, as the library of the system sends each of them.
    static func send(
        _ system: String, _ ids: [String], queue: String = "mail", to redis: RedisConnection
    ) throws {
        try send(system, ids, queue: Array(queue.utf8), to: redis)
    }

    /// The same in a queue whose name is any bytes.
    static func send(
        _ system: String, _ ids: [String], queue: [UInt8], to redis: RedisConnection
    ) throws {
        for part in stride(from: 0, to: ids.count, by: 500) {
            let commands = try ids[part..<min(part + 500, ids.count)].flatMap {
                try Self.commands(system, "send", ["sent-job": $0])
            }
            try play(commands.map { $0.replacing(Array("mail".utf8), with: queue) }, at: redis)
        }
    }

    /// The keys of another program, one for each of these names.
    static func others(_ count: Int, at redis: RedisConnection) throws {
        try redis.call(
            "EVAL", "for n = 1, ARGV[1] do redis.call('SET', 'other:' .. n, n) end", 0, count)
    }

    /// Runs commands of a scenario, some of them left out or damaged.
    static func play(_ commands: [RedisCommand], at redis: RedisConnection) throws {
        for answer in try redis.pipeline(commands) { _ = try answer.accepted() }
    }

    /// The task that `send` sends, as its list has it.
    static func sent(_ system: String, _ id: String, _ names: Names = [:]) throws -> [UInt8] {
        let commands = try commands(system, "send", ["sent-job": id]).map { $0.named(names) }
        let push = commands.last { String(decoding: $0.words[0], as: UTF8.self).hasSuffix("PUSH") }
        return try #require(push?.words.last)
    }

    static func text(_ name: String) throws -> String {
        String(
            decoding: try Files.read("\(folder)/\(name)", limitBytes: 8 << 20), as: UTF8.self)
    }

    /// The content of a key in a scenario: the fields and values of a hash, or the elements of a
    /// list.
    static func content(_ system: String, _ scenario: String, of key: String) throws -> [[UInt8]] {
        let made = try commands(system, scenario).last { $0.words[1] == Array(key.utf8) }
        return Array(try #require(made).words.dropFirst(2))
    }

    static func commands(
        _ system: String, _ scenario: String, _ names: Names = [:]
    ) throws -> [RedisCommand] {
        let known = try read.withLock { read in
            if let known = read[system] { return known }
            let parsed = try parsed(text("\(system).jsonl"))
            read[system] = parsed
            return parsed
        }
        let commands = try #require(known[scenario], "\(system) has no scenario \(scenario)")
        return names.isEmpty ? commands : commands.map { $0.named(names) }
    }

    /// The names of the scenarios of a file.
    static func scenarios(_ system: String) throws -> [String] {
        try parsed(text("\(system).jsonl")).keys.sorted()
    }

    private static func parsed(_ text: String) throws -> [String: [RedisCommand]] {
        var all: [String: [RedisCommand]] = [:]
        var scenario = ""
        for line in text.split(separator: "\n") {
            let value = try JSONValue.parse(Array(line.utf8))
            guard let words = value.array else {
                scenario = value["scenario"]?.string ?? ""
                continue
            }
            let bytes = words.map { $0.string.map { Array($0.utf8) } ?? packed($0) }
            all[scenario, default: []].append(
                RedisCommand(words[0].string ?? "", words: Array(bytes.dropFirst())))
        }
        return all
    }

    /// A file of a SqliteHuey, with the content that its own library wrote.
    static func hueyFile(
        in folder: String, _ name: String = "huey-sqlite.sql"
    ) throws -> SQLiteFile {
        let path = "\(folder)/huey.db"
        try Files.writeAtomically([], to: path)
        let file = try SQLiteFile(path: path)
        for statement in try text(name).split(separator: ";\n") {
            let lines = statement.split(separator: "\n").filter { !$0.hasPrefix("--") }
            let words = lines.joined(separator: "\n")
            if words.hasPrefix("CREATE") || words.hasPrefix("INSERT") { try file.rows(words) }
        }
        return file
    }

    /// run(7, 'a', k=[1]) with two retries, as huey writes it.
    static func hueyMessage() throws -> [UInt8] {
        try #require(try content("huey", "message", of: "huey.redis.ship").first)
    }

    private static func packed(_ word: JSONValue) -> [UInt8] {
        word["base64"]?.string.flatMap(Base64.decode) ?? []
    }

    /// The scenario's system, on a new connection.
    func system<System: RedisSystem>(_ type: System.Type) throws -> System {
        System(try server.connect(), KeeperLauncher { _, _ in })
    }

    /// The names of the recognised systems.
    func recognised() throws -> [String] {
        try RedisSystems.recognise(server.connect(), as: nil, KeeperLauncher { _, _ in })
            .map(\.name)
    }
}

extension RedisCommand {
    /// The command with other names in its words.
    func named(_ names: Fixture.Names) -> RedisCommand {
        var command = self
        for (old, new) in names where old != new {
            command = command.replacing(Array(old.utf8), with: Array(new.utf8))
        }
        return command
    }

    func replacing(_ old: [UInt8], with new: [UInt8]) -> RedisCommand {
        var command = self
        command.words = words.map { $0.replacing(old, with: new) }
        return command
    }

    func isOf(_ key: String) -> Bool { words.count > 1 && words[1] == Array(key.utf8) }

    /// The command with the first byte alone of one field's value.
    func cutting(_ field: String) -> RedisCommand {
        var command = self
        guard let place = words.firstIndex(of: Array(field.utf8)), place + 1 < words.count else {
            return self
        }
        command.words[place + 1] = Array(words[place + 1].prefix(1))
        return command
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
