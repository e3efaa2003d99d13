import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("A store as a whole")
struct StoreTests {
    private struct Refused: Error {}

    @Test("Q11 queues are kept whole, by name, and go with their tasks", arguments: Engine.all)
    func queues(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let records = QueueSettings.presets.enumerated().map { place, preset in
            var queue = QueueRecord(
                name: "queue \(5 - place)", settings: preset.settings, createdAt: at(1))
            queue.settings.preset = preset.name
            queue.settings.keepFinished =
                [.none, .last(5), .milliseconds(9), .acknowledged, .none][place]
            queue.settings.retentionMilliseconds = place == 0 ? nil : 77
            queue.settings.maximumLength = place == 1 ? 3 : nil
            queue.settings.whenStartFails = StartFailurePolicy.allCases[place % 4]
            queue.settings.requiresTasks = place == 2
            let user = PayloadPath([.key("a.b"), .index(2)])
            queue.settings.rate = place == 1 ? Rate(3, each: 9, burst: 2, per: user) : nil
            let key = RateKey(user, in: Array(#"{"a.b":[0,0,"kim"]}"#.utf8))
            queue.paidKeys = PaidKeys(place == 1 ? [key: 7, RateKey(value: .max): -1] : [:])
            queue.settings.unique = place == 2 ? UniqueRule(text: "é:reject:end") : nil
            if place > 2 {
                var own = TypeSettings()
                own.attempts = place == 3 ? .unlimited : .most(4)
                own.retry = .polynomial(baseMilliseconds: 1, power: 1.5, capMilliseconds: 9)
                own.timeout = place == 3 ? .most(7) : .unlimited
                own.concurrency = place == 3 ? 2 : nil
                own.required = [3: true, 4: false][place]
                own.unique = place == 3 ? .unlimited : .init(UniqueRule(text: "a.b:replace:10m"))
                queue.settings.types = ["é": own, "a b": own]
                queue.settings.ranks = TypeRanks().changed(to: [["é"], ["c", "b"]])
            }
            queue.pauses = Array(
                Pause.Cause.allCases.prefix(place).map {
                    Pause(
                        cause: $0, by: "é", reason: place == 2 ? "why" : nil, since: at(2),
                        until: at(3))
                })
            let limits: [RunLimit?] = [nil, .task(7), .count(3), .time(at(9)), nil]
            if place > 0 {
                queue.run = Run(number: 4, since: at(5), limit: limits[place])
                queue.run?.attempted = place
                queue.run?.hadSuccess = place == 2
                queue.lastRunEnd = at(6)
            }
            queue.barrenRuns = place
            queue.version = Int64(place) + 1
            return queue
        }
        try bench.write { writer in for queue in records { try writer.put(queue) } }
        #expect(try bench.read { try $0.queues() } == records.reversed())
        #expect(try bench.read { try $0.queue(named: "queue 2") } == records[3])
        #expect(try bench.read { try $0.queue(named: "none") } == nil)
        let ids = try bench.write { writer in
            try writer.add(2, to: "queue 2").map(\.id) + writer.add(1, to: "queue 3").map(\.id)
        }
        try bench.write { try $0.removeQueue(named: "queue 2") }
        #expect(try bench.read { try $0.queues().count } == 4)
        #expect(try bench.read { try $0.tasks(ids).map(\.id) } == [ids[2]])
        #expect(try bench.read { try $0.payload(of: ids[0]) } == nil)
        #expect(try bench.read { try $0.counts(queue: "queue 2").withoutZeros } == QueueCounts())
    }

    @Test("The store's own record is kept, its identity for ever", arguments: Engine.all)
    func record(_ engine: Engine) throws {
        let bench = try Bench(engine)
        var record = try bench.read { try $0.storeRecord() }
        #expect(!record.identity.isEmpty && record.pauses.isEmpty && record.forcedNetwork == nil)
        record.durability = .normal
        record.pauses = [Pause(cause: .store, by: "ann", reason: "x", since: at(1))]
        record.version += 1
        record.breakpoints.last = 4
        for moment in Breakpoint.Moment.allCases {
            var one = try Breakpoint(
                number: 2, filter: TaskFilter("type:a or -payload.\"a b\"=7 x"), moment: moment,
                by: "é")
            (one.atHit, one.times, one.hits) = (2, 3, moment == .after ? 0 : 4)
            (one.owner, one.isLog) = (moment == .before ? 7 : nil, moment == .after)
            (one.until, one.passes) = (moment == .after ? nil : at(8), [5, 6])
            record.breakpoints.all.append(one)
        }
        record.faults = try Self.faults()
        record.isProtected = true
        record.checkpoints.last = 3
        (record.checkpoints.bytes, record.checkpoints.byteLimit) = (17, 4)
        record.checkpoints.all = [
            Checkpoint(
                number: 2, name: "a", at: at(5), by: "é", sequence: 8, lastTask: 9,
                storePauses: record.pauses, forcedNetwork: false)
        ]
        record.filters = ["stuck": "state:failed age>1h", "zoë": #""a b" or text:\"#]
        let times: [StoreTime?] = [
            .offset(-5), .frozen(at: at(9)), .rate(0.01, from: at(3), since: at(4)), nil,
        ]
        record.schedules["a"] = try Self.schedule("a", "0 3 * * mon", payload: [0xFF, 0])
        record.schedules["é"] = try Self.schedule("é", "every 90s", payload: Array("{}".utf8))
        for (forced, time) in zip([true, false, nil, nil], times) {
            record.forcedNetwork = forced
            record.clock = time.map { ClockSetting($0, by: "é", since: at(8)) }
            let changed = record
            try bench.write { try $0.put(changed) }
            #expect(try bench.read { try $0.storeRecord() } == record)
        }
    }

    private static func schedule(
        _ name: String, _ spec: String, payload: [UInt8]
    ) throws -> Schedule {
        var schedule = Schedule(
            name: name, spec: try ScheduleSpec(spec), queue: "q \"", type: "t", payload: payload,
            by: "é")
        (schedule.timeZone, schedule.missed) = ("Europe/Berlin", .each)
        (schedule.next, schedule.last) = (at(7), name == "a" ? nil : at(5))
        schedule.isPaused = name == "a"
        return schedule
    }

    private static func faults() throws -> Faults {
        var faults = Faults()
        faults.last = 9
        for (place, kind) in [
            Fault.Kind.fail("a=b é"), .giveUp(nil), .retryAfter(milliseconds: 90_001), .twice,
        ].enumerated() {
            var one = try Fault(
                number: Int64(place), filter: TaskFilter("type:a or -payload.\"a b\"=7 x"),
                kind: kind,
                limit: place % 2 == 0 ? .times(3) : .chance(0.1, seed: .min), by: "é")
            (one.matches, one.applied) = (5, 2)
            one.until = place == 0 ? nil : at(8)
            faults.all.append(one)
        }
        return faults
    }

    @Test("A2 processes are kept; their permits vanish with them", arguments: Engine.all)
    func processes(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let first = ProcessRecord(
            id: 1, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "1.lock",
            attachedAt: at(1))
        var second = first
        second.id = 2
        second.role = .console
        second.slots = 8
        second.types = ["mail", ""]
        second.queues = []
        second.network = .noAnswer
        second.offlineUntil = at(5)
        second.editing = EditLease(
            task: 3, version: 4, by: "ann", until: at(6), untilInstant: 600_007)
        second.isStopping = true
        var third = first
        third.id = 3
        let all = [first, second, third]
        func permit(_ id: Int64, _ issuer: ProcessID, _ runner: ProcessID) -> Permit {
            Permit(id: id, task: 9, version: 2, queue: "q", issuer: issuer, runner: runner)
        }
        let permits = [permit(4, 1, 3), permit(5, 2, 3), permit(6, 3, 1), permit(7, 3, 3)]
        try bench.write { writer in
            for process in all.reversed() { try writer.put(process) }
            for permit in permits { try writer.put(permit) }
        }
        #expect(try bench.read { try $0.processes() } == all)
        #expect(try bench.read { try $0.permits() } == permits)
        third.isStopping = true
        let changed = third
        try bench.write { writer in
            try writer.put(changed)
            try writer.removeProcess(1)
            try writer.removePermits([7, 99])
        }
        #expect(try bench.read { try $0.processes() } == [second, third])
        #expect(try bench.read { try $0.permits() } == [permits[1]])
    }

    @Test(
        "A1 offers are kept as they were put, and go with their process",
        arguments: [Engine.memory, .sqlite])
    func offers(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let first = SlotOffer(process: 1, slots: 3, inFlight: 2, priority: -4, handed: [7, 900])
        let second = SlotOffer(process: 2, slots: 0, inFlight: 8, priority: .min)
        let third = SlotOffer(process: 3, slots: 9, inFlight: 0, priority: 2)
        try bench.write { writer in
            for offer in [third, first, second] { try writer.put(offer) }
        }
        #expect(try bench.read { try $0.slotOffers() } == [first, second, third])
        var changed = third
        (changed.slots, changed.inFlight, changed.handed) = (7, 2, [5, 6])
        let newer = changed
        try bench.write { writer in
            try writer.put(newer)
            try writer.removeOffer(of: 2)
            try writer.removeProcess(1)
        }
        #expect(try bench.read { try $0.slotOffers() } == [newer])
    }

    @Test(
        "A2 what a process runs, or left behind, is found, also by the write that made it so",
        arguments: Engine.all)
    func owned(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let states = Samples.states
        let (tasks, atOnce) = try bench.write { writer in
            try writer.makeQueue()
            let tasks = try writer.add(states.count) { $0.state = states[$1] }
            return (tasks, try (ProcessID(0)...9).map { try writer.tasksRun(by: $0) })
        }
        for process in ProcessID(3)...9 {
            #expect(Set(atOnce[Int(process)]) == Set(tasks.filter { $0.running?.owner == process }))
            let (run, lingering) = try bench.read {
                (try $0.tasksRun(by: process), try $0.tasksLingering(of: process))
            }
            #expect(Set(run) == Set(tasks.filter { $0.running?.owner == process }))
            #expect(Set(lingering) == Set(tasks.filter { $0.waiting?.lingering?.owner == process }))
        }
    }

    @Test("T3 a write that throws leaves nothing behind", arguments: Engine.all)
    func rollback(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue()
            try writer.add(4)
            try writer.append([
                JournalEvent(at: at(1), kind: "x", queue: "q", task: 1, by: "a", text: "")
            ])
        }
        let before = try bench.read { try $0.inventory() }
        #expect(throws: Refused.self) {
            try bench.write { writer in
                try Self.changeEverything(writer)
                throw Refused()
            }
        }
        #expect(try bench.read { try $0.inventory() } == before)
        try bench.write { try Self.changeEverything($0) }
        #expect(try bench.read { try $0.inventory() } != before)
    }

    @Test("P2 a disk that is full at any write leaves the former store", arguments: Engine.all)
    func fullDisk(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue()
            try writer.add(4)
        }
        let before = try bench.read { try $0.inventory() }
        bench.place.faults.fail(from: nil)
        var step = 0
        var isDone = false
        while !isDone, step < 500 {
            step += 1
            bench.place.faults.fail(from: step)
            do {
                try bench.write { try Self.changeEverything($0) }
                isDone = true
            } catch let error as QueueError {
                bench.place.faults.fail(from: nil)
                let now = try bench.read { try $0.inventory() }
                #expect(error.code == .diskFull && now == before, "write \(step)")
            }
        }
        #expect(isDone && step > 10)
    }

    private static func changeEverything(_ writer: any StoreWriter) throws {
        let number = try writer.reserveNumber()
        let tasks = try writer.add(2) { task, _ in task.groupMembers = ["g"] }
        try writer.makeQueue("new") { $0.order = .lifo }
        try writer.change(1) {
            $0.state = .failed(Failure(at: at(1), reason: "", startPolicy: nil))
        }
        try writer.setPayload([9], of: 2)
        try writer.setResult([8], of: 2)
        try writer.remove([3])
        try writer.put([AttemptRecord(task: tasks[0], number: 1, runner: 1, startedAt: at(1))])
        try writer.append([
            JournalEvent(at: at(2), kind: "y", queue: "q", task: 1, by: "a", text: "")
        ])
        try writer.markUndone(1, by: 2)
        var process = ProcessRecord(
            id: number, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "l",
            attachedAt: at(1))
        process.slots = 2
        try writer.put(process)
        try writer.put(Permit(id: 9, task: 1, version: 1, queue: "q", issuer: 77, runner: 78))
        var record = try writer.storeRecord()
        record.version += 1
        try writer.put(record)
    }

    @Test(
        "D11 a store that is open for reading refuses changes and sees those of others",
        arguments: Engine.all)
    func readOnly(_ engine: Engine) async throws {
        let bench = try Bench(engine)
        try bench.write { try $0.makeQueue() }
        let reader = try bench.place.readOnly()
        defer { reader.close() }
        #expect(reader.isReadOnly && !bench.place.store.isReadOnly)
        let error = #expect(throws: QueueError.self) {
            try reader.writeBlocking { try $0.makeQueue("r") }
        }
        #expect(error?.code == .readOnly)
        await #expect(throws: QueueError.self) { try await reader.write { try $0.makeQueue("r") } }
        try bench.write { try $0.makeQueue("later") }
        #expect(try reader.readBlocking { try $0.queues().map(\.name) } == ["later", "q"])
    }

    @Test("Both forms of reading and writing answer the same", arguments: Engine.all)
    func forms(_ engine: Engine) async throws {
        let bench = try Bench(engine)
        let store = bench.place.store
        let id = try await store.write { writer in
            try writer.makeQueue()
            return try writer.add(1)[0].id
        }
        #expect(try await store.read { try $0.task(id)?.id } == id)
        let ids = try await withThrowingTaskGroup(of: TaskID.self) { group in
            for _ in 0..<20 { group.addTask { try await store.write { try $0.add(1)[0].id } } }
            return try await group.reduce(into: [TaskID]()) { $0.append($1) }
        }
        #expect(Set(ids).count == 20)
        #expect(try await store.read { try $0.counts(queue: "q")[.waiting] } == 21)
    }

    @Test("A commit is told to whoever observes, until they stop", arguments: Engine.all)
    func observed(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let first = Tally()
        let second = Tally()
        var observation: (any StoreObservation)? = try bench.place.store.observe { first.add() }
        try bench.write { try $0.makeQueue() }
        #expect(first.reaches(1))
        withExtendedLifetime(observation) {}
        observation = nil
        let other = try bench.place.store.observe { second.add() }
        try bench.write { try $0.makeQueue("r") }
        #expect(second.reaches(1))
        // A notice that was on its way when the first stopped may still come; the next ones do not.
        var wasQuiet = false
        for name in ["s", "t", "u"] where !wasQuiet {
            let (heard, seen) = (first.count, second.count)
            try bench.write { try $0.makeQueue(name) }
            #expect(second.reaches(seen + 1))
            wasQuiet = first.count == heard
        }
        #expect(wasQuiet)
        withExtendedLifetime(other) {}
    }

    @Test("A closed store says so", arguments: Engine.all)
    func closed(_ engine: Engine) throws {
        let bench = try Bench(engine)
        bench.place.store.close()
        #expect(throws: QueueError.self) { try bench.read { try $0.queues() } }
        #expect(throws: QueueError.self) { try bench.write { try $0.makeQueue() } }
    }
}
