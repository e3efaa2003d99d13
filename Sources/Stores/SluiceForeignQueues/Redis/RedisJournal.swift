import SluiceModel
import SluiceSystem

/// An atomic change of a Redis store, which first saves the former values. All verbs write this
/// way.
struct RedisChange {
    /// The steps, each an instruction with its arguments.
    private(set) var steps: [[[UInt8]]] = []

    /// The keys that it changes or looks at, each once.
    var keys: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return steps.compactMap { step in
            let place = step[0] == Array("call".utf8) ? 2 : 1
            return step.count > place && seen.insert(step[place]).inserted ? step[place] : nil
        }
    }

    private mutating func add(_ word: String, _ words: any RedisWord...) {
        steps.append([Array(word.utf8)] + words.map(\.redisBytes))
    }

    /// Removes an element from a list. Fails if the list lacks it.
    mutating func take(_ element: [UInt8], from list: [UInt8]) { add("take", list, element) }

    mutating func put(_ element: [UInt8], into list: [UInt8], at end: ListEnd) {
        add("put", list, element, end.push)
    }

    /// Inserts an element next to another one. Fails if the other one is missing.
    mutating func put(_ element: [UInt8], into list: [UInt8], _ side: String, _ other: [UInt8]) {
        add("beside", list, element, side, other)
    }

    /// Puts another element in the place of one, which must be there.
    mutating func swap(_ element: [UInt8], for other: [UInt8], in list: [UInt8]) {
        add("swap", list, element, other)
    }

    /// Keeps a key as it is, before something is done to it.
    mutating func keep(_ key: [UInt8]) { add("keep", key) }

    /// Fails unless a hash field has this value.
    mutating func require(_ key: [UInt8], _ field: String, _ value: String) {
        add("require", key, field, value)
    }

    /// Removes a member from a sorted set. Fails if the set lacks it.
    mutating func removeMember(_ member: [UInt8], from set: [UInt8]) { add("zrem", set, member) }

    /// Puts a member into a sorted set, or gives it another score.
    mutating func putMember(_ member: [UInt8], into set: [UInt8], score: Double) {
        add("zadd", set, member, score.description)
    }

    /// Adds a member to a set. Undo fails if the set lacks it then.
    mutating func add(_ member: [UInt8], to set: [UInt8]) { add("sadd", set, member) }

    /// Gives a field of a hash another value, or takes it away.
    mutating func field(_ key: [UInt8], _ field: String, _ value: [UInt8]?) {
        steps.append([Array("field".utf8), key, Array(field.utf8)] + (value.map { [$0] } ?? []))
    }

    /// Steps on either list of waiting jobs of BullMQ are done, and undone, on the list that has
    /// them at that moment.
    mutating func settle(_ keys: BullMQKeys) { call(deed: "settle", keys.settled) }

    /// Wakes idle workers of BullMQ, unless their queue is paused at the write.
    mutating func wake(_ marker: [UInt8], unlessPaused meta: [UInt8]) { add("wake", marker, meta) }

    /// Does a deed of the script with its own words.
    mutating func call(deed: String, _ words: [[UInt8]]) {
        steps.append([Array(deed.utf8)] + words)
    }

    /// Runs any command. Undo restores only the keys that an earlier step saved.
    mutating func call(_ command: RedisCommand) {
        steps.append([Array("call".utf8)] + command.words)
    }
}

/// The undo journal of a Redis store: a list in that store.
struct RedisJournal {
    private static let key = Array("sluice:undo".utf8)
    private static let limit = 500

    let redis: RedisConnection

    /// The key of the journal; in a cluster it is in the slot of the changed key.
    private func key(beside other: [UInt8]?) -> [UInt8] {
        guard redis.isCluster, let other else { return Self.key }
        return Array("{".utf8) + RedisSlot.tag(other) + Array("}:".utf8) + Self.key
    }

    /// Makes a change and records how to undo it. `moving` are the lists whose elements a hold
    /// moves: an undo after another hold, or its end, finds them in the other list.
    @discardableResult
    func perform(
        _ change: RedisChange, task: String, verb: ForeignVerb, by author: ForeignAuthor,
        moving lists: [WorkList] = [], consequences: [String] = []
    ) throws -> ForeignAnswer {
        let used = Set(change.steps.compactMap { $0.count > 1 ? $0[1] : nil })
        let moved = lists.filter { used.contains($0.list) || used.contains($0.held) }
        var words: [any RedisWord] = [
            author.person, verb.rawValue, task, Self.limit, SystemClock.nowMilliseconds(),
            author.deed ?? "", lists.first?.record ?? [], moved.count,
        ]
        words += moved.map { $0.list as any RedisWord }
        for step in change.steps {
            words.append(step.count)
            words += step.map { $0 as any RedisWord }
        }
        // Name all keys, so that a cluster refuses the script before it changes anything.
        let keys = change.keys
        try RedisAbility.checkChanges(redis, key(beside: keys.first))
        try run(
            .script(
                Self.prelude + Self.performing, keys: [key(beside: keys.first)] + keys,
                arguments: words), task)
        return ForeignAnswer(changed: [task], consequences: consequences)
    }

    /// As `ForeignSystem.undoLast` does. In a cluster, considers only the journals of `keys`.
    func undo(
        by author: ForeignAuthor, beside keys: [[UInt8]] = []
    ) throws -> ForeignUndone? {
        var journals = Array(Set(keys.map { key(beside: $0) }))
        if journals.count > 1 {
            let times = try redis.lookAll(
                journals.map { .script(Self.dating, keys: [$0], arguments: [author.person]) })
            let last = zip(journals, times).max { $0.1.integer ?? 0 < $1.1.integer ?? 0 }
            journals = last.map { [$0.0] } ?? []
        }
        try RedisAbility.checkChanges(redis, journals.first ?? Self.key)
        let answer = try redis.call(
            .script(
                Self.prelude + Self.undoing, keys: [journals.first ?? Self.key],
                arguments: [author.person, author.deed ?? ""])
        ).array.compactMap(\.text)
        guard answer.count >= 3 else { return nil }
        let (verb, mark) = (answer[1], answer.count > 3 ? answer[3] : "")
        let last = ["\(verb) is undone", "it comes last in its stream"]
        return ForeignUndone(
            answer[0], verb, deed: answer[2], consequences: mark == "last" ? last : nil,
            isLate: mark == "changed")
    }

    @discardableResult
    private func run(_ command: RedisCommand, _ task: String) throws -> RedisValue {
        let answer = try redis.pipeline([command]).first ?? .none
        if case .refusal(let text) = answer,
            String(decoding: text, as: UTF8.self).contains("CHANGED")
        {
            throw QueueError(
                .changed, "task \(task) has changed: it is not where it was",
                fix: "look at it again and repeat the verb")
        }
        return try answer.accepted()
    }

    /// `run` does steps after it has looked whether each can be done, and gives the steps that take
    /// them back, the last one first.
    private static let prelude = """
        \(BullMQKeys.settling)
        -- The place of an element, and from which end it is taken out: both ends are looked at
        -- first, since people change what comes next or came last.
        local function search(list, element)
            for _, rank in ipairs({1, -1}) do
                local place = redis.call('LPOS', list, element, 'RANK', rank, 'MAXLEN', 10000)
                if place then return place, rank end
            end
            return redis.call('LPOS', list, element), 1
        end
        -- Puts an element beside another one; LINSERT would look for that from the left.
        local function insert(list, side, other, element)
            local place, rank = search(list, other)
            if rank == 1 then return redis.call('LINSERT', list, side, other, element) > 0 end
            local behind = redis.call('LLEN', list) - place - (side == 'AFTER' and 1 or 0)
            local moved = {}
            for index = 1, behind do moved[index] = redis.call('RPOP', list) end
            redis.call('RPUSH', list, element)
            for index = #moved, 1, -1 do redis.call('RPUSH', list, moved[index]) end
            return true
        end
        -- Whether a worker got an entry of a stream: a step let it through, or a group is past it.
        local function delivered(stream, id, through, mark)
            if redis.call('SISMEMBER', through, id) == 1 then return true end
            local function parts(one) return string.match(one, '(%d+)-(%d+)') end
            local ms, number = parts(id)
            for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
                for place = 1, #group, 2 do
                    local last = group[place + 1]
                    if group[place] == 'last-delivered-id' and last ~= mark then
                        local lastMS, lastNumber = parts(last)
                        local gap = tonumber(lastMS) - tonumber(ms)
                        if gap > 0 or gap == 0 and tonumber(lastNumber) >= tonumber(number) then
                            return true
                        end
                    end
                end
            end
            return false
        end
        local types = {
            take = 'list', put = 'list', beside = 'list', swap = 'list', ['return'] = 'list',
            zrem = 'zset', zadd = 'zset', srem = 'set', sadd = 'set', field = 'hash',
            require = 'hash', xdel = 'stream', xadd = 'stream',
        }
        -- A command on a key of another type would end the script in the middle of its steps.
        local function broken(step)
            local word = step[1]
            local type = types[word] and redis.call('TYPE', step[2])['ok'] or 'none'
            if type ~= 'none' and type ~= types[word] then return true end
            if word == 'take' or word == 'swap' then return not search(step[2], step[3]) end
            if word == 'zrem' then return not redis.call('ZSCORE', step[2], step[3]) end
            if word == 'srem' then return redis.call('SISMEMBER', step[2], step[3]) == 0 end
            if word == 'require' then return redis.call('HGET', step[2], step[3]) ~= step[4] end
            if word == 'xdel' then
                return #redis.call('XRANGE', step[2], step[3], step[3]) == 0
                    or delivered(step[2], step[3], step[4], step[5])
            end
            if word == 'beside' then return not search(step[2], step[5]) end
            return false
        end
        local deeds = {}
        function deeds.take(step, back)
            local place, rank = search(step[2], step[3])
            local behind = redis.call('LINDEX', step[2], place + 1)
            local ahead = place > 0 and redis.call('LINDEX', step[2], place - 1)
            redis.call('LREM', step[2], rank, step[3])
            table.insert(back, 1, {'return', step[2], step[3], behind or '', ahead or ''})
        end
        -- Others may have come or gone on either side.
        deeds['return'] = function(step, back)
            local behind, ahead = step[4], step[5] or ''
            if behind ~= '' and insert(step[2], 'BEFORE', behind, step[3]) then return end
            if ahead ~= '' and insert(step[2], 'AFTER', ahead, step[3]) then return end
            redis.call(behind == '' and 'RPUSH' or 'LPUSH', step[2], step[3])
        end
        function deeds.put(step, back)
            redis.call(step[4], step[2], step[3])
            table.insert(back, 1, {'take', step[2], step[3]})
        end
        function deeds.beside(step, back)
            insert(step[2], step[4], step[5], step[3])
            table.insert(back, 1, {'take', step[2], step[3]})
        end
        function deeds.swap(step, back)
            redis.call('LSET', step[2], (search(step[2], step[3])), step[4])
            table.insert(back, 1, {'swap', step[2], step[4], step[3]})
        end
        function deeds.keep(step, back)
            local content = redis.call('DUMP', step[2])
            local ttl = redis.call('PTTL', step[2])
            table.insert(back, 1, {'restore', step[2], content or '', tostring(math.max(ttl, 0))})
        end
        function deeds.restore(step, back)
            redis.call('DEL', step[2])
            if step[3] ~= '' then redis.call('RESTORE', step[2], step[4], step[3]) end
        end
        function deeds.zrem(step, back)
            local score = redis.call('ZSCORE', step[2], step[3])
            redis.call('ZREM', step[2], step[3])
            table.insert(back, 1, {'zadd', step[2], step[3], score})
        end
        function deeds.zadd(step, back)
            local score = redis.call('ZSCORE', step[2], step[3])
            redis.call('ZADD', step[2], step[4], step[3])
            if score then table.insert(back, 1, {'zadd', step[2], step[3], score})
            else table.insert(back, 1, {'zrem', step[2], step[3]}) end
        end
        function deeds.sadd(step, back)
            redis.call('SADD', step[2], step[3])
            table.insert(back, 1, {'srem', step[2], step[3]})
        end
        function deeds.srem(step, back)
            redis.call('SREM', step[2], step[3])
            table.insert(back, 1, {'sadd', step[2], step[3]})
        end
        function deeds.field(step, back)
            local old = redis.call('HGET', step[2], step[3])
            if step[4] then redis.call('HSET', step[2], step[3], step[4])
            else redis.call('HDEL', step[2], step[3]) end
            table.insert(back, 1, {'field', step[2], step[3], old or nil})
        end
        function deeds.xdel(step, back)
            local entry = redis.call('XRANGE', step[2], step[3], step[3])[1]
            redis.call('XDEL', step[2], step[3])
            table.insert(back, 1, {'xadd', step[2], step[4], step[5], unpack(entry[2])})
        end
        function deeds.xadd(step, back)
            local id = redis.call('XADD', step[2], '*', unpack(step, 5))
            table.insert(back, 1, {'xdel', step[2], id, step[3], step[4]})
        end
        function deeds.require() end
        function deeds.settle() end
        function deeds.wake(step)
            if redis.call('HGET', step[3], 'paused') then return end
            redis.call('ZADD', step[2], 0, '0')
        end
        function deeds.call(step) redis.call(unpack(step, 2)) end
        local function run(steps)
            local lists, back, settled = {}, {}, {}
            for _, step in ipairs(steps) do
                if step[1] == 'settle' then
                    local list = settle(unpack(step, 2))
                    lists[step[3]], lists[step[4]] = list, list
                    table.insert(settled, step)
                end
                step[2] = lists[step[2]] or step[2]
                if broken(step) then return nil end
            end
            for _, step in ipairs(steps) do deeds[step[1]](step, back) end
            for _, step in ipairs(settled) do table.insert(back, 1, step) end
            return back
        end

        """

    private static let performing = """
        local steps, lists, place = {}, {}, 9 + tonumber(ARGV[8])
        for index = 9, place - 1 do table.insert(lists, ARGV[index]) end
        while place <= #ARGV do
            local count = tonumber(ARGV[place])
            table.insert(steps, {unpack(ARGV, place + 1, place + count)})
            place = place + count + 1
        end
        local back = run(steps)
        if not back then return redis.error_reply('CHANGED') end
        redis.call('LPUSH', KEYS[1],
            cmsgpack.pack({ARGV[1], ARGV[2], ARGV[3], back, ARGV[5], ARGV[6], ARGV[7], lists}))
        -- A verb on more tasks than the limit is kept whole until the next one.
        local oldest = ARGV[6] ~= '' and redis.call('LINDEX', KEYS[1], ARGV[4])
        if not oldest or cmsgpack.unpack(oldest)[6] ~= ARGV[6] then
            redis.call('LTRIM', KEYS[1], 0, ARGV[4] - 1)
        end
        return 1
        """

    /// When a person's last change was.
    private static let dating = """
        for _, row in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
            local kept = cmsgpack.unpack(row)
            if kept[1] == ARGV[1] then return tonumber(kept[5]) end
        end
        return 0
        """

    private static let undoing = """
        -- A hold that began or ended since then moved the elements between a list and the list of
        -- its held tasks.
        local words = {take = true, put = true, swap = true, beside = true, ['return'] = true}
        local function other(list)
            local tag, word = string.match(list, '^(.*):sluice:(%a+)$')
            if word == 'held' then return string.match(tag, '^{([^{}]*)}$') or tag end
            if word then return list end
            return (string.find(list, '[{}]') and list or '{' .. list .. '}') .. ':sluice:held'
        end
        local function moved(steps, moves)
            local other_steps = {}
            for index, step in ipairs(steps) do
                other_steps[index] = {unpack(step)}
                if words[step[1]] and moves(step[2]) then
                    other_steps[index][2] = other(step[2])
                end
            end
            return other_steps
        end
        -- Whether elements of a list are in the other one now, by the record of the hold.
        local function left(kept)
            local lists = {}
            for _, list in ipairs(kept[8] or {}) do
                lists[list], lists[other(list)] = 0, 1
            end
            local isHeld = next(lists) and redis.call('EXISTS', kept[7]) or 0
            return function(list) return lists[list] and lists[list] ~= isHeld end
        end
        local function all() return true end
        for _, row in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
            local kept = cmsgpack.unpack(row)
            if kept[1] == ARGV[1] then
                local deed = kept[6] or ''
                if ARGV[2] ~= '' and deed ~= ARGV[2] then return {} end
                local isDone = run(moved(kept[4], left(kept))) or run(kept[4])
                    or run(moved(kept[4], all))
                redis.call('LREM', KEYS[1], 1, row)
                -- An entry returns to the end of its stream.
                local place = ''
                for _, step in ipairs(kept[4]) do
                    if step[1] == 'xadd' then place = 'last' end
                end
                if isDone then return {kept[3], kept[2], deed, place} end
                redis.call('RPUSH', KEYS[1], row)
                return {kept[3], kept[2], deed, 'changed'}
            end
        end
        return {}
        """
}
