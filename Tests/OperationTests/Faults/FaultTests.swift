import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// A fault in attempts of what a filter matches.
func fault(
    _ filter: String, _ kind: Fault.Kind = .fail(nil),
    _ change: (inout FaultRequest) -> Void = { _ in }
) throws -> Verb {
    var request = FaultRequest(try TaskFilter(filter), kind)
    change(&request)
    return .setFault(request)
}

@Suite("faults")
struct FaultTests {
    private static func bench(_ engine: Engine) throws -> (bench: Bench, runner: ProcessID) {
        let bench = try Bench(engine)
        try bench.makeQueue {
            $0.concurrency = 8
            $0.retry = .fixed(milliseconds: 0)
        }
        return (bench, try bench.attach())
    }

    @Test(
        "G2 a claim takes the fault: the lease, the log and the journal say it, for ever",
        arguments: Engine.all)
    func taken(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let ids = try bench.enqueue([request("a"), request("x"), request("x")])
        try bench.perform(fault("type:x", .delay(milliseconds: 2000)))
        let claimed = try bench.claim(runner, slots: 8)
        let injection = Injection(fault: 1, kind: .delay(milliseconds: 2000))
        #expect(claimed.map(\.task.running?.injection) == [nil, injection, nil])
        #expect(try bench.task(ids[1]).running?.injection == injection)
        func injections(_ id: TaskID) throws -> [Injection?] {
            try bench.read { try $0.attempts(of: id).map(\.injection) }
        }
        #expect(try injections(ids[1]) == [injection])
        // It is spent, and gone.
        #expect(try bench.read { try $0.storeRecord().faults.isEmpty })
        let line = try #require(bench.events().last { $0.kind == "injected" })
        #expect(line.task == ids[1] && line.queue == "q")
        #expect(
            line.text
                == "fault 1 injected delay=2s into attempt 1 of #\(ids[1]) x, and is spent")
        for one in claimed { try bench.settle(one, .fail) }
        try bench.settle(try #require(bench.claim(runner).first))
        #expect(try injections(ids[0]) == [nil, nil])
        for id in ids[1...] { try bench.settle(try #require(bench.claim(runner).first)); _ = id }
        #expect(try injections(ids[1]) == [injection, nil] && injections(ids[2]) == [nil, nil])
    }

    @Test("G2 A2 a worker that died of it leaves a loss that says so", arguments: Engine.all)
    func lost(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let id = try bench.enqueue([request("x")])[0]
        try bench.perform(fault("type:x", .crashBefore))
        // Only one that allows it takes it.
        let claimed = try #require(bench.claim(runner).first)
        #expect(claimed.task.running?.injection == nil)
        try bench.settle(claimed, .fail)
        let doomed = try bench.attach()
        try bench.act { mutation in
            var process = try #require(mutation.store.processes().first { $0.id == doomed })
            process.allowsCrash = true
            try mutation.store.put(process)
        }
        #expect(
            try bench.claim(doomed).first?.task.running?.injection
                == Injection(fault: 1, kind: .crashBefore))
        try bench.act { _ = try $0.reap(doomed) }
        let last = try #require(bench.read { try $0.attempts(of: id).last })
        #expect(last.outcome == .lost && last.injection?.kind == .crashBefore)
        #expect(try bench.claim(runner).first?.task.running?.injection == nil)
    }

    @Test("G2 --times counts over all workers, oldest fault first", arguments: Engine.all)
    func times(_ engine: Engine) throws {
        let (bench, first) = try Self.bench(engine)
        let second = try bench.attach()
        try bench.enqueue(6)
        try bench.perform(fault("queue:q", .twice) { $0.times = 3 })
        try bench.perform(fault("queue:q", .offline))
        var faults: [Int64?] = []
        for runner in [first, second, first, second, first, second] {
            faults += try bench.claim(runner).map { $0.task.running?.injection?.fault }
        }
        #expect(faults == [1, 1, 1, 2, nil, nil])
    }

    @Test("G2 D3 a step's attempt is put to faults too", arguments: Engine.all)
    func step(_ engine: Engine) throws {
        let stepper = try Stepper(engine) { _ in }
        try stepper.pause()
        let bench = stepper.bench
        let id = try bench.enqueue([request("x")])[0]
        try bench.perform(fault("id:\(id)", .giveUp("declined")))
        let answer = try stepper.step()
        #expect(answer.stepped.map(\.outcome) == [.giveUp])
        #expect(answer.stepped.map(\.error) == ["declined"])
        #expect(answer.stepped.map(\.injection?.fault) == [1])
        #expect(stepper.calls.all.isEmpty)
        try stepper.end()
    }

    @Test("G2 a filter asks the payload, attempts so far, the group", arguments: Engine.all)
    func filters(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        try bench.enqueue([
            request("x"), member("g"), request("x") { $0.payload = Array("7".utf8) },
        ])
        try bench.perform(fault("attempts>0") { $0.times = 9 })
        try bench.perform(fault("group:g", .twice) { $0.times = 9 })
        try bench.perform(fault("text:7", .timeOut) { $0.times = 9 })
        let claimed = try bench.claim(runner, slots: 8)
        #expect(claimed.map(\.task.running?.injection?.fault) == [nil, 2, 3])
        for one in claimed { try bench.settle(one, .fail) }
        let again = try bench.claim(runner, slots: 8)
        #expect(again.map(\.task.running?.injection?.fault) == [1, 1, 1])
    }

    @Test("G2 the same seed and order give the same faults", arguments: Engine.all)
    func chance(_ engine: Engine) throws {
        var rounds: [[Bool]] = []
        for _ in 1...2 {
            let (bench, runner) = try Self.bench(engine)
            try bench.enqueue(40)
            let answer = try bench.perform(
                fault("queue:q", .twice) { ($0.chance, $0.seed) = (0.3, 11) })
            #expect(answer.faults.map(\.until) == [at(3_600_000)])
            var taken: [Bool] = []
            while let one = try bench.claim(runner).first {
                taken.append(one.task.running?.injection != nil)
                try bench.settle(one)
            }
            rounds.append(taken)
            let standing = try bench.read { try $0.storeRecord().faults.all[0] }
            #expect(standing.matches == 40 && standing.applied == taken.count { $0 })
            let line = try #require(bench.events().last { $0.kind == "injected" })
            #expect(line.text.hasPrefix("fault 1 injected \"twice\" into attempt 1 of #"))
        }
        #expect(rounds[0] == rounds[1] && Set(rounds[0]) == [true, false])
    }

    @Test("G2 its time, and a removal, end it", arguments: Engine.all)
    func ends(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        try bench.enqueue(3)
        func injected() throws -> Int64? {
            try bench.claim(runner).first?.task.running?.injection?.fault
        }
        try bench.perform(fault("queue:q") { ($0.times, $0.forMilliseconds) = (9, 100) })
        bench.pass(99)
        #expect(try injected() == 1)
        bench.pass(1)
        #expect(try injected() == nil)
        try bench.perform(fault("queue:q") { ($0.times, $0.forMilliseconds) = (9, nil) })
        let line = try #require(bench.events().first { $0.kind == "faultEnd" })
        #expect(line.by == "sluice")
        #expect(
            line.text == "fault 1 has ended: its time was over at \(TimeText.rfc3339(at(100)))")
        try bench.perform(.removeFaults(.numbers([2])))
        #expect(try injected() == nil)
        #expect(try bench.read { try $0.storeRecord().faults.isEmpty })
        // Undo cannot bring back a fault that has expired since its removal.
        try bench.perform(fault("queue:q") { $0.forMilliseconds = 100 })
        try bench.perform(.removeFaults(.all))
        bench.pass(100)
        #expect(try bench.refusal(.undo(event: nil)) == .notLegal)
        #expect(try bench.read { try $0.storeRecord().faults.isEmpty })
    }

    @Test("G2 D9 setting and removing are undone, and redone", arguments: Engine.all)
    func undo(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        try bench.enqueue(2)
        func numbers() throws -> [Int64] {
            try bench.read { try $0.storeRecord().faults.all.map(\.number) }
        }
        try bench.perform(fault("queue:q") { $0.times = 2 })
        try bench.perform(.undo(event: nil))
        #expect(try numbers() == [])
        try bench.perform(.redo)
        #expect(try numbers() == [1])
        try bench.perform(.removeFaults(.numbers([1])))
        #expect(try numbers() == [])
        try bench.perform(.undo(event: nil))
        #expect(try numbers() == [1])
        // The injection stays, and so does its count.
        #expect(try bench.claim(runner).first?.task.running?.injection?.fault == 1)
        try bench.perform(.removeFaults(.all))
        try bench.perform(.undo(event: nil))
        #expect(try bench.read { try $0.storeRecord().faults.all.map(\.left) } == [1])
        #expect(try bench.claim(runner).first?.task.running?.injection?.fault == 1)
        // Numbers are never reused, and a used fault does not return.
        try bench.perform(fault("queue:q"))
        #expect(try numbers() == [2])
        #expect(try bench.refusal(.removeFaults(.numbers([1]))) == .badValue)
        #expect(try bench.refusal(fault("state:failed")) == .badFilter)
        #expect(try bench.refusal(fault("queue:q") { $0.chance = 1.5 }) == .badValue)
        #expect(try bench.refusal(fault("queue:q") { $0.seed = 3 }) == .badValue)
        #expect(
            try bench.refusal(fault("queue:q") { ($0.times, $0.chance) = (1, 0.5) }) == .badValue)
        #expect(try numbers() == [2])
    }

    @Test("G2 an attached program of before faults is named first", arguments: Engine.all)
    func older(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        try bench.act { mutation in
            var process = try #require(mutation.store.processes().first { $0.id == runner })
            process.takesFaults = false
            try mutation.store.put(process)
        }
        #expect(try bench.refusal(fault("queue:q")) == .notLegal)
        #expect(try bench.read { try $0.storeRecord().faults.isEmpty })
        try bench.perform(fault("queue:q") { $0.endsOlder = true })
    }

    @Test("G2 whom a crash would kill is said when it is set", arguments: Engine.all)
    func crash(_ engine: Engine) throws {
        let (bench, runner) = try Self.bench(engine)
        let nobody = try bench.perform(fault("queue:q", .crashAfter))
        #expect(nobody.consequences.first?.hasPrefix("no attached worker takes it") == true)
        try bench.act { mutation in
            var process = try #require(mutation.store.processes().first { $0.id == runner })
            process.allowsCrash = true
            try mutation.store.put(process)
        }
        let somebody = try bench.perform(fault("queue:q", .crashBefore))
        #expect(
            somebody.consequences
                == ["it kills worker \(runner) (pid 1) and all that runs there"])
    }

    @Test("G2 which of the tasks that wait would be taken is said before", arguments: Engine.all)
    func ahead(_ engine: Engine) throws {
        let (bench, _) = try Self.bench(engine)
        let ids = try bench.enqueue([request("a"), request("x"), request("x"), request("x")])
        try bench.perform(fault("type:x") { $0.times = 2 })
        let now = bench.now
        let ahead = try bench.read { store in
            try Reading(store, now: now).faultsAhead(of: try ids.map { try store.requireTask($0) })
        }
        #expect(ahead == [ids[1]: 1, ids[2]: 1])
    }
}
