import SluiceSystem

enum ListEnd: String, Sendable {
    case left = "LEFT"
    case right = "RIGHT"

    var other: ListEnd { self == .left ? .right : .left }
    /// The command that adds at this end.
    var push: String { self == .left ? "LPUSH" : "RPUSH" }

    /// The command that reads part of a list, counted from this end.
    func range(_ list: [UInt8], _ start: Int, _ count: Int) -> RedisCommand {
        self == .left
            ? RedisCommand("LRANGE", list, start, start + count - 1)
            : RedisCommand("LRANGE", list, -(start + count), -(start + 1))
    }

    /// The command that finds an element's index. It searches from this end, so that the next tasks
    /// are found quickly in a long list.
    func place(of element: [UInt8], in list: [UInt8]) -> RedisCommand {
        RedisCommand("LPOS", list, element, "RANK", self == .left ? 1 : -1)
    }

    /// The elements of an answer in the order of taking.
    func ordered(_ answer: RedisValue) -> [[UInt8]] {
        let elements = answer.array.compactMap(\.bytes)
        return self == .left ? elements : elements.reversed()
    }
}

/// A list that workers take tasks from, with the additional lists for held and skipped tasks.
struct WorkList: Hashable, Sendable {
    /// The list of the system itself.
    let list: [UInt8]
    let takes: ListEnd
    /// Whether few apps have it, so that few guards are enough.
    let isRare: Bool

    init(_ list: String, takes: ListEnd, isRare: Bool = false) {
        self.list = Array(list.utf8)
        self.takes = takes
        self.isRare = isRare
    }

    /// The list of held tasks; in a cluster it has the same slot as the list.
    var held: [UInt8] { key("held") }
    /// The list of tasks that a person skipped.
    var skipped: [UInt8] { key("skipped") }
    /// Who holds it, since when and why.
    var record: [UInt8] { key("hold") }
    var requests: [UInt8] { key("requests") }

    /// A list that is never there: guards wait at it while a task goes past them.
    var rest: [UInt8] { key("rest") }

    /// Why the process that holds it could not.
    var failure: [UInt8] { key("failure") }

    /// A key to try what a user may do.
    var probe: [UInt8] { key("probe") }

    /// The list that one of these additional keys belongs to; `nil` for another key.
    static func owner(of key: String) -> String? {
        guard let place = key.firstRange(of: ":sluice:") else { return nil }
        let own = key[..<place.lowerBound]
        let inner = own.dropFirst().dropLast()
        let isWrapped = own.hasPrefix("{") && own.hasSuffix("}") && !inner.contains("{")
        return String(isWrapped ? inner : own)
    }

    private func key(_ word: String) -> [UInt8] {
        let isTagged = list.contains(UInt8(ascii: "{")) || list.contains(UInt8(ascii: "}"))
        let name = isTagged ? list : Array("{".utf8) + list + Array("}".utf8)
        return name + Array(":sluice:\(word)".utf8)
    }
}

extension WorkList {
    /// Moves the list's elements to the held list, in order.
    func absorbing() -> RedisCommand { joining(into: held) }

    /// Moves the held elements to the front of the list.
    func restoring() -> RedisCommand { joining(into: list) }

    /// Joins the held list and the list after it into one of them. Moves only the shorter list
    /// element by element, to block the server as briefly as possible.
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

    /// Moves a held task to the place where the next worker takes. Returns the number of held tasks
    /// left and the element after it, or the error `gone`.
    func releasing(_ element: [UInt8], into target: [UInt8], at end: ListEnd) -> RedisCommand {
        .script(
            """
            \(Self.takingOut)
            redis.call(ARGV[3], KEYS[2], ARGV[1])
            return {redis.call('LLEN', KEYS[1]), behind}
            """, keys: [held, target],
            arguments: [element, takes.rawValue, end.push])
    }

    /// Looks for a task that was let through. Returns `held` if a guard caught it (the script moves
    /// it back to its place), `waiting`, or `taken` if a worker has it. `count` is the number of
    /// other held tasks: a guard appends, so the search covers only later elements.
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

    /// Removes `ARGV[1]` from the held list `KEYS[1]` and remembers the element after it. Searches
    /// from the end where workers take.
    private static let takingOut = """
        local near = ARGV[2] == 'LEFT' and 1 or -1
        local place = redis.call('LPOS', KEYS[1], ARGV[1], 'RANK', near)
        if not place then return redis.error_reply('GONE it is not held') end
        local behind = false
        if ARGV[2] == 'LEFT' then behind = redis.call('LINDEX', KEYS[1], place + 1)
        elseif place > 0 then behind = redis.call('LINDEX', KEYS[1], place - 1) end
        redis.call('LREM', KEYS[1], near, ARGV[1])
        """

    /// Inserts `ARGV[1]` into the held list `KEYS[2]` before `ARGV[4]`.
    private static let puttingBack = """
        local near = ARGV[2] == 'LEFT' and 'BEFORE' or 'AFTER'
        if ARGV[4] == '' or redis.call('LINSERT', KEYS[2], near, ARGV[4], ARGV[1]) < 1 then
            redis.call(ARGV[3], KEYS[2], ARGV[1])
        end
        """
}

/// How workers take that ask a list again and again instead of waiting at it.
struct ListPolling {
    /// The number of filler elements after a task that is let through. They are for workers that
    /// take several elements and skip invalid ones.
    var fillers: Int
    /// Whether some workers wait at a second list, which gets an element with each task.
    var hasNotices = false
    /// How often a step looks whether a worker has taken its task, and moves arrivals aside.
    var lookMilliseconds = 5

    /// The end of the name of such a list.
    static let noticeEnd = ":notify"

    /// The element without a task.
    static let filler = Array("sluice:filler".utf8)
}

extension WorkList {
    /// Moves a held task to the place where the next polling worker takes, with fillers between it
    /// and new elements. Returns the element after it, or the error `gone`.
    func showing(_ element: [UInt8], _ polling: ListPolling) -> RedisCommand {
        .script(
            """
            \(Self.takingOut)
            while redis.call('LMOVE', KEYS[2], KEYS[1], ARGV[2], ARGV[4]) do end
            for _ = 1, tonumber(ARGV[5]) do redis.call(ARGV[3], KEYS[2], ARGV[6]) end
            redis.call(ARGV[3], KEYS[2], ARGV[1])
            if KEYS[3] then redis.call('RPUSH', KEYS[3], 1) end
            return {1, behind}
            """,
            keys: [held, list]
                + (polling.hasNotices ? [list + Array(ListPolling.noticeEnd.utf8)] : []),
            arguments: [
                element, takes.rawValue, takes.push, takes.other.rawValue, polling.fillers,
                ListPolling.filler,
            ])
    }

    /// Moves elements after the fillers to the held list. Returns whether the task is `waiting` or
    /// `taken`. The last call also removes the fillers and holds a task that still waits (`held`).
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
