package import SluiceModel
import SluiceSystem

/// A store of queues of one or several other systems, recognised by their keys and tables.
package final class ForeignStore {
    /// Its address, without secrets.
    package let name: String
    /// The recognised systems, or the requested one.
    package let systems: [any ForeignSystem]

    init(name: String, systems: [any ForeignSystem]) {
        self.name = name
        self.systems = systems
    }

    /// The names that `--as` takes.
    package static let systemNames =
        RedisSystems.names + [RabbitSystem.systemName] + JobTable.all.map(\.name)
        + RowTable.all.map(\.name).filter { !RedisSystems.names.contains($0) }

    /// Whether an address can only be such a store's.
    package static func isForeign(_ address: String) -> Bool {
        RedisAddress.isAddress(address) || RabbitAddress.isAddress(address)
            || isPostgres(address) && PostgresSettings.withoutSchema(address).schema != nil
            || address.hasPrefix(filePrefix) || MariaDBAddress.isAddress(address)
    }

    /// The address of such a store without its password.
    package static func shownName(_ address: String) -> String {
        if RedisAddress.isAddress(address) { return (try? RedisAddress(address))?.name ?? "redis" }
        if RabbitAddress.isAddress(address) { return (try? RabbitAddress(address))?.name ?? "amqp" }
        if MariaDBAddress.isAddress(address) {
            return (try? MariaDBAddress(address))?.name ?? "mysql"
        }
        return isPostgres(address) ? PostgresSettings.withoutSecrets(address) : address
    }

    /// The optional prefix of a path to an SQLite file.
    static let filePrefix = "sqlite:"

    private static func isPostgres(_ address: String) -> Bool {
        address.hasPrefix("postgres://") || address.hasPrefix("postgresql://")
    }

    /// Opens the store at an address. `system` names the system; `nil` detects it.
    package static func open(
        _ address: String, as system: String?, keepers: KeeperLauncher
    ) throws(QueueError) -> ForeignStore {
        switch try find(address, as: system, keepers: keepers) {
        case .store(let store): return store
        case .unfit(let error), .nothing(let error): throw error
        }
    }

    /// The same, where another answer is possible than an error.
    package static func find(
        _ address: String, as system: String?, keepers: KeeperLauncher
    ) throws(QueueError) -> Finding {
        if let system, !systemNames.contains(system) {
            throw QueueError(
                .badValue, "--as: \"\(system)\" is not allowed",
                fix: "allowed: \(systemNames.joined(separator: ", "))")
        }
        return try during(shownName(address)) {
            let name = shownName(address)
            if RedisAddress.isAddress(address) {
                let redis = try RedisConnection(try RedisAddress(address))
                let found = try RedisSystems.recognise(redis, as: system, keepers)
                return .store(ForeignStore(name: name, systems: found))
            }
            if RabbitAddress.isAddress(address) {
                guard system == nil || system == RabbitSystem.systemName else {
                    throw nothing(name, [system ?? ""])
                }
                let management = RabbitManagement(try RabbitAddress(address))
                let system = try RabbitSystem(management, keepers)
                return .store(ForeignStore(name: name, systems: [system]))
            }
            let rows = RowTable.all.map(\.name)
            if MariaDBAddress.isAddress(address) {
                let found = try Self.rows(try MariaDBAddress(address), as: system)
                return found.finding(name, rows)
            }
            if isPostgres(address) {
                let found = try tables(address, as: system)
                return found.finding(name, JobTable.all.map(\.name) + rows)
            }
            return try file(address, as: system).finding(name, [HueyFile.systemName] + rows)
        }
    }

    /// Asks the systems; what the server did not do is an error in this program's words.
    package func ask<Value>(
        _ body: (ForeignStore) throws -> Value
    ) throws(QueueError) -> Value {
        try Self.during(name) { try body(self) }
    }

    private static func during<Value>(
        _ name: String, _ body: () throws -> Value
    ) throws(QueueError) -> Value {
        do {
            return try body()
        } catch let error as QueueError {
            throw error
        } catch let error as RedisError {
            throw QueueError(error, name)
        } catch let error as AMQPError {
            throw QueueError(error, name)
        } catch let error as PostgresError {
            throw QueueError(error, name)
        } catch let error as MariaDBError {
            throw QueueError(error, name)
        } catch let error as SQLiteError {
            throw QueueError(error, name)
        } catch {
            throw QueueError(.denied, "\(name): \(error)")
        }
    }

    package func queues() throws -> [ForeignQueue] { try systems.flatMap { try $0.queues() } }

    /// Holds a queue in this process until its hold ends: for the process that was started for it.
    package func keep(_ queue: String) throws {
        guard let system = systems.first as? any QueueKeeping else { return }
        try system.keep(queue)
    }
}

extension QueueError {
    /// No queue of that name, where another program makes queues.
    package static func unknownForeignQueue(_ name: String, known: [String] = []) -> QueueError {
        var error = unknownQueue(name, known: known)
        if known.isEmpty { error.fix = "its own app makes one with the first task of it" }
        return error
    }

    /// The error for a change that can no longer be undone.
    static func undoneTooLate(_ verb: String, _ task: String) -> QueueError {
        QueueError(
            .changed, "\(verb) of task \(task) is not undone: it is not where it was then",
            fix: "look at it: sluice \(ShellWord.command("show", task)); the next undo is of the "
                + "change before")
    }

    static func heldAlready(_ queue: String) -> QueueError {
        .notLegal(
            "\(queue) is held already",
            fix: "sluice \(ShellWord.command("resume", queue)) ends that")
    }

    static func notHeld(_ queue: String) -> QueueError {
        .notLegal("\(queue) is not held", fix: "sluice queues shows the held ones")
    }

    /// A step in a queue that nothing holds.
    static func notHeldYet(_ queue: String) -> QueueError {
        .notLegal(
            "\(queue) is not held", fix: "sluice \(ShellWord.command("pause", queue)) first")
    }

    static func notHeldAnyMore(_ task: ForeignTask) -> QueueError {
        QueueError(
            .changed, "task \(task.reference) is not held any more",
            fix: "look at it again and repeat the verb")
    }

    static func nobodyTook(_ task: ForeignTask) -> QueueError {
        .notLegal(
            "no worker of \(task.queue) took \(task.reference); it waits in its place",
            fix: "sluice workers shows who serves it")
    }

    /// Maps a Redis error to this program's words.
    init(_ error: RedisError, _ name: String) {
        switch error.origin {
        case .address:
            self.init(
                .badValue, "the address of the store: \(error.message)",
                fix: "redis://[user[:password]@]host[:port][/database], or unix:///path")
        case .library:
            self.init(
                .notAStore, "\(name): \(error.message)",
                fix: "install it and try again")
        case .connecting, .lost, .refused("LOADING"):
            self.init(
                .serverGone, "\(name): \(error.message)", fix: "check the server and try again")
        case .refused("MOVED"), .refused("ASK"), .refused("TRYAGAIN"), .refused("CLUSTERDOWN"):
            self.init(
                .serverGone,
                "\(name): the cluster is moving its keys, or is down: \(error.message)",
                fix: "try again")
        case .refused(let word):
            let isRight = ["NOPERM", "NOAUTH", "WRONGPASS"].contains(word)
            self.init(
                .denied, "\(name): the server refused: \(error.message)",
                fix: isRight ? "use an account that may do it" : "")
        case .unexpected:
            self.init(.notAStore, "\(name): \(error.message)", fix: "check the address")
        }
    }
}

protocol RedisSystem: ForeignSystem {
    /// The name that `--as` takes.
    static var systemName: String { get }
    /// The commands that detect a system by a key with a fixed name.
    static var probes: [RedisCommand] { get }
    static func isKnown(by answers: [RedisValue]) -> Bool
    /// Whether all keys of a queue can lie in one slot of a cluster, as its own workers need it.
    static var staysInOneSlot: Bool { get }
    /// Whether the key names of a database belong to this system.
    static func isSeen(_ redis: RedisConnection) throws -> Bool
    /// How those names begin and end.
    static var shapes: [KeySurvey.Shape] { get }
    /// How it is seen under a prefix that is not read; `nil` if its apps choose none.
    static var appPrefix: AppPrefix? { get }
    /// The connection and its caches.
    var session: RedisSession { get }
    init(_ session: RedisSession)
    /// The steps of a verb on a task.
    func steps(of change: ForeignChange, on detail: ForeignDetail) throws -> RedisSteps
    /// The lists of a queue that guards hold, the most urgent one first; none without guards.
    func workLists(of queue: String) -> [WorkList]
}

/// The parts that a Redis system works with.
struct RedisSession {
    /// The connection that reads and changes.
    let redis: RedisConnection
    /// Starts the processes that hold queues, for systems that need one.
    let keepers: KeeperLauncher
    /// The list elements that were read last.
    let seen = SeenElements()
}

/// A change, and what follows from it.
typealias RedisSteps = (change: RedisChange, consequences: [String])

extension RedisSystem {
    static var probes: [RedisCommand] { [] }
    static func isKnown(by answers: [RedisValue]) -> Bool { false }
    static func isSeen(_ redis: RedisConnection) throws -> Bool { false }
    static var shapes: [KeySurvey.Shape] { [] }
    static var staysInOneSlot: Bool { false }
    static var appPrefix: AppPrefix? { nil }
    func workLists(of queue: String) -> [WorkList] { [] }

    /// The system of a database; `keepers` start what holds its queues, where something does.
    init(_ redis: RedisConnection, _ keepers: KeeperLauncher) {
        self.init(RedisSession(redis: redis, keepers: keepers))
    }

    package var name: String { Self.systemName }

    var redis: RedisConnection { session.redis }

    /// Its server says it.
    package func stamp() throws -> String? { try redis.stamp() }

    package func change(
        _ reference: String, _ change: ForeignChange, by author: ForeignAuthor
    ) throws -> ForeignAnswer {
        try check(change.verb)
        let detail = try require(reference)
        guard detail.task.queue.isExactName else {
            throw QueueError.notLegal("the name of its queue is no UTF-8: nothing is done to it")
        }
        try check(change.verb, on: detail.task)
        let made = try steps(of: change, on: detail)
        return try RedisJournal(redis: redis).perform(
            made.change, task: detail.task.reference, verb: change.verb, by: author,
            moving: workLists(of: detail.task.queue), consequences: made.consequences)
    }

    /// In a cluster, BullMQ has the last change in the slots of its queues.
    package func undoLast(by author: ForeignAuthor) throws -> ForeignUndone? {
        try RedisJournal(redis: redis).undo(by: author)
    }

    /// The server's clock.
    func serverMilliseconds() throws -> Int64 {
        let parts = try redis.call("TIME").array.compactMap(\.integer)
        guard parts.count == 2, (0...Int64(1) << 40).contains(parts[0]) else {
            throw RedisError(.unexpected, "TIME gives no time")
        }
        return parts[0] * 1000 + parts[1] / 1000
    }
}

enum RedisSystems {
    private static var all: [any RedisSystem.Type] {
        [
            RQSystem.self, CelerySystem.self, SidekiqSystem.self, SAQSystem.self,
            BullMQSystem.self, HueySystem.self, ARQSystem.self, DramatiqSystem.self,
            ResqueSystem.self, AsynqSystem.self, LaravelSystem.self,
            TaskiqListSystem.self, TaskiqStreamSystem.self,
        ]
    }

    static let names = all.map { $0.systemName }

    /// The systems that a database contains. The search of key names for the rest is shorter if a
    /// probe already found a system.
    private static func seen(
        _ redis: RedisConnection, _ system: String?
    ) throws -> [any RedisSystem.Type] {
        guard system == nil else { return [] }
        let all = all.filter { isAble($0, redis) }
        redis.keys.watch(all.flatMap { $0.shapes })
        var answers = try redis.lookAll(all.flatMap { $0.probes })[...]
        let known = all.filter { system in
            let own = answers.prefix(system.probes.count)
            answers = answers.dropFirst(own.count)
            return system.isKnown(by: Array(own))
        }.map { $0.systemName }
        redis.keys.isHurried = !known.isEmpty
        defer { redis.keys.isHurried = false }
        return try redis.keys.once {
            try all.filter { try known.contains($0.systemName) || $0.isSeen(redis) }
        }
    }

    static func recognise(
        _ redis: RedisConnection, as system: String?, _ keepers: KeeperLauncher
    ) throws -> [any ForeignSystem] {
        let info = try redis.pipeline([RedisCommand("INFO", "cluster")]).first?.text ?? ""
        if info.contains("cluster_enabled:1") {
            try redis.joinCluster()
            try check(system, at: redis)
        }
        let found = try all.filter { $0.systemName == system } + seen(redis, system)
        try checkPrefix(found, as: system, redis)
        guard !found.isEmpty else {
            let names = all.filter { isAble($0, redis) }.map { $0.systemName }
            throw QueueError(
                .notAStore, "\(redis.address.name) holds none of \(names.joined(separator: ", "))",
                fix: redis.isCluster
                    ? Self.clusterFix
                    : "check the number of the database, or name its kind with --as")
        }
        return found.map { $0.init(redis, keepers) }
    }

    /// Throws `notAStore` if the only keys of a system are under a prefix that is not read.
    private static func checkPrefix(
        _ found: [any RedisSystem.Type], as system: String?, _ redis: RedisConnection
    ) throws {
        guard system != nil || found.isEmpty else { return }
        for one in all
        where (system == nil || system == one.systemName) && isAble(one, redis) {
            guard let prefix = one.appPrefix else { continue }
            if system != nil {
                let isKnown = one.isKnown(by: try redis.lookAll(one.probes))
                guard try !isKnown && !one.isSeen(redis) else { continue }
            }
            if let other = try prefix.found(in: redis) {
                throw prefix.refusal(other, redis.address.name)
            }
        }
    }

    private static let clusterFix =
        "in a cluster there are queues whose keys lie in one slot: BullMQ's, by a prefix in braces"

    private static func isAble(_ system: any RedisSystem.Type, _ redis: RedisConnection) -> Bool {
        !redis.isCluster || system.staysInOneSlot
    }

    /// Throws `notAStore` if the requested system does not support a cluster.
    private static func check(_ name: String?, at redis: RedisConnection) throws(QueueError) {
        guard let system = all.first(where: { $0.systemName == name }), !isAble(system, redis)
        else { return }
        throw QueueError(
            .notAStore,
            "\(redis.address.name) is a node of a cluster: the keys of \(system.systemName) lie in "
                + "several of its slots",
            fix: clusterFix)
    }
}
