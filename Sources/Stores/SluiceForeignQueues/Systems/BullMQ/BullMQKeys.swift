import SluiceModel
import SluiceRedisClient

/// The keys of a queue of BullMQ, and the scripts that hold it and let one job through.
struct BullMQKeys {
    private let queue: String
    private let prefix: String
    /// The connection names of workers. Node workers name only the blocking connection, with the
    /// queue in base64; Python workers name all their connections.
    private let connectionNames: (node: String, python: String)

    /// The keys of a queue. The prefix is `bull`, or part of the name if it starts with braces
    /// (`{bull}:mail`).
    init(_ queue: String) {
        self.queue = queue
        let whole = queue.hasPrefix("{") && queue.contains(":") ? queue : "bull:\(queue)"
        prefix = "\(whole):"
        let own = whole.prefix { $0 != ":" }
        let name = whole.dropFirst(own.count + 1)
        connectionNames = ("\(own):" + Base64.encode(Array(name.utf8)), whole)
    }

    /// Whether a connection is a worker's blocking connection for this queue. A Python worker is
    /// recognised after its first blocking command.
    func isWorker(_ line: RedisClientLine) -> Bool {
        func isNamed(_ name: String) -> Bool {
            line.name.isSame(as: name) || line.name.utf8.starts(with: "\(name):w:".utf8)
        }
        return isNamed(connectionNames.node) || (line.takes && isNamed(connectionNames.python))
    }

    func key(_ name: String) -> [UInt8] { Array(text(name).utf8) }

    /// A key as text.
    func text(_ name: String) -> String { prefix + name }

    /// The name of a job. It includes the queue, because ids are numbers of one queue.
    func reference(_ id: String) -> String { "\(queue):\(id)" }

    /// The id in a reference; the text itself if it has no queue prefix.
    func id(_ reference: String) -> String {
        let start = "\(queue):"
        return reference.hasPrefix(start) ? String(reference.dropFirst(start.count)) : reference
    }

    private static let ends = (start: "bull:", end: ":meta")
    /// The names of the keys that say that there is a queue.
    static let shapes = [
        KeySurvey.Shape(ends.start, end: ends.end), KeySurvey.Shape("{", end: ends.end),
    ]

    /// The queue of such a key.
    static func queue(of key: String) -> String {
        String(key.dropFirst(key.hasPrefix("{") ? 0 : ends.start.count).dropLast(ends.end.count))
    }

    /// Whether all lie in one slot of a cluster.
    var isInOneSlot: Bool { RedisSlot.tag(key("meta")) == RedisSlot.tag(key("wait")) }

    /// The possible places of a job, each with its display.
    static let places: [(name: String, isList: Bool, display: ForeignTask.Display)] = [
        ("active", true, .running), ("paused", true, .held), ("wait", true, .due),
        ("prioritized", false, .due), ("delayed", false, .delayed),
        ("waiting-children", false, .blocked), ("failed", false, .failed),
        ("completed", false, .succeeded),
    ]

    /// Pauses as BullMQ's own script does. Before version 6, waiting jobs move to the list
    /// `paused`, and BullMQ's resume renames that list, so jobs must not be in both lists.
    func pausing(_ note: HoldNote) -> RedisCommand {
        .script(
            """
            if redis.call('HEXISTS', KEYS[4], 'sluice:by') == 1 then
                if redis.call('HEXISTS', KEYS[4], 'paused') == 1 then return 0 end
            else
                redis.call('HSET', KEYS[4], 'sluice:by', ARGV[1], 'sluice:since', ARGV[2],
                    'sluice:reason', ARGV[3])
            end
            redis.call('HSET', KEYS[4], 'paused', 1)
            redis.call('DEL', KEYS[3])
            \(Self.unlimiting)
            \(Self.gathering)
            redis.call('XADD', KEYS[5], '*', 'event', 'paused')
            return 1
            """,
            keys: [
                key("wait"), key("paused"), key("marker"), key("meta"), key("events"),
                key("prioritized"), key("limiter"),
            ],
            arguments: [note.by, note.since.milliseconds, note.reason ?? ""])
    }

    /// In versions with `paused`: move the jobs of `wait` to the end of `paused`.
    private static let gathering = """
        local version = redis.call('HGET', KEYS[4], 'version') or ''
        local major = tonumber(string.match(version, '^bullmq:(%d+)')) or 0
        if major < 6 then
            while redis.call('LMOVE', KEYS[1], KEYS[2], 'RIGHT', 'LEFT') do end
        end
        """

    /// Restores the queue's own rate limit from before a gate.
    private static let unlimiting = """
        local old = redis.call('HMGET', KEYS[4], 'sluice:max', 'sluice:duration')
        if old[1] then
            for index, name in ipairs({'max', 'duration'}) do
                if old[index] == '' then redis.call('HDEL', KEYS[4], name)
                else redis.call('HSET', KEYS[4], name, old[index]) end
            end
            redis.call('HDEL', KEYS[4], 'sluice:max', 'sluice:duration')
            redis.call('DEL', KEYS[7])
        end
        """

    /// Resumes a queue: the jobs of `paused` go before the jobs of `wait`.
    func resuming() -> RedisCommand {
        .script(
            """
            if redis.call('HEXISTS', KEYS[4], 'sluice:by') == 0 then return -1 end
            \(Self.unlimiting)
            redis.call('HDEL', KEYS[4], 'paused', 'sluice:by', 'sluice:since', 'sluice:reason')
            local count = redis.call('LLEN', KEYS[1]) + redis.call('LLEN', KEYS[2])
                + redis.call('ZCARD', KEYS[6])
            while redis.call('LMOVE', KEYS[2], KEYS[1], 'LEFT', 'RIGHT') do end
            redis.call('ZADD', KEYS[3], 0, '0')
            redis.call('XADD', KEYS[5], '*', 'event', 'resumed')
            return count
            """,
            keys: [
                key("wait"), key("paused"), key("marker"), key("meta"), key("events"),
                key("prioritized"), key("limiter"),
            ])
    }

    /// The queue's own limit lets one job through in this time. A step after another one waits this
    /// long at most.
    static let gateMilliseconds = 1000

    /// Opens the gate for one job: it is next, and the queue's own limit lets exactly one through.
    func opening(_ id: [UInt8]) -> RedisCommand {
        .script(
            """
            if redis.call('HGET', KEYS[4], 'paused') == false then
                return redis.error_reply('GONE not paused')
            end
            if redis.call('LREM', KEYS[1], 1, ARGV[1]) + redis.call('LREM', KEYS[2], 1, ARGV[1])
                + redis.call('ZREM', KEYS[6], ARGV[1]) == 0 then
                return redis.error_reply('GONE it does not wait')
            end
            redis.call('RPUSH', KEYS[1], ARGV[1])
            local old = redis.call('HMGET', KEYS[4], 'max', 'duration')
            redis.call('HSET', KEYS[4], 'sluice:max', old[1] or '', 'sluice:duration',
                old[2] or '', 'max', 1, 'duration', ARGV[2])
            redis.call('DEL', KEYS[7])
            redis.call('HDEL', KEYS[4], 'paused')
            redis.call('ZADD', KEYS[3], 0, '0')
            return 1
            """,
            keys: [
                key("wait"), key("paused"), key("marker"), key("meta"), key("events"),
                key("prioritized"), key("limiter"),
            ], arguments: [id, Self.gateMilliseconds])
    }

    /// Closes it, with the queue's own limit as it was; gives whether the job has gone through.
    func closing(_ id: [UInt8]) -> RedisCommand {
        .script(
            """
            redis.call('HSET', KEYS[4], 'paused', 1)
            redis.call('DEL', KEYS[3], KEYS[7])
            \(Self.unlimiting)
            \(Self.gathering)
            if redis.call('LPOS', KEYS[1], ARGV[1]) or redis.call('LPOS', KEYS[2], ARGV[1]) then
                return 0
            end
            return 1
            """,
            keys: [
                key("wait"), key("paused"), key("marker"), key("meta"), key("events"),
                key("prioritized"), key("limiter"),
            ], arguments: [id])
    }
}
