import SluiceModel
import Testing

@Suite("faults as values")
struct FaultTests {
    private static func fault(
        _ filter: String, _ kind: Fault.Kind = .fail(nil), _ limit: Fault.Limit = .times(1)
    ) throws -> Fault {
        try Fault(
            number: 1, filter: TaskFilter(filter), kind: kind, limit: limit, by: "ann")
    }

    private static let task = QueueTask(
        id: 5, queue: "profiles", type: "identify", position: 5,
        createdAt: Timestamp(milliseconds: 0), state: .waiting(Waiting()))
    private static let facts = KnownFacts(
        now: Timestamp(milliseconds: 1000), display: .due,
        payload: Array(#"{"user":{"id":7}}"#.utf8))

    @Test(
        "G2 what a command says of a fault is read, and said again",
        arguments: [
            ("fail", Fault.Kind.fail(nil)), ("fail=HTTP 500: a=b", .fail("HTTP 500: a=b")),
            ("retry-after=30s", .retryAfter(milliseconds: 30_000)),
            ("retry-after=0s", .retryAfter(milliseconds: 0)), ("give-up", .giveUp(nil)),
            ("give-up=no", .giveUp("no")), ("time-out", .timeOut), ("offline", .offline),
            ("delay=1.5s", .delay(milliseconds: 1500)), ("crash-before", .crashBefore),
            ("crash-after", .crashAfter), ("twice", .twice),
        ])
    func kinds(_ words: String, _ kind: Fault.Kind) throws {
        #expect(try Fault.Kind(words) == kind)
        #expect(kind.words == words)
    }

    @Test(
        "G2 what goes wrong in no such way is refused",
        arguments: [
            "", "fails", "Fail", "fail=", "give-up=", "retry-after", "retry-after=soon", "delay",
            "delay=0s", "delay=-1s", "time-out=1s", "offline=x", "twice=3", "crash",
            "fail=\(String(repeating: "x", count: 2001))",
        ])
    func wrongKinds(_ words: String) {
        let error = #expect(throws: QueueError.self) { try Fault.Kind(words) }
        #expect(error?.code == .badValue && error?.fix.isEmpty == false)
    }

    @Test("G2 a fault asks what a task itself says, and a word of anything else is refused")
    func filters() throws {
        for filter in ["state:failed", "age>5m", "error:boom", "runner:3", "unique:k"] {
            let error = #expect(throws: QueueError.self) { try Self.fault(filter) }
            #expect(error?.code == .badFilter)
            #expect(error?.message.hasPrefix("a fault cannot ask \"\(filter)\"") == true)
            #expect(error?.fix.contains("on-failure") == false)
        }
        for filter in ["type:identify", "payload.user.id=7", "attempts=0 queue:profiles"] {
            var faults = Faults()
            faults.all = [try Self.fault(filter)]
            #expect(try faults.take(Self.task, Self.facts, allowsCrash: false).fault?.number == 1)
        }
    }

    @Test(
        "G2 a chance is from 0 to 1, a count from 1 on",
        arguments: [
            (Fault.Limit.chance(0, seed: 1), true), (.chance(1, seed: -1), true),
            (.chance(-0.001, seed: 1), false), (.chance(1.001, seed: 1), false),
            (.chance(.nan, seed: 1), false), (.times(1), true), (.times(0), false),
        ])
    func limits(_ limit: Fault.Limit, _ isAllowed: Bool) {
        let found = try? Self.fault("type:a", .timeOut, limit)
        #expect((found != nil) == isAllowed)
    }

    @Test("G2 an attempt has one fault, the oldest that matches and is not spent")
    func oldest() throws {
        var faults = Faults()
        faults.all = [
            try Self.fault("type:track"), try Self.fault("id:5", .crashBefore),
            try Self.fault("queue:profiles", .timeOut, .times(2)),
            try Self.fault("type:identify", .twice),
        ]
        for index in faults.all.indices { faults.all[index].number = Int64(index) + 1 }
        var taken: [Int64?] = []
        for allowsCrash in [false, true, false, true, true] {
            taken.append(
                try faults.take(Self.task, Self.facts, allowsCrash: allowsCrash).fault?.number)
        }
        #expect(taken == [3, 2, 3, 4, nil])
        #expect(faults.all.map(\.applied) == [0, 1, 2, 1])
        #expect(faults.all.map(\.left) == [1, 0, 0, 0])
    }

    @Test("G2 its time ends it")
    func ends() throws {
        var one = try Self.fault("type:identify")
        one.until = Timestamp(milliseconds: 10)
        #expect(one.isActive(at: Timestamp(milliseconds: 9)))
        #expect(!one.isActive(at: Timestamp(milliseconds: 10)))
    }

    @Test("G2 the k-th match draws from the seed and k alone, as often as the chance says")
    func chance() throws {
        func draws(_ chance: Double, seed: Int64, _ count: Int = 10_000) throws -> [Bool] {
            var one = try Self.fault("type:identify", .twice, .chance(chance, seed: seed))
            return (0..<count).map { _ in one.count() }
        }
        #expect(try draws(0.1, seed: 7) == draws(0.1, seed: 7))
        #expect(try draws(0.1, seed: 7) != draws(0.1, seed: 8))
        for (chance, expected) in [(0, 0...0), (0.1, 900...1100), (1, 10_000...10_000)] {
            let taken = try draws(chance, seed: 42).count { $0 }
            #expect(expected.contains(taken), "\(chance): \(taken)")
        }
        // The sequence must never change, so that recorded seeds stay valid.
        let first = try draws(0.5, seed: 1, 16).map { $0 ? 1 : 0 }
        #expect(first == [0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1])
    }

    @Test("G2 a match that chance passes over is left to the next fault")
    func passedOver() throws {
        var faults = Faults()
        faults.all = [
            try Self.fault("type:identify", .twice, .chance(0, seed: 1)),
            try Self.fault("type:identify", .timeOut),
        ]
        faults.all[1].number = 2
        #expect(try faults.take(Self.task, Self.facts, allowsCrash: true).fault?.number == 2)
        #expect(faults.all.map(\.matches) == [1, 1])
    }
}
