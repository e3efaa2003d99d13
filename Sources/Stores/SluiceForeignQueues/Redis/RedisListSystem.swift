import SluiceModel
import SluiceSystem

/// A system whose waiting tasks are elements of Redis lists, with workers that take by blocking
/// commands. Guards hold its queues.
protocol RedisListSystem: RedisSystem, QueueKeeping {
    /// Reads the list names that apps chose, for systems with such a choice.
    func learn() throws
    /// The id that an element of a list has.
    func reference(of element: [UInt8]) -> String?
    /// Whether an element may belong to a task, by a cheap test without decoding.
    func mayBe(_ reference: String, _ element: [UInt8]) -> Bool
    /// Whether an element may say that its task waits for a time or for something else.
    var saysDisplay: Bool { get }
    /// The details of a task if its element alone has them; `nil` if other keys have more.
    func detail(_ task: ForeignTask, in element: [UInt8]) -> ForeignDetail?
    /// The element of a task, if it was seen.
    func known(_ reference: String) -> KnownElement
    func tasks(_ elements: [[UInt8]], in queue: String, _ display: ForeignTask.Display) throws
        -> [ForeignTask]
    /// How the execution of a task ended that began after a moment of the server's clock; nil while
    /// it has not, or nothing is known of it.
    func end(of task: ForeignTask, since: Int64) throws -> (outcome: String?, error: String?)?
    /// The risks for held tasks.
    var risks: [String] { get }
    /// How its workers ask that do not wait in the server; nil where they wait.
    var polling: ListPolling? { get }
    /// The tasks of a state outside the lists: running, delayed or failed ones.
    func unlisted(_ state: TaskState.Name, of queue: String, limit: Int) throws -> [ForeignTask]
}

/// The list and the queue of an element.
struct ListPlace {
    var workList: WorkList
    var laneIndex: Int
    var list: [UInt8]
    var element: [UInt8]
    var queue: String

    var display: ForeignTask.Display {
        list == workList.held ? .held : list == workList.skipped ? .skipped : .due
    }
}

extension RedisListSystem {
    var keepers: KeeperLauncher { session.keepers }
    var seen: SeenElements { session.seen }

    /// By default workers wait in the server.
    var polling: ListPolling? { nil }

    /// By default an element waits for its turn alone.
    var saysDisplay: Bool { false }

    /// By default there is nothing to learn: most key names follow from the queue's name.
    func learn() throws {}

    /// By default an element contains its task's id, unless its format may escape a character of
    /// the id.
    func mayBe(_ reference: String, _ element: [UInt8]) -> Bool {
        let id = Array(reference.utf8)
        let isPlain = id.allSatisfy { $0 < 0x7f && $0 > 0x20 && !Self.escaped.contains($0) }
        return !isPlain || element.holds(id)
    }

    private static var escaped: [UInt8] { Array(#""\/<>&"#.utf8) }

    /// By default `nil`: a system keeps more than the element.
    func detail(_ task: ForeignTask, in element: [UInt8]) -> ForeignDetail? { nil }

    package func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        try tasks.map { task in
            try seen[task.reference].flatMap { detail(task, in: $0) } ?? detail(task.reference)
        }
    }

    /// The element that was last read for this task, if it is still cached.
    func known(_ reference: String) -> KnownElement { KnownElement(seen[reference]) }

    // Defaults for most list systems.
    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try holdByGuards(queue, note)
    }

    func release(_ queue: String) throws -> ForeignAnswer { try releaseFromGuards(queue) }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        try stepByGuards(queue, task: task, limits: limits)
    }

    /// The number of guard connections for a queue. A larger burst would leak.
    static var guardCount: Int { 256 }

    /// Does the keeper's work in this process until the hold ends.
    func keep(_ queue: String) throws {
        try learn()
        let workLists = workLists(of: queue)
        while true {
            do {
                let fresh = try RedisConnection(redis.address)
                guard try fresh.call("EXISTS", workLists[0].record).integer == 1,
                    let keeper = try GuardPool(
                        workLists, at: fresh.server, guards: Self.guardCount, polling: polling)
                else { return }
                try keeper.run()
                return
            } catch let error as RedisError {
                // A server that answers has not gone: it does not let this process hold.
                if error.refusal != nil || (try? redis.call("PING")) != nil {
                    try redis.call(
                        "SET", workLists[0].failure, error.message, "PX", Self.startMilliseconds)
                    throw error
                }
                // The connection was lost: hold again as soon as the server is back.
                try awaitServer()
            }
        }
    }

    /// Waits for the server, up to ten minutes. Retries less often after 30 seconds.
    private func awaitServer() throws {
        let began = SystemClock.monotonicMilliseconds()
        var waited: Int64 = 0
        while waited < 600_000 {
            if let fresh = try? RedisConnection(redis.address), (try? fresh.call("PING")) != nil {
                return
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: waited < 30_000 ? 20 : 200)
            waited = SystemClock.monotonicMilliseconds() - began
        }
        throw QueueError(.serverGone, "the server did not come back within 10 minutes")
    }

    /// Begins a hold, or resumes one whose keeper process has died.
    func holdByGuards(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        let workLists = workLists(of: queue)
        let isKept = try GuardPool.isThere(workLists[0], redis)
        let guards = workLists.reduce(0) {
            $0 + GuardPool.count(of: $1, among: workLists, Self.guardCount)
        }
        try RedisAbility.checkGuards(redis, workLists[0], guards: isKept ? 0 : guards)
        if !isKept { try checkTypes(workLists) }
        let isNew = try HoldRecord.begin(
            note, system: name, queue: queue, recipe: "guards", at: workLists[0].record, redis)
        if !isNew, isKept {
            throw QueueError.heldAlready(queue)
        }
        if !isKept { try startKeeper(queue, workLists[0], isNew: isNew) }
        return ForeignAnswer(consequences: ["its own tools show an empty queue"] + risks)
    }

    /// Throws `notLegal` if a key of a hold has another type of value: its end would fail as well.
    private func checkTypes(_ workLists: [WorkList]) throws {
        let keys = workLists.flatMap { [$0.list, $0.held, $0.skipped] }
        let types = try redis.pipeline(keys.map { RedisCommand("TYPE", $0) })
        for (key, type) in zip(keys, types) {
            guard let type = type.text, !["list", "none"].contains(type) else { continue }
            let name = String(decoding: key, as: UTF8.self)
            throw QueueError.notLegal(
                "nothing was held: \(name) is a \(type), and a list is needed",
                fix: "redis-cli TYPE \(ShellWord.quoted(name)) shows it")
        }
    }

    /// How long a process may take until it holds.
    private static var startMilliseconds: Int64 { 20_000 }

    /// Starts the keeper process of a queue. If it cannot hold, it records the reason, and a new
    /// hold ends again.
    private func startKeeper(_ queue: String, _ workList: WorkList, isNew: Bool) throws {
        try redis.call("DEL", workList.failure)
        try keepers.launch(name, queue)
        let began = SystemClock.monotonicMilliseconds()
        while SystemClock.monotonicMilliseconds() - began < Self.startMilliseconds {
            let answer = try GuardPool.ask(
                workList, ["verb": "ping"], redis, timeoutMilliseconds: 1_000)
            if answer == "done" { return }
            guard let reason = try redis.look("GET", workList.failure).text else { continue }
            // If the release fails too, the hold remains, and the error names the fix.
            let isOver = isNew && (try? releaseFromGuards(queue)) != nil
            let held = isOver ? "is not held" : "leaks"
            throw QueueError(
                .denied, "\(queue) \(held): the process that holds it could not: \(reason)",
                fix: isOver
                    ? ""
                    : "held tasks are returned by "
                        + "sluice \(ShellWord.command("resume", queue))")
        }
        throw QueueError(
            .denied, "the process that holds \(queue) did not start",
            fix: "held tasks are returned by "
                + "sluice \(ShellWord.command("resume", queue))")
    }

    /// Ends a hold: closes the guards, then moves the held tasks back to the front of the list.
    func releaseFromGuards(_ queue: String) throws -> ForeignAnswer {
        let workLists = workLists(of: queue)
        guard try redis.call("EXISTS", workLists[0].record).integer == 1 else {
            throw QueueError.notHeld(queue)
        }
        if try GuardPool.isThere(workLists[0], redis) {
            _ = try GuardPool.ask(workLists[0], ["verb": "end"], redis)
        }
        let names = [GuardPool.guardName(of: workLists[0]), GuardPool.name(of: workLists[0])]
        for line in try RedisClientLine.all(redis, database: redis.address.database)
        where names.contains(String(line.name)) {
            // Refused, the next question waits until the server has seen that they are closed.
            _ = try redis.pipeline([RedisCommand("CLIENT", "KILL", "ID", line.id)])
        }
        try awaitClosed(names)
        var moved: Int64 = 0
        for workList in workLists {
            if polling != nil { try redis.call(workList.clearing()) }
            moved += try redis.look("LLEN", workList.held).integer ?? 0
            try redis.call(workList.restoring())
        }
        try redis.call(
            "DEL", workLists[0].record, workLists[0].requests, workLists[0].failure)
        return ForeignAnswer(consequences: ["\(moved) given back to \(queue)"])
    }

    private func awaitClosed(_ names: [String]) throws {
        let database = redis.address.database
        let deadline = SystemClock.monotonicMilliseconds() + 5_000
        while try RedisClientLine.all(redis, database: database)
            .contains(where: { names.contains(String($0.name)) })
        {
            guard SystemClock.monotonicMilliseconds() < deadline else {
                throw QueueError(
                    .denied, "the process that holds the queue does not end",
                    fix: "end it (its connections are named \(names[0])) and resume again")
            }
        }
    }

    /// The place of a task among the lists of its queue.
    func place(of reference: String, in queue: String) throws -> ListPlace? {
        let known = known(reference)
        switch known {
        case .only(let element): return try place(ofElement: element, in: queue)
        case .seen(let element):
            if let place = try place(ofElement: element, in: queue) { return place }
        case .unknown: break
        }
        for (index, workList) in workLists(of: queue).enumerated() {
            for list in [workList.held, workList.list, workList.skipped] {
                if let element = try find(reference, in: list, takes: workList.takes) {
                    seen.keep(element, of: reference)
                    return ListPlace(
                        workList: workList, laneIndex: index, list: list, element: element,
                        queue: queue)
                }
            }
        }
        return nil
    }

    /// The place of an element, by one question for all lists of its queue.
    private func place(ofElement element: [UInt8], in queue: String) throws -> ListPlace? {
        let places = workLists(of: queue).enumerated().flatMap { index, workList in
            [workList.held, workList.list, workList.skipped].map { list in
                ListPlace(
                    workList: workList, laneIndex: index, list: list, element: element, queue: queue
                )
            }
        }
        let answers = try redis.pipeline(
            places.map { $0.workList.takes.place(of: element, in: $0.list) })
        return zip(places, answers).first { $1.integer != nil }?.0
    }

    /// Searches a list in pieces, in the order of taking.
    private func find(
        _ reference: String, in list: [UInt8], takes: ListEnd
    ) throws -> [UInt8]? {
        var start = 0
        while true {
            let piece = try elements(list, takes: takes, from: start, count: 1000)
            for element in piece
            where mayBe(reference, element)
                && self.reference(of: element)?.isSame(as: reference) == true
            {
                return element
            }
            if piece.count < 1000 { return nil }
            start += 1000
        }
    }

    /// A range of a list's elements in the order of taking.
    func elements(_ list: [UInt8], takes: ListEnd, from start: Int, count: Int) throws
        -> [[UInt8]]
    {
        guard count > 0 else { return [] }
        return takes.ordered(try redis.lookAll([takes.range(list, start, count)])[0])
    }

    func stepByGuards(
        _ queue: String, task: String?, limits: StepLimits
    ) throws -> ForeignStep? {
        guard let place = try steppable(queue, task) else { return nil }
        let listed = try tasks([place.element], in: queue, .held)
        guard let task = listed.first else { return nil }
        let began = SystemClock.monotonicMilliseconds()
        let since = try serverMilliseconds()
        let call: JSONObject = [
            "verb": "step", "lane": JSONValue(place.laneIndex),
            "element": .string(Base64.encode(place.element)),
        ]
        while true {
            switch try GuardPool.ask(place.workList, call, redis) {
            case "taken": return try followed(task, began: began, since: since, limits)
            case "held": break
            case "gone":
                throw QueueError.notHeldAnyMore(task)
            case nil:
                throw QueueError(
                    .denied, "the process that holds \(queue) does not answer",
                    fix: "sluice \(ShellWord.command("pause", queue)) starts it again; "
                        + "sluice \(ShellWord.command("resume", queue)) gives back")
            case let other?: throw QueueError(.denied, "the step was refused: \(other)")
            }
            guard SystemClock.monotonicMilliseconds() - began < limits.takeMilliseconds else {
                throw QueueError.nobodyTook(task)
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 50)
        }
    }

    /// The held task for a step; `nil` if it is not there.
    func steppable(_ queue: String, _ task: String?) throws -> ListPlace? {
        let workLists = workLists(of: queue)
        guard try redis.call("EXISTS", workLists[0].record).integer == 1 else {
            throw QueueError.notHeldYet(queue)
        }
        if let task {
            guard let place = try place(of: task, in: queue) else { return nil }
            guard place.list == place.workList.held else {
                throw QueueError.notLegal(
                    "task \(task) is not held",
                    fix: "sluice \(ShellWord.command("why", task))")
            }
            return place
        }
        for (index, workList) in workLists.enumerated() {
            let next = try elements(workList.held, takes: workList.takes, from: 0, count: 1)
            guard let element = next.first else { continue }
            return ListPlace(
                workList: workList, laneIndex: index, list: workList.held, element: element,
                queue: queue)
        }
        return nil
    }

    /// Waits for the end of an attempt that has begun.
    ///
    /// If the system records no outcome, the step has a note about that.
    func followed(
        _ task: ForeignTask, began: Int64, since: Int64, _ limits: StepLimits
    ) throws -> ForeignStep {
        let deadline = SystemClock.monotonicMilliseconds() + limits.endMilliseconds
        var pause = 2
        while SystemClock.monotonicMilliseconds() < deadline {
            if let end = try end(of: task, since: since) {
                var step = ForeignStep(
                    task: task, outcome: end.outcome, error: end.error,
                    milliseconds: SystemClock.monotonicMilliseconds() - began)
                if end.outcome == nil { step.note = "it has ended; nothing here says how" }
                return step
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: pause)
            pause = min(pause * 2, 100)
        }
        var step = ForeignStep(
            task: task, outcome: nil, error: nil,
            milliseconds: SystemClock.monotonicMilliseconds() - began)
        step.note = "a worker took it; it has not ended yet, or \(name) does not say so"
        return step
    }
}
