import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// How long a task has its unique key, and keys by a place of the payload (T5).
@Suite("the time of unique keys")
struct UniqueTimeTests {
    private func keyed(_ time: UniqueTime, _ policy: UniquePolicy = .keep) -> EnqueueRequest {
        request { ($0.uniqueKey, $0.uniquePolicy, $0.uniqueTime) = ("k", policy, time) }
    }

    private func order(_ type: String, _ payload: String) -> EnqueueRequest {
        var request = request(type)
        request.payload = Array(payload.utf8)
        return request
    }

    @Test(
        "T5 until its end: a running task keeps its key, an ended one does not",
        arguments: Engine.all)
    func end(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let first = try bench.enqueue([keyed(.end)])[0]
        let next = try bench.enqueue([keyed(.end), keyed(.end, .replace)])
        #expect(next[0] == first && next[1] > first)
        #expect(try bench.states([first]) == [.deleted])
        let runner = try bench.attach()
        let hand = try bench.claimOne(runner)
        #expect(
            try bench.enqueue([keyed(.end), keyed(.end, .replace)]) == [hand.task.id, hand.task.id])
        try bench.settle(hand)
        #expect(try bench.enqueue([keyed(.end)])[0] > hand.task.id)
    }

    @Test("T5 for a period: also after the end, from the enqueue on", arguments: Engine.all)
    func period(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.perform(.setQueue("q", [.keepFinished(.milliseconds(600_000))]))
        let time = UniqueTime.milliseconds(600_000)
        let first = try bench.enqueue([keyed(time)])[0]
        let runner = try bench.attach()
        bench.pass(60_000)
        try bench.settle(try bench.claimOne(runner))
        bench.pass(539_999)
        #expect(try bench.enqueue([keyed(time), keyed(time, .replace)]) == [first, first])
        #expect(try bench.refusal(.enqueue(queue: "q", [keyed(time, .reject)])) == .uniqueTaken)
        #expect(try bench.enqueue([keyed(.milliseconds(599_999))])[0] != first)
        let second = try bench.claimOne(runner)
        try bench.settle(second, .giveUp(error: "no"))
        bench.pass(1)
        #expect(try bench.enqueue([keyed(time)]) == [second.task.id])
        try bench.perform(
            .delete([TaskTarget(second.task.id)], cancelsRunning: false, members: nil))
        #expect(try bench.enqueue([keyed(time)])[0] > second.task.id)
    }

    @Test("T5 a queue that forgets ended tasks earlier refuses such a key")
    func forgotten() throws {
        let bench = try Bench(.memory)
        let time = UniqueTime.milliseconds(600_000)
        for keep in [KeepFinished.none, .last(100), .milliseconds(599_999), .acknowledged] {
            try bench.perform(.setQueue("q", [.keepFinished(keep)]))
            #expect(try bench.refusal(.enqueue(queue: "q", [keyed(time)])) == .badValue)
            #expect(try bench.refusal(.setQueue("q", [.unique("order:keep:10m")])) == .badValue)
        }
        try bench.perform(
            .setQueue("q", [.keepFinished(.milliseconds(600_000)), .unique("order:keep:10m")]))
        #expect(try bench.refusal(.setQueue("q", [.retention(599_999)])) == .badValue)
        #expect(try bench.refusal(.setQueue("q", [.preset(.yap)])) == .badValue)
        try bench.enqueue([keyed(time)])
    }

    @Test("T5 Q14 the key of a type is a place of the payload", arguments: Engine.all)
    func rules(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.perform(
            .setQueue(
                "q",
                [
                    .unique("id"), .ofType("send", .unique("order.number:replace")),
                    .ofType("free", .unique(nil)),
                ]))
        let ids = try bench.enqueue([
            order("send", #"{"order":{"number":7},"id":1}"#),
            order("send", #"{"order":{"number":8},"id":1}"#), order("send", #"{"id":1}"#),
            order("send", #"{"order":{"number":7},"id":2}"#),
            order("draw", #"{"id":"e\#u{301}"}"#), order("draw", #"{"id":"é"}"#),
            order("free", #"{"id":1}"#), order("free", #"{"id":1}"#), order("draw", "no JSON"),
        ])
        #expect(
            try bench.states([ids[0], ids[1], ids[2], ids[3]]) == [
                .deleted, .waiting, .waiting, .waiting,
            ])
        #expect(ids[4] == ids[5] && ids[6] != ids[7])
        #expect(try bench.task(ids[3]).uniqueKey == "7")
        #expect(try bench.task(ids[2]).uniqueKey == nil && bench.task(ids[8]).uniqueKey == nil)
        let own = try bench.enqueue([
            request("draw") { ($0.uniqueKey, $0.payload) = ("own", Array(#"{"id":"é"}"#.utf8)) }
        ])
        #expect(try bench.task(own[0]).uniqueKey == "own")
        let settings = try bench.record().settings
        #expect(settings.unique?.text == "id")
        #expect(settings.types["send"]?.unique?.value?.text == "order.number:replace")
        try bench.perform(.setQueue("q", [.likeQueue(type: "free", "unique")]))
        #expect(try bench.record().settings.types["free"] == nil)
    }

    @Test(
        "T5 a rule is read as it is written",
        arguments: [
            ("order", "order"), ("order:keep", "order"), ("order:replace", "order:replace"),
            ("a.b[0]:reject:end", "a.b[0]:reject:end"), ("order:10m", "order:keep:10m"),
            ("order:waiting", "order"), ("", nil), ("a,b", nil), ("order:0s", nil),
            ("order:soon", nil),
        ] as [(String, String?)])
    func texts(_ text: String, _ read: String?) {
        #expect(UniqueRule(text: text)?.text == read)
    }
}
