import SluiceControl
import SluiceModel
import SluiceStore

/// The text of an expectation, drawn from what the tasks of a `FilterWorld` have and nearly have.
struct RandomExpectation {
    private var random: SeededRandom
    private var filters: RandomFilter
    private let ids: [TaskID]

    init(_ world: FilterWorld) {
        random = world.world.random
        filters = RandomFilter(world.world.random)
        ids = ListSection.order(world.world.tasks, world.world.queue.settings.order).map(\.id)
    }

    mutating func next() -> String { expression(depth: 0) }

    private mutating func expression(depth: Int) -> String {
        let parts = (0...random.below(2)).map { _ in part(depth: depth) }
        return parts.joined(separator: random.pick([" and ", " or ", "  and\t"]))
    }

    private mutating func part(depth: Int) -> String {
        let mark = random.once(in: 4) ? "not " : ""
        if depth < 3, random.once(in: 4) { return "\(mark)(\(expression(depth: depth + 1)))" }
        return mark + check()
    }

    private mutating func check() -> String {
        let sign = random.pick(["==", "=", "!=", "<", "<=", ">", ">="])
        let task = random.pick(["#", ""]) + "\(random.pick(ids + [99]))"
        let equal = random.pick(["==", "=", " != "])
        switch random.below(7) {
        case 0: return "empty(q)"
        case 1: return "count(\(filters.next())) \(sign) \(random.below(5))"
        case 2: return "ran(\(attemptFilter())) \(sign) \(random.below(4))"
        case 3:
            let states = TaskFilter.State.allCases.filter { $0 != .expiring }.map(\.rawValue)
            return "state(\(task)) \(equal) \(random.pick(states))"
        case 4: return "attempts( \(task) )\(sign)\(random.below(4))"
        case 5: return "order(\"q\") \(equal) [\(list())]"
        default:
            let path = random.pick([".user.id", ".user.name", ".items[0]", ".none", "[0]"])
            let check = random.pick(["", " == 7", "=\"kim\"", " != 7", " < 8", "== null"])
            return "payload(\(task))\(path)\(check)"
        }
    }

    private mutating func attemptFilter() -> String {
        random.pick([
            "type:a", "type:b", "queue:q", "runner:1", "error:timeout", "duration>10ms", "-type:a",
            "type:a or error:no", "id:1..5",
        ])
    }

    /// All that is live in its order, or nearly that.
    private mutating func list() -> String {
        var named = ids
        if random.once(in: 2) { named.removeLast(random.below(named.count + 1)) }
        if random.once(in: 4) { named.shuffle(using: &random) }
        return named.map { "\($0)" }.joined(separator: random.pick([",", ", "]))
    }
}

struct ValueFacts: ExpectationFacts {
    let world: FilterWorld
    let uuid: (TaskID) throws -> String?

    private var live: [QueueTask] {
        let tasks = world.world.tasks.filter { $0.waiting != nil || $0.running != nil }
        return ListSection.order(tasks, world.world.queue.settings.order)
    }

    func live(in queue: String, first limit: Int) -> LiveTasks {
        LiveTasks(
            waiting: live.count { $0.waiting != nil }, running: live.count { $0.running != nil },
            first: Array(live.map(\.id).prefix(limit)))
    }

    func count(_ filter: TaskFilter, first limit: Int) throws -> CountedTasks {
        let states = filter.states(usually: [.running, .waiting, .failed])
        let wanted = Set(
            world.world.tasks.filter { states.contains($0.state.name) }.map(\.id))
        let found = try world.answer(filter, uuid: uuid).filter(wanted.contains)
        return CountedTasks(count: found.count, first: Array(found.prefix(limit)))
    }

    func ran(_ filter: TaskFilter, first limit: Int) throws -> CountedTasks {
        let ended = try world.attempts.values.filter { attempt in
            var task = QueueTask(
                id: attempt.task, queue: attempt.queue, type: attempt.type, position: 0,
                createdAt: at(0))
            (task.executions, task.lastError) = (1, attempt.error)
            return try filter.matches(
                task, KnownFacts(now: at(0), display: .failed, lastAttempt: attempt))
        }
        let matching = try world.answer(filter, uuid: uuid)
        let first = live.map(\.id).filter(matching.contains)
        return CountedTasks(count: ended.count, first: Array(first.prefix(limit)))
    }

    func task(_ reference: TaskReference) -> ExpectedTask? {
        world.world.tasks.first { $0.id == reference.number }.map {
            ExpectedTask(id: $0.id, display: world.display(of: $0), attempts: $0.attempts)
        }
    }

    func payload(of id: TaskID) -> [UInt8]? { world.payloads[id] }

    func name(_ id: TaskID) throws -> String {
        try uuid(id).map { String($0.prefix(8)) } ?? "#\(id)"
    }
}
