import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("enqueue")
struct EnqueueTests {
    @Test("T3 many are enqueued whole or not at all", arguments: Engine.all)
    func atomic(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let requests = [request(), request(), request("")]
        #expect(throws: QueueError.self) { try bench.enqueue(requests) }
        #expect(try bench.waiting() == [])
        let ids = try bench.enqueue([request("a"), request("b")])
        #expect(try bench.waiting() == ids)
    }

    @Test(
        "T3 D9 tasks that come by the batch are one commit, one line and one undo",
        arguments: Engine.all)
    func batches(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let batches: RequestBatches = {
            var left = 3
            return {
                left -= 1
                return left < 0 ? nil : (0..<700).map { request("t\(left)-\($0)") }
            }
        }
        let answer = try bench.control().enqueueBlocking(to: "q", batches)
        #expect(answer.changed.count == 2100)
        #expect(try bench.waiting() == answer.changed)
        #expect(try bench.events().map(\.kind) == ["enqueue"])
        #expect(try bench.task(answer.changed[0]).type == "t2-0")
        try bench.perform(.undo(event: nil))
        #expect(try bench.waiting() == [])
    }

    @Test("T3 a batch that is refused takes those before it along", arguments: Engine.all)
    func badBatch(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let batches: RequestBatches = {
            var left = 2
            return {
                left -= 1
                guard left > 0 else { throw QueueError(.badValue, "line 701", fix: "fix it") }
                return (0..<700).map { _ in request() }
            }
        }
        #expect(throws: QueueError.self) {
            try bench.control().enqueueBlocking(to: "q", batches)
        }
        #expect(try bench.read { try $0.queues() }.isEmpty)
        #expect(try bench.events().isEmpty)
    }

    @Test("T6 limits refuse with their code", arguments: Engine.all)
    func limits(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.maximumPayloadBytes = 4
            $0.maximumDepth = 2
        }
        let bad: [(EnqueueRequest, QueueError.Code)] = [
            (request { $0.payload = [1, 2, 3, 4, 5] }, .payloadTooLarge),
            (request { $0.depth = 3 }, .tooDeep),
            (request { $0.attemptLimit = 0 }, .badValue),
            (request("a\u{1}"), .badName),
            (request { $0.groupStart = "" }, .badName),
            (request { $0.groupMembers = ["x", String(repeating: "g", count: 201)] }, .badName),
            (request { $0.uniqueKey = "\n" }, .badName),
        ]
        for (request, code) in bad {
            #expect(try bench.refusal(.enqueue(queue: "q", [request])) == code)
        }
        #expect(try bench.refusal(.enqueue(queue: "a\u{7f}", [request()])) == .badName)
        #expect(try bench.waiting() == [])
    }

    @Test(
        "T6 a full queue takes no more, and nothing that grows by nothing is refused",
        arguments: Engine.all)
    func full(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.maximumLength = 2 }
        let unique = request { $0.uniqueKey = "k" }
        let ids = try bench.enqueue([unique, request()])
        #expect(try bench.refusal(.enqueue(queue: "q", [request()])) == .queueFull)
        #expect(try bench.enqueue([unique]) == [ids[0]])
        let newest = try bench.enqueue([
            request { ($0.uniqueKey, $0.uniquePolicy) = ("k", .replace) }
        ])
        #expect(try bench.waiting() == [newest[0], ids[1]])
        #expect(try bench.refusal(.enqueue(queue: "q", [unique, request()])) == .queueFull)
        let runner = try bench.attach()
        try bench.claim(runner)
        #expect(try bench.refusal(.enqueue(queue: "q", [request()])) == nil)
    }

    @Test("D1 a pause of enqueues refuses them, one of work does not", arguments: Engine.all)
    func paused(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        for scope in [VerbScope.queue("q"), .store] {
            for direction in Pause.Direction.allCases {
                var pause = PauseRequest(scope)
                pause.direction = direction
                try bench.perform(.pause(pause))
                let code = try bench.refusal(.enqueue(queue: "q", [request()]))
                #expect(code == (direction == .work ? nil : .enqueuePaused))
                try bench.perform(.resume(scope))
            }
        }
    }

    @Test(
        "Q8 a task expires from its own time or the queue's, starts where they may",
        arguments: Engine.all)
    func expiry(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.expiresAfterMilliseconds = 1000
            $0.startsExpire = false
            $0.whenStartFails = .hold
        }
        let ids = try bench.enqueue([
            member(start: "g"), member("g"), request(), request { $0.expiresAt = at(5000) },
        ])
        let runner = try bench.attach()
        try bench.perform(.pause(PauseRequest(.queue("q"))))
        bench.pass(1000)
        #expect(try bench.display(ids[2]) == .failed)
        #expect(try bench.states(ids) == [.waiting, .waiting, .waiting, .waiting])
        try bench.claim(runner)
        #expect(try bench.states(ids) == [.waiting, .failed, .failed, .waiting])
        #expect(try bench.task(ids[2]).lastError == "expired")
        #expect(try bench.record().pauses.count == 1)
        let expired = try bench.events().filter { $0.kind == "expired" }
        #expect(Set(expired.map(\.task)) == [ids[1], ids[2]])
        try bench.perform(.resume(.queue("q")))
        #expect(try bench.drain(runner) == [ids[0], ids[3]])
    }

    @Test(
        "Q8 more than one sweep's worth of expired tasks holds nothing up", arguments: Engine.large)
    func manyExpired(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let late = request { $0.expiresAt = at(10) }
        try bench.enqueue(Array(repeating: late, count: 1005))
        let id = try bench.enqueue(1)[0]
        let runner = try bench.attach()
        bench.pass(10)
        let now = bench.now
        #expect(
            try bench.read {
                try $0.nextTask(of: try $0.requireQueue("q"), now: now)?.id
            } == id)
        #expect(try bench.claim(runner).map(\.task.id) == [id])
    }

    @Test(
        "A3 T6 follow-ups come with the success, deeper by one, or at depth 0 when they wait",
        arguments: Engine.all)
    func followUps(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        try bench.makeQueue("other") { $0.maximumLength = 1 }
        try bench.enqueue(1, to: "other")
        var pause = PauseRequest(.queue("other"))
        pause.direction = .enqueues
        try bench.perform(.pause(pause))
        let runner = try bench.attach(queues: ["q"])
        let id = try bench.enqueue([request { $0.depth = 3 }])[0]
        let claimed = try bench.claimOne(runner)
        var completion = claimed.completion(.handler(.done))
        completion.followUps = [
            FollowUp(queue: "other", task: request("now")),
            FollowUp(queue: "other", task: request("later"), delayMilliseconds: 10),
            FollowUp(queue: "new", task: request("made")),
        ]
        let sent = completion
        try bench.act { _ = try $0.settle([sent]) }
        let children = try bench.read { store in
            try store.followUps(of: id).map { try store.requireTask($0) }
        }
        #expect(
            Set(children.map { "\($0.queue) \($0.type) \($0.depth)" })
                == ["other now 4", "other later 0", "new made 4"])
        #expect(children.filter { $0.waiting?.timer != nil }.map(\.type) == ["later"])
    }

    @Test(
        "A3 a follow-up that cannot be is the error of its task, which is not done again",
        arguments: Engine.all)
    func badFollowUp(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.maximumPayloadBytes = 4 }
        let runner = try bench.attach()
        let bad: [FollowUp] = [
            FollowUp(queue: "q", task: request("")),
            FollowUp(queue: "", task: request()),
            FollowUp(queue: "q", task: request { $0.payload = [1, 2, 3, 4, 5] }),
            FollowUp(queue: "q", task: request { $0.groupMembers = ["\n"] }),
        ]
        for followUp in bad {
            let id = try bench.enqueue([request { $0.payload = [] }])[0]
            var completion = try bench.claimOne(runner).completion(.handler(.done))
            completion.followUps = [followUp]
            let sent = completion
            let settled = try bench.act { try $0.settle([sent]) }
            #expect(settled.first?.attempt?.outcome == .giveUp)
            #expect(try bench.states([id]) == [.failed])
            #expect(try bench.waiting() == [])
        }
        let deep = try bench.enqueue([request { ($0.depth, $0.payload) = (100, []) }])[0]
        var completion = try bench.claimOne(runner).completion(.handler(.done))
        completion.followUps = [FollowUp(queue: "q", task: request { $0.payload = [] })]
        let sent = completion
        try bench.act { _ = try $0.settle([sent]) }
        #expect(try bench.task(deep).lastError?.contains("deep") == true)
    }
}
