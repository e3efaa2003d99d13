import SluiceControl
import SluiceModel
import SluiceStore

/// Random operations on a store, the same for every engine that draws them from the same seed.
struct RandomOperation {
    let bench: Bench
    var random: SeededRandom
    private var claimed: [Claimed] = []
    private var runners: [ProcessID] = []
    /// The answer of the last operation, held against the store; nil where it was no verb.
    private(set) var answered: (wrong: [String], compared: Int)?
    private let keys = ["k", "l"]
    private let groups = ["g", "h", "i"]

    init(_ bench: Bench, seed: Int) throws {
        self.bench = bench
        random = SeededRandom(seed: seed)
        for name in ["q", "r"] {
            let settings = drawSettings()
            try bench.makeQueue(name) { $0 = settings }
        }
        runners = [try bench.attach()]
    }

    private mutating func drawSettings() -> QueueSettings {
        var settings = QueueSettings()
        settings.order = random.pick(QueueOrder.allCases)
        settings.afterFailure = random.pick([.advance, .advance, .block])
        settings.concurrency = 1 + random.below(3)
        let user = PayloadPath([.key("user")])
        settings.rate = random.pick([
            nil, nil, nil, Rate(3, each: 50), Rate(3, each: 50, per: user),
        ])
        settings.whenStartFails = random.pick(StartFailurePolicy.allCases)
        settings.retry = .fixed(milliseconds: random.pick([0, 20]))
        settings.attemptLimit = random.pick([2, 5, nil])
        settings.keepFinished = random.pick([.none, .last(3), .acknowledged])
        settings.start = random.pick([
            .continuous, .continuous, .manual, .batched(count: 2, delayMilliseconds: 30),
        ])
        return settings
    }

    /// Performs one operation. A refusal is a valid result.
    mutating func next() throws {
        answered = nil
        do {
            switch random.below(23) {
            case 0...4: try enqueue()
            case 5...8: try claim()
            case 9...12: try settle()
            case 13: try reap()
            case 14:
                bench.pass(Int64(random.below(40)))
                try bench.act { _ = try $0.workOffWakes() }
            case 15: try edit()
            case 16: try changeSession()
            case 17: try talkAsClient()
            default:
                let verb = try verb()
                let check = AnswerCheck(bench, before: verb)
                let answer = try bench.perform(verb)
                answered = (try check.wrong(verb, answer), check.compared)
            }
        } catch let error as QueueError {
            guard error.code != .damagedStore else { throw error }
        }
    }

    /// Ends every execution and detaches every runner.
    mutating func endAll() throws {
        claimed = []
        for _ in runners.indices { try reap() }
    }

    private mutating func enqueue() throws {
        let requests = (0...random.below(3)).map { _ in
            request(random.pick(["a", "b"])) {
                $0.priority = random.below(3)
                $0.sortKey = random.pick([nil, .integer(1), .text("x")])
                if random.once(in: 3) { $0.groupStart = random.pick(groups) }
                if random.once(in: 2) {
                    $0.groupMembers = Array(Set([random.pick(groups), random.pick(groups)]))
                        .sorted()
                }
                if random.once(in: 4) {
                    $0.uniqueKey = random.pick(keys)
                    $0.uniquePolicy = random.pick(UniquePolicy.allCases)
                }
                if random.once(in: 6) { $0.notBefore = bench.now + Int64(random.below(60)) }
                if random.once(in: 8) { $0.expiresAt = bench.now + Int64(random.below(60)) }
                $0.isRequired = random.once(in: 10)
                if random.once(in: 5) {
                    $0.session = "s"
                    $0.clientString = random.pick([nil, "", ClientString(bytes: [0xFF])])
                    $0.collector = random.pick([nil, runners[0]])
                }
            }
        }
        try bench.enqueue(requests, to: random.pick(["q", "r"]))
    }

    private mutating func claim() throws {
        claimed += try bench.claim(random.pick(runners), slots: 1 + random.below(3))
    }

    private mutating func settle() throws {
        guard !claimed.isEmpty else { return }
        let one = claimed.remove(at: random.below(claimed.count))
        let ending = random.pick(Self.endings)
        var completion = one.completion(ending)
        if case .handler(.success, _) = ending { completion.result = [UInt8(one.task.id % 7)] }
        if random.once(in: 4) {
            completion.followUps = [FollowUp(queue: "q", task: member("g", start: "h"))]
        }
        var request: ClaimRequest?
        // As a runner's, in one commit with a claim.
        if random.once(in: 2) {
            request = ClaimRequest(
                runner: random.pick(runners), freeSlots: 1 + random.below(3), inFlight: 0)
        }
        let next = request
        let sent = completion
        claimed += try bench.act { mutation in
            _ = try mutation.settle([sent])
            return try next.map { try mutation.claim($0) } ?? []
        }
    }

    private static let endings: [Ending] = [
        .handler(.done), .handler(.done), .handler(.fail), .handler(.fail),
        .handler(.giveUp(error: "no")), .handler(.park(error: nil)),
        .handler(.pauseQueue(milliseconds: 20, isCounted: false, error: nil)),
        .handler(.offline(error: nil)), .stopped(.timedOut), .stopped(.cancelled),
        .abandoned(.stopped), .lost,
    ]

    private mutating func reap() throws {
        let gone = runners.removeFirst()
        try bench.act { _ = try $0.reap(gone) }
        runners.append(try bench.attach())
    }

    /// One of the runners also edits: it begins an edit, or ends its current one.
    private mutating func edit() throws {
        let (editor, target) = (random.pick(runners), try targets()[0])
        if random.once(in: 2) { return try bench.act { try $0.endEdit(of: editor) } }
        try bench.act { mutation in
            guard let task = try mutation.store.task(target.id) else { return }
            try mutation.beginEdit(task, by: "ann", owner: editor, instant: 0)
        }
    }

    /// A process opens the session, or closes it with `cancel`.
    private mutating func changeSession() throws {
        let (process, isEnd) = (random.pick(runners), random.once(in: 3))
        try bench.act { mutation in
            if isEnd {
                _ = try mutation.withdraw(
                    session: "s", of: process, by: "app", from: .start, limit: 3)
            } else {
                _ = try mutation.adopt(session: "s", by: process, from: .start, limit: 3)
            }
        }
    }

    /// The client of a session changes, issues again or acknowledges one of its tasks.
    private mutating func talkAsClient() throws {
        let (target, kind, process) = (try targets()[0], random.below(4), runners[0])
        let begin = bench.now + Int64(random.below(60))
        try bench.act { mutation in
            let task = try mutation.store.requireTask(target.id)
            switch kind {
            case 0: try mutation.apply(.annotate("new"), to: task)
            case 1: try mutation.apply(.begin(begin), to: task)
            case 2: try mutation.acknowledge(task)
            default:
                _ = try mutation.reissue(
                    task, type: "b", payload: [1], collector: process, by: "app")
            }
        }
    }

    private mutating func targets() throws -> [TaskTarget] {
        let ids = try bench.read { store in
            try TaskState.Name.allCases.flatMap { state in
                try ["q", "r"].flatMap {
                    try store.tasks(matching: TaskQuery(queue: $0, state: state, limit: 100))
                }
            }
        }.map(\.id).sorted()
        guard !ids.isEmpty else { return [TaskTarget(1)] }
        return (0...random.below(2)).map { _ in TaskTarget(random.pick(ids)) }
    }

    private mutating func breakpoint() throws -> BreakRequest {
        let filters = ["type:a", "type:b queue:q", "group:g", "attempts>0", "payload.x or -{}"]
        var request = BreakRequest(try TaskFilter(random.pick(filters)))
        request.moment = random.pick(Breakpoint.Moment.allCases)
        request.atHit = random.pick([nil, nil, 2])
        request.times = random.pick([nil, 1, 2])
        request.isLog = random.once(in: 4)
        request.forMilliseconds = random.pick([nil, 50])
        request.owner = random.once(in: 3) ? random.pick(runners) : nil
        return request
    }

    private mutating func fault() throws -> FaultRequest {
        let filters = ["type:a", "type:b queue:q", "group:g", "attempts>0", "payload.x or -{}"]
        let kinds: [Fault.Kind] = [.fail("e"), .timeOut, .delay(milliseconds: 9), .crashAfter]
        var request = FaultRequest(
            try TaskFilter(random.pick(filters)), random.pick(kinds))
        if random.once(in: 2) {
            (request.chance, request.seed) = (0.5, 3)
        } else {
            request.times = random.pick([nil, 1, 2])
        }
        request.forMilliseconds = random.pick([nil, 50])
        return request
    }

    private mutating func verb() throws -> Verb {
        let some = try targets()
        let queue = random.pick(["q", "r"])
        let members = random.pick(StartFailurePolicy.allCases + [nil])
        let all: [Verb] = [
            .pause(PauseRequest(.queue(queue))), .resume(.queue(queue)), .resume(.queue(queue)),
            .run(queue: queue, limit: random.pick([nil, .count(2)])),
            .skip(some, forMilliseconds: random.pick([nil, 30])), .unskip(some),
            .delete(some, cancelsRunning: random.once(in: 2), members: members),
            .undelete(some), .undelete(some), .retry(some), .retry(some),
            .postpone(some, until: bench.now + Int64(random.below(40))),
            .priority(some, .number(random.below(3))),
            .move(some[0], random.pick([.first, .last, .before(some[some.count - 1].id)])),
            .moveToQueue(some, queue), .duplicate(some), .cancel(some), .reclaim(some),
            .acknowledge(some), .purge(some, members: random.pick(MemberFate.allCases + [nil])),
            .edit(some, payload: [7], fields: [.label("x"), .sortKey(.integer(0))]),
            .network(forced: random.pick([nil, true, false]), queue: queue),
            .setQueue(queue, [.order(random.pick(QueueOrder.allCases))]),
            .setQueue(queue, [.whenStartFails(random.pick(StartFailurePolicy.allCases))]),
            .setQueue(queue, [.start(random.pick([.continuous, .manual, .batched]))]),
            .setQueue(queue, [.ofType("a", random.pick([.attempts(1), .attempts(nil)]))]),
            .setQueue(queue, [.ofType("b", .retry(.fixed(milliseconds: 20)))]),
            .setQueue(queue, [.rank(random.pick(["none", "a,b", "b,a", "a=b"]))]),
            .undo(event: nil), .undo(event: nil), .undo(event: nil),
            .setBreakpoint(try breakpoint()), .setBreakpoint(try breakpoint()),
            .removeBreakpoints(.all), .goOn(queue: queue), .goOn(queue: queue),
            .setFault(try fault()), .setFault(try fault()), .removeFaults(.all),
        ]
        return random.pick(all)
    }
}
