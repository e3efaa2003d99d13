import SluiceModel
import SluiceSystem

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

    static func queue(of key: String) -> String {
        String(key.dropFirst(key.hasPrefix("{") ? 0 : ends.start.count).dropLast(ends.end.count))
    }

    /// Whether all lie in one slot of a cluster.
    var isInOneSlot: Bool { RedisSlot.tag(key("meta")) == RedisSlot.tag(key("wait")) }

    /// The possible places of a job, each with its display.
    static let places: [(name: String, isList: Bool, display: ForeignTask.Display)] = [
        ("active", true, .running), ("sluice:held", true, .held), ("paused", true, .held),
        ("wait", true, .due), ("prioritized", false, .due), ("delayed", false, .delayed),
        ("waiting-children", false, .blocked), ("failed", false, .failed),
        ("completed", false, .succeeded),
    ]

    /// The list of the waiting jobs, as BullMQ chooses it at a write: `paused` while a queue of a
    /// version before 6 is paused, otherwise `wait`. Pause and resume of such a version put one of
    /// them in the place of the other, so jobs must not be in both. The jobs of the other lists
    /// join this one: `held`, `paused`, `wait` in this order. `held` stays while a gate is open.
    static let settling = """
        -- Moves the shorter list, so as to block the server as briefly as possible.
        local function join(first, rest, target)
            local whole = first
            if redis.call('LLEN', first) > redis.call('LLEN', rest) then
                while redis.call('LLEN', rest) > 0 do
                    local part = redis.call('LRANGE', rest, -1000, -1)
                    redis.call('LTRIM', rest, 0, -1001)
                    for place = #part, 1, -1 do redis.call('LPUSH', first, part[place]) end
                end
            else
                whole = rest
                while redis.call('LLEN', first) > 0 do
                    redis.call('RPUSH', rest, unpack(redis.call('LRANGE', first, 0, 999)))
                    redis.call('LTRIM', first, 1000, -1)
                end
            end
            if whole ~= target and redis.call('LLEN', whole) > 0 then
                redis.call('RENAME', whole, target)
            end
        end
        local function settle(meta, wait, paused, held)
            local version = redis.call('HGET', meta, 'version') or ''
            local isOld = (tonumber(string.match(version, '^bullmq:(%d+)')) or 0) < 6
            local isPaused = redis.call('HGET', meta, 'paused')
            local list = isPaused and isOld and paused or wait
            join(paused, wait, list)
            local isGateOpen = not isPaused and redis.call('HGET', meta, 'sluice:max')
            if not isGateOpen then join(held, list, list) end
            return list
        end
        """

    /// The keys that `settle` needs: the hash and the lists.
    var settled: [[UInt8]] { ["meta", "wait", "paused", "sluice:held"].map(key) }

    /// The keys of the scripts of a hold and of a gate.
    private var held: [[UInt8]] {
        ["wait", "paused", "marker", "meta", "events", "prioritized", "limiter", "sluice:held"]
            .map(key)
    }

    /// Pauses as BullMQ's own script does.
    func pausing(_ note: HoldNote) -> RedisCommand {
        .script(
            """
            \(Self.settling)
            if redis.call('HEXISTS', KEYS[4], 'sluice:by') == 1 then
                if redis.call('HEXISTS', KEYS[4], 'paused') == 1 then return 0 end
            else
                redis.call('HSET', KEYS[4], 'sluice:by', ARGV[1], 'sluice:since', ARGV[2],
                    'sluice:reason', ARGV[3])
            end
            redis.call('HSET', KEYS[4], 'paused', 1)
            redis.call('DEL', KEYS[3])
            \(Self.unlimiting)
            settle(KEYS[4], KEYS[1], KEYS[2], KEYS[8])
            redis.call('XADD', KEYS[5], '*', 'event', 'paused')
            return 1
            """,
            keys: held, arguments: [note.by, note.since.milliseconds, note.reason ?? ""])
    }

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

    /// Resumes a queue. Without a hold it gives back what a pause that ended left in its list.
    func resuming() -> RedisCommand {
        .script(
            """
            \(Self.settling)
            if redis.call('HEXISTS', KEYS[4], 'sluice:by') == 0
                and (redis.call('HEXISTS', KEYS[4], 'paused') == 1
                    or redis.call('LLEN', KEYS[2]) + redis.call('LLEN', KEYS[8]) == 0) then
                return -1
            end
            \(Self.unlimiting)
            redis.call('HDEL', KEYS[4], 'paused', 'sluice:by', 'sluice:since', 'sluice:reason')
            local count = redis.call('ZCARD', KEYS[6])
                + redis.call('LLEN', settle(KEYS[4], KEYS[1], KEYS[2], KEYS[8]))
            redis.call('ZADD', KEYS[3], 0, '0')
            redis.call('XADD', KEYS[5], '*', 'event', 'resumed')
            return count
            """,
            keys: held)
    }

    /// The queue's own limit lets one job through in this time. A step after another one waits this
    /// long at most.
    static let gateMilliseconds = 1000

    /// Opens the gate for one job: it is next, and the queue's own limit lets exactly one through.
    /// Before version 6 the other held jobs are in a list that BullMQ does not know, so that its
    /// own pause or resume in between deletes none.
    func opening(_ id: [UInt8]) -> RedisCommand {
        .script(
            """
            \(Self.settling)
            if redis.call('HGET', KEYS[4], 'paused') == false then
                return redis.error_reply('GONE not paused')
            end
            local list = settle(KEYS[4], KEYS[1], KEYS[2], KEYS[8])
            if redis.call('LREM', list, 1, ARGV[1]) + redis.call('ZREM', KEYS[6], ARGV[1]) == 0 then
                return redis.error_reply('GONE it does not wait')
            end
            if list == KEYS[2] and redis.call('EXISTS', list) == 1 then
                redis.call('RENAME', list, KEYS[8])
            end
            redis.call('RPUSH', KEYS[1], ARGV[1])
            \(Self.unlimiting)
            local old = redis.call('HMGET', KEYS[4], 'max', 'duration')
            redis.call('HSET', KEYS[4], 'sluice:max', old[1] or '', 'sluice:duration',
                old[2] or '', 'max', 1, 'duration', ARGV[2])
            redis.call('DEL', KEYS[7])
            redis.call('HDEL', KEYS[4], 'paused')
            redis.call('ZADD', KEYS[3], 0, '0')
            return 1
            """,
            keys: held, arguments: [id, Self.gateMilliseconds])
    }

    /// Closes it, with the queue's own limit as it was; gives whether the job has gone through.
    func closing(_ id: [UInt8]) -> RedisCommand {
        .script(
            """
            \(Self.settling)
            redis.call('HSET', KEYS[4], 'paused', 1)
            redis.call('DEL', KEYS[3], KEYS[7])
            \(Self.unlimiting)
            local isThrough = redis.call('LREM', KEYS[1], -1, ARGV[1]) == 0
            local list = settle(KEYS[4], KEYS[1], KEYS[2], KEYS[8])
            if isThrough then return 1 end
            redis.call('RPUSH', list, ARGV[1])
            return 0
            """,
            keys: held, arguments: [id])
    }
}
