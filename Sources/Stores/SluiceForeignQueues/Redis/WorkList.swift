import SluiceRedisClient

/// An end of a list.
enum ListEnd: String, Sendable {
    case left = "LEFT"
    case right = "RIGHT"

    /// The other end.
    var other: ListEnd { self == .left ? .right : .left }
    /// The command that adds at this end.
    var push: String { self == .left ? "LPUSH" : "RPUSH" }

    /// What asks for a part of a list that is taken from here, counted from here.
    func range(_ list: [UInt8], _ start: Int, _ count: Int) -> RedisCommand {
        self == .left
            ? RedisCommand("LRANGE", list, start, start + count - 1)
            : RedisCommand("LRANGE", list, -(start + count), -(start + 1))
    }

    /// What asks for the place of an element in a list that is taken from here: what comes next is
    /// found soon, however long the list is.
    func place(of element: [UInt8], in list: [UInt8]) -> RedisCommand {
        RedisCommand("LPOS", list, element, "RANK", self == .left ? 1 : -1)
    }

    /// The elements of the answer in the order in which they are taken.
    func ordered(_ answer: RedisValue) -> [[UInt8]] {
        let elements = answer.array.compactMap(\.bytes)
        return self == .left ? elements : elements.reversed()
    }
}

/// A list from which workers take tasks, and the lists beside it that hold what they must not take.
struct WorkList: Hashable, Sendable {
    /// The list of the system itself.
    let list: [UInt8]
    /// The end at which workers take.
    let takes: ListEnd
    /// Whether few apps have it, so that few guards are enough.
    let isRare: Bool

    init(_ list: String, takes: ListEnd, isRare: Bool = false) {
        self.list = Array(list.utf8)
        self.takes = takes
        self.isRare = isRare
    }

    /// What is held; the same slot of a cluster as the list.
    var held: [UInt8] { beside("held") }
    /// What was set aside by hand.
    var skipped: [UInt8] { beside("skipped") }
    /// Who holds it, since when and why.
    var record: [UInt8] { beside("hold") }
    /// What whoever holds it is asked to do.
    var requests: [UInt8] { beside("requests") }

    /// A list that is never there: guards wait at it while a task goes past them.
    var rest: [UInt8] { beside("rest") }

    /// Why the process that holds it could not.
    var failure: [UInt8] { beside("failure") }

    /// A key to try what a user may do.
    var probe: [UInt8] { beside("probe") }

    private func beside(_ word: String) -> [UInt8] {
        let isTagged = list.contains(UInt8(ascii: "{")) || list.contains(UInt8(ascii: "}"))
        let name = isTagged ? list : Array("{".utf8) + list + Array("}".utf8)
        return name + Array(":sluice:\(word)".utf8)
    }
}

extension WorkList {
    /// Moves what lies in the list to what is held, keeping the order.
    func absorbing() -> RedisCommand { joining(into: held) }

    /// Moves what is held back in front of what came meanwhile.
    func restoring() -> RedisCommand { joining(into: list) }

    /// Puts what is held and what lies in the list behind it into one of them. The shorter one is
    /// moved piece by piece, so that the server stands still no longer than that takes.
    private func joining(into target: [UInt8]) -> RedisCommand {
        .script(
            """
            local whole = KEYS[1]
            if redis.call('LLEN', KEYS[1]) < redis.call('LLEN', KEYS[2]) then
                while redis.call('LMOVE', KEYS[1], KEYS[2], ARGV[1], ARGV[2]) do end
                whole = KEYS[2]
            else
                while redis.call('LMOVE', KEYS[2], KEYS[1], ARGV[2], ARGV[1]) do end
            end
            if whole ~= ARGV[3] and redis.call('EXISTS', whole) == 1 then
                redis.call('RENAME', whole, ARGV[3])
            end
            return 1
            """, keys: [list, held], arguments: [takes.rawValue, takes.other.rawValue, target])
    }

    /// Takes a task out of what is held and puts it where the next worker takes; gives how many are
    /// held then and the element that comes behind it, or an error `gone`.
    func releasing(_ element: [UInt8], into target: [UInt8], at end: ListEnd) -> RedisCommand {
        .script(
            """
            \(Self.takingOut)
            redis.call(ARGV[3], KEYS[2], ARGV[1])
            return {redis.call('LLEN', KEYS[1]), behind}
            """, keys: [held, target],
            arguments: [element, takes.rawValue, end.push])
    }

    /// Where a task that was let through lies: `held` where a guard brought it back, and then it
    /// goes to its place again, `waiting`, or nothing where a worker took it. So many were held
    /// beside it: a guard puts it behind them, and only what came since is looked through.
    func finding(_ element: [UInt8], behind: [UInt8]?, of count: Int64) -> RedisCommand {
        .script(
            """
            if redis.call('LPOS', KEYS[1], ARGV[1]) then return 'waiting' end
            local far = ARGV[2] == 'LEFT' and -1 or 1
            local came = math.max(redis.call('LLEN', KEYS[2]) - tonumber(ARGV[5]), 0)
            local place = redis.call('LPOS', KEYS[2], ARGV[1], 'RANK', far, 'MAXLEN', came + 1000)
            if not place then return 'taken' end
            redis.call('LREM', KEYS[2], far, ARGV[1])
            \(Self.puttingBack)
            return 'held'
            """, keys: [list, held],
            arguments: [
                element, takes.rawValue,
                behind == nil ? takes.other.push : takes.push, behind ?? [], count,
            ])
    }

    /// Takes `ARGV[1]` out of what is held, `KEYS[1]`, and keeps what comes behind it; looked for
    /// from where workers take.
    private static let takingOut = """
        local near = ARGV[2] == 'LEFT' and 1 or -1
        local place = redis.call('LPOS', KEYS[1], ARGV[1], 'RANK', near)
        if not place then return redis.error_reply('GONE it is not held') end
        local behind = false
        if ARGV[2] == 'LEFT' then behind = redis.call('LINDEX', KEYS[1], place + 1)
        elseif place > 0 then behind = redis.call('LINDEX', KEYS[1], place - 1) end
        redis.call('LREM', KEYS[1], near, ARGV[1])
        """

    /// Puts `ARGV[1]` into what is held, `KEYS[2]`, before `ARGV[4]`.
    private static let puttingBack = """
        local near = ARGV[2] == 'LEFT' and 'BEFORE' or 'AFTER'
        if ARGV[4] == '' or redis.call('LINSERT', KEYS[2], near, ARGV[4], ARGV[1]) < 1 then
            redis.call(ARGV[3], KEYS[2], ARGV[1])
        end
        """
}

/// How workers take that ask a list again and again instead of waiting at it.
struct ListPolling {
    /// So many elements without a task stand behind one that is let through, for workers that take
    /// several at once and pass over what is none.
    var fillers: Int

    /// The element without a task.
    static let filler = Array("sluice:filler".utf8)
}

extension WorkList {
    /// Takes a task out of what is held and puts it where the next worker that asks takes, with
    /// fillers between it and what comes; gives the element that comes behind it, or an error
    /// `gone`.
    func showing(_ element: [UInt8], _ polling: ListPolling) -> RedisCommand {
        .script(
            """
            \(Self.takingOut)
            while redis.call('LMOVE', KEYS[2], KEYS[1], ARGV[2], ARGV[4]) do end
            for _ = 1, tonumber(ARGV[5]) do redis.call(ARGV[3], KEYS[2], ARGV[6]) end
            redis.call(ARGV[3], KEYS[2], ARGV[1])
            return {1, behind}
            """, keys: [held, list],
            arguments: [
                element, takes.rawValue, takes.push, takes.other.rawValue, polling.fillers,
                ListPolling.filler,
            ])
    }

    /// Moves what came since behind the fillers to what is held, and says whether the task is
    /// `waiting` or `taken`. The last time all else goes too: the fillers, and a task that waits
    /// still, which is `held` again.
    func sealing(_ element: [UInt8], behind: [UInt8]?, isLast: Bool) -> RedisCommand {
        .script(
            """
            local isWaiting = redis.call('LPOS', KEYS[1], ARGV[1])
            if ARGV[6] == '0' then
                local came = {}
                local far = ARGV[2] == 'LEFT' and -1 or 0
                while true do
                    local last = redis.call('LINDEX', KEYS[1], far)
                    if not last or last == ARGV[1] or last == ARGV[5] then break end
                    table.insert(came, 1, last)
                    redis.call(ARGV[2] == 'LEFT' and 'RPOP' or 'LPOP', KEYS[1])
                end
                for _, one in ipairs(came) do redis.call(ARGV[7], KEYS[2], one) end
                return isWaiting and 'waiting' or 'taken'
            end
            redis.call('LREM', KEYS[1], 0, ARGV[5])
            if isWaiting then
                redis.call('LREM', KEYS[1], 1, ARGV[1])
                \(Self.puttingBack)
            end
            while redis.call('LMOVE', KEYS[1], KEYS[2], ARGV[2], ARGV[8]) do end
            return isWaiting and 'held' or 'taken'
            """, keys: [list, held],
            arguments: [
                element, takes.rawValue, behind == nil ? takes.other.push : takes.push,
                behind ?? [], ListPolling.filler, isLast ? 1 : 0, takes.other.push,
                takes.other.rawValue,
            ])
    }

    /// Takes away fillers that a tool left that died.
    func clearing() -> RedisCommand {
        .script(
            """
            for _, key in ipairs(KEYS) do redis.call('LREM', key, 0, ARGV[1]) end
            return 1
            """, keys: [list, held], arguments: [ListPolling.filler])
    }
}
