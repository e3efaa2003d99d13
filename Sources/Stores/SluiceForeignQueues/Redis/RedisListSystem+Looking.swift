import SluiceModel
import SluiceSystem

/// Reads that all list systems share.
extension RedisListSystem {
    /// None, for one that makes its pages in another way.
    func unlisted(_ state: TaskState.Name, of queue: String, limit: Int) throws -> [ForeignTask] {
        []
    }

    package func page(_ query: ForeignQuery) throws -> ForeignPage {
        let (queue, limit) = (query.queue, query.limit + 1)
        var tasks: [ForeignTask] = []
        if query.state == .running || (query.state == nil && query.after == nil) {
            tasks += try unlisted(.running, of: queue, limit: limit)
        }
        if query.state == nil || query.state == .waiting {
            var start = 0
            if let after = query.after { start = try offset(after: after, in: queue) }
            tasks += try waiting(in: queue, from: start, limit: max(0, limit - tasks.count))
        }
        let others = query.state.map { $0 == .running ? [] : [$0] } ?? [.waiting, .failed]
        for state in others where tasks.count < limit {
            tasks += try unlisted(state, of: queue, limit: limit - tasks.count)
        }
        return ForeignPage(first: query.limit, of: tasks)
    }

    /// The offset after a waiting task in its queue's lists; 0 if the task no longer exists.
    func offset(after reference: String, in queue: String) throws -> Int {
        if let end = seen.end(of: reference), let index = try index(of: reference, near: end) {
            return try start(of: end.list, in: queue) + index + 1
        }
        guard let place = try place(of: reference, in: queue) else { return 0 }
        let takes = place.workList.takes
        let found = try redis.lookAll([takes.place(of: place.element, in: place.list)])[0]
        let index = Int(found.integer ?? 0)
        let taken = takes == .left ? index : try length(of: place.list) - 1 - index
        return try start(of: place.list, in: queue) + taken + 1
    }

    /// The index of a task that ended a page: its former index, or a lower one if workers have
    /// taken tasks since. Returns `nil` if it is no longer there.
    private func index(of reference: String, near end: ListIndex) throws -> Int? {
        for count in [1, 1000] {
            let from = max(0, end.index + 1 - count)
            let piece = try elements(
                end.list, takes: end.takes, from: from, count: end.index + 1 - from)
            let found = piece.lastIndex {
                mayBe(reference, $0) && self.reference(of: $0)?.isSame(as: reference) == true
            }
            if let found { return from + found }
        }
        return nil
    }

    /// How many elements lie in the lists of a queue before one of them.
    private func start(of list: [UInt8], in queue: String) throws -> Int {
        var start = 0
        for workList in workLists(of: queue) {
            for other in [workList.held, workList.list, workList.skipped] {
                if other == list { return start }
                start += try length(of: other)
            }
        }
        return start
    }

    /// A page of the waiting tasks of a queue's lists: held tasks, then the list, then skipped
    /// tasks.
    func waiting(
        in queue: String, from start: Int, limit: Int
    ) throws -> [ForeignTask] {
        let parts = workLists(of: queue).flatMap { workList in
            [
                (workList, workList.held, ForeignTask.Display.held),
                (workList, workList.list, .due), (workList, workList.skipped, .skipped),
            ]
        }
        let lengths = try redis.lookAll(parts.map { RedisCommand("LLEN", $0.1) })
        var (skip, left) = (start, limit)
        var pieces: [(place: Int, from: Int, count: Int)] = []
        for (place, answer) in lengths.enumerated() where left > 0 {
            let length = Int(answer.integer ?? 0)
            if skip < length {
                let count = min(left, length - skip)
                pieces.append((place, skip, count))
                left -= count
            }
            skip = max(0, skip - length)
        }
        let answers = try redis.lookAll(
            pieces.map { parts[$0.place].0.takes.range(parts[$0.place].1, $0.from, $0.count) })
        var found: [ForeignTask] = []
        var isFirst = start == 0
        for (piece, answer) in zip(pieces, answers) {
            let (workList, list, display) = parts[piece.place]
            let elements = workList.takes.ordered(answer)
            var tasks = try tasks(elements, in: queue, display)
            // Who reads on names the last task, or the one before it where one was read to
            // see whether more follow.
            for index in tasks.indices.suffix(2) where tasks.count == elements.count {
                seen.keep(
                    end: ListIndex(list: list, takes: workList.takes, index: piece.from + index),
                    of: tasks[index].reference)
            }
            if isFirst, let first = tasks.firstIndex(where: { $0.display == .due }) {
                tasks[first].display = .next
                isFirst = false
            }
            found += tasks
        }
        return found
    }

    /// The tasks of each queue's lists that wait for a time, among the first `limit` of them.
    func timersInLists(limit: Int) throws -> [ForeignTimer] {
        let tasks = try queues().flatMap { try waiting(in: $0.name, from: 0, limit: limit) }
        return ForeignTimer.first(limit, of: tasks.filter { $0.display == .delayed })
    }

    /// Queues with the lengths of their lists and their holds, and the answers to the commands of
    /// `more` for each queue, in one round trip.
    func glance(
        at names: [String], asking more: (String) -> [RedisCommand] = { _ in [] }
    ) throws -> [(queue: ForeignQueue, answers: [RedisValue])] {
        func asked(_ name: String) -> [RedisCommand] {
            let workLists = workLists(of: name)
            return workLists.flatMap { workList in
                [workList.list, workList.held, workList.skipped].map { RedisCommand("LLEN", $0) }
            } + [RedisCommand("HGETALL", workLists[0].record)] + more(name)
        }
        let commands = names.map(asked)
        var answers = try redis.lookAll(commands.flatMap(\.self))[...]
        let own = zip(names, commands).map { name, commands in
            defer { answers = answers.dropFirst(commands.count) }
            return (name: name, answers: Array(answers.prefix(commands.count)))
        }
        var found = own.map { name, answers in
            let lists = workLists(of: name).count
            let counts = answers.prefix(3 * lists).map { Int($0.integer ?? 0) }
            var queue = ForeignQueue(name: name, system: self.name)
            for place in 0..<lists {
                queue.waiting += counts[3 * place] + counts[3 * place + 1]
                queue.held += counts[3 * place + 1]
                queue.skipped += counts[3 * place + 2]
            }
            queue.hold = HoldRecord.read(answers[3 * lists])
            return (queue: queue, answers: Array(answers.dropFirst(3 * lists + 1)))
        }
        if saysDisplay {
            for (place, queue) in try counted(found.map(\.queue)) { found[place].queue = queue }
        }
        guard found.contains(where: { $0.queue.hold != nil }) else { return found }
        let clients = Set(
            try RedisClientLine.all(redis, database: redis.address.database).map(\.name))
        for place in found.indices where found[place].queue.hold != nil {
            let keeper = GuardPool.name(of: workLists(of: names[place])[0])
            if !clients.contains(Substring(keeper)) {
                found[place].queue.hold?.leak =
                    "the process that holds it has ended: new tasks run"
            }
        }
        return found
    }

    /// The maximum number of elements whose tasks a count looks at.
    static var countLimit: Int { 1000 }

    /// Counts the tasks of short lists by what they show, since some wait for a time or for
    /// something else; the shortest queues first.
    private func counted(_ queues: [ForeignQueue]) throws -> [Int: ForeignQueue] {
        var left = Self.countLimit
        let places = queues.indices.filter { queues[$0].waiting + queues[$0].skipped > 0 }
            .sorted { queues[$0].waiting < queues[$1].waiting }
            .prefix { place in
                left -= queues[place].waiting + queues[place].skipped
                return left >= 0
            }
        let parts = places.flatMap { place in
            workLists(of: queues[place].name).flatMap { workList in
                [
                    (place, workList, workList.held, ForeignTask.Display.held),
                    (place, workList, workList.list, .due),
                    (place, workList, workList.skipped, .skipped),
                ]
            }
        }
        let answers = try redis.lookAll(
            parts.map { $0.1.takes.range($0.2, 0, Self.countLimit) })
        var found: [Int: ForeignQueue] = [:]
        for place in places {
            var queue = queues[place]
            (queue.waiting, queue.held, queue.skipped) = (0, 0, 0)
            found[place] = queue
        }
        for ((place, workList, _, display), answer) in zip(parts, answers) {
            let elements = workList.takes.ordered(answer)
            guard !elements.isEmpty else { continue }
            for task in try tasks(elements, in: queues[place].name, display) {
                found[place]?.add(1, task.display)
            }
        }
        return found
    }

    /// The commands that read the next element of the held list and of the list itself.
    func heads(of queue: String) -> [RedisCommand] {
        workLists(of: queue).flatMap { workList in
            [workList.held, workList.list].map { list in
                RedisCommand("LINDEX", list, workList.takes == .left ? 0 : -1)
            }
        }
    }

    /// The length of a list; 0 for a missing key or another type.
    func length(of list: [UInt8]) throws -> Int {
        Int(try redis.pipeline([RedisCommand("LLEN", list)]).first?.integer ?? 0)
    }

    func isHeld(_ queue: String) throws -> Bool {
        try redis.call("EXISTS", workLists(of: queue)[0].record).integer == 1
    }
}

/// The verbs that only move elements of lists: the same for every such system.
extension RedisListSystem {
    /// Skips, unskips or moves a task. Throws `notLegal` for changes that do not concern lists.
    func changeOfPlace(
        _ place: ListPlace, _ change: ForeignChange
    ) throws -> RedisSteps {
        let workList = place.workList
        var steps = RedisChange()
        switch change {
        case .skip:
            guard place.list != workList.skipped else {
                throw QueueError.notLegal("it is skipped already", fix: "sluice unskip takes it in")
            }
            steps.take(place.element, from: place.list)
            steps.put(place.element, into: workList.skipped, at: workList.takes.other)
            return (steps, ["it is kept in \(Self.text(workList.skipped)) until it is unskipped"])
        case .unskip:
            guard place.list == workList.skipped else {
                throw QueueError.notLegal("it is not skipped")
            }
            let list = try isHeld(place.queue) ? workList.held : workList.list
            steps.take(place.element, from: workList.skipped)
            steps.put(place.element, into: list, at: workList.takes)
            return (steps, ["it comes next"])
        case .move(let target):
            try move(place, target, &steps)
            return (steps, [])
        default: throw QueueError.notLegal("\(change.verb.rawValue) is not possible here")
        }
    }

    private func move(
        _ place: ListPlace, _ target: ForeignPlace, _ steps: inout RedisChange
    ) throws {
        guard place.list != place.workList.skipped else {
            throw QueueError.notLegal("it is skipped", fix: "sluice unskip takes it in first")
        }
        steps.take(place.element, from: place.list)
        let takes = place.workList.takes
        switch target {
        case .first: steps.put(place.element, into: place.list, at: takes)
        case .last: steps.put(place.element, into: place.list, at: takes.other)
        case .before(let other), .after(let other):
            guard let found = try self.place(of: other, in: place.queue), found.list == place.list
            else {
                throw QueueError.notLegal("task \(other) does not wait in the same list")
            }
            guard found.element != place.element else {
                throw QueueError.notLegal("a task cannot be moved next to itself")
            }
            var isBefore = false
            if case .before = target { isBefore = true }
            let side = isBefore == (takes == .left) ? "BEFORE" : "AFTER"
            steps.put(place.element, into: place.list, side, found.element)
        }
    }

    static func text(_ key: [UInt8]) -> String { String(decoding: key, as: UTF8.self) }

    /// Adds a task at the end of a queue. Returns the consequences in words.
    func enqueue(
        _ element: [UInt8], in queue: String, _ steps: inout RedisChange
    ) throws -> [String] {
        let workList = workLists(of: queue)[0]
        let isHeld = try isHeld(queue)
        steps.put(
            element, into: isHeld ? workList.held : workList.list, at: workList.takes.other)
        return [Self.place(isHeld: isHeld)]
    }

    /// The error of a verb on a running task that is no longer as it was read.
    static func hasChanged(_ reference: String) -> QueueError {
        QueueError(
            .changed, "task \(reference) has changed: it has ended, or its worker lives",
            fix: "look at it: sluice \(ShellWord.command("why", reference))")
    }

    /// The consequence of a task that joins a queue.
    static func place(isHeld: Bool) -> String {
        isHeld ? "it is held with its queue" : "the next idle worker takes it"
    }
}
