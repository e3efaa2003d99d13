import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("verbs on schedules")
struct ScheduleVerbTests {
    private static let minute: Int64 = 60_000

    @Test("R1 the zone of the machine is read as C programs read TZ")
    func machineZone() throws {
        let folder = Files.parent(of: Files.parent(of: Files.parent(of: #filePath)))
        let path = "\(folder)/QueueModelTests/Fixtures/Berlin.tzif"
        let berlin = try #require(ZoneRules(file: Files.read(path, limitBytes: 1 << 20)))
        #expect(ZoneFiles.ofMachine(named: path) == berlin)
        #expect(ZoneFiles.ofMachine(named: ":" + path) == berlin)
        let rule = "CET-1CEST,M3.5.0,M10.5.0/3"
        #expect(ZoneFiles.ofMachine(named: rule) == ZoneRules(rule: rule))
        #expect(ZoneFiles.ofMachine(named: "") == .utc && ZoneFiles.ofMachine(named: "UTC") == .utc)
        #expect(ZoneFiles.ofMachine(named: "no zone") == nil)
    }

    @Test(
        "R4 set changes what is there, says what, and keeps what did not change",
        arguments: Engine.large)
    func set(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let first = try bench.perform(schedule())
        #expect(first.summary == "schedule tick set by ann: * * * * *, report into q")
        let same = try bench.perform(schedule(), by: "bob")
        #expect(same.undo == nil && same.summary == "schedule tick is that already")
        bench.pass(Self.minute)
        try bench.enqueueScheduled()
        // Another payload is no reason to wait anew.
        let payload = try bench.perform(schedule { $0.payload = [1] }, by: "bob")
        #expect(payload.summary == "schedule tick changed by bob: another payload")
        #expect(payload.schedules.first?.next == at(2 * Self.minute))
        #expect(payload.schedules.first?.last == at(Self.minute))
        let all = try bench.perform(
            schedule("tick", "@hourly", to: "r") {
                ($0.type, $0.missed, $0.payload) = ("sum", .none, [1])
                $0.timeZone = "Asia/Kathmandu"
            })
        #expect(
            all.summary == "schedule tick changed by ann: due 0 * * * * (Asia/Kathmandu), before "
                + "* * * * *, queue r, before q, type sum, before report, missed none, before once")
        #expect(all.createdQueue == "r")
        // Kathmandu is 5:45 ahead.
        #expect(all.schedules.first?.next == at(15 * Self.minute))
        #expect(try bench.read { try $0.storeRecord().schedules.all.count } == 1)
    }

    @Test(
        "R4 a paused schedule makes nothing; resumed, it goes on with what comes",
        arguments: Engine.large)
    func pause(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.perform(schedule { $0.missed = .each })
        let paused = try bench.perform(.schedule(.pause, name: "tick"))
        #expect(paused.summary == "schedule tick paused by ann")
        #expect(try bench.perform(.schedule(.pause, name: "tick")).undo == nil)
        bench.pass(5 * Self.minute)
        #expect(try bench.enqueueScheduled() == [])
        let resumed = try bench.perform(.schedule(.resume, name: "tick"))
        #expect(resumed.schedules.first?.next == at(6 * Self.minute))
        #expect(
            try bench.perform(.schedule(.resume, name: "tick")).summary
                == "schedule tick was not paused")
        #expect(try bench.enqueueScheduled() == [])
        bench.pass(Self.minute)
        #expect(try bench.moments().isEmpty && bench.enqueueScheduled().count == 1)
        // A changed schedule stays paused.
        try bench.perform(.schedule(.pause, name: "tick"))
        let set = try bench.perform(schedule("tick", "@daily"))
        #expect(set.schedules.first?.isPaused == true)
        #expect(set.consequences.contains { $0.hasPrefix("it is paused") })
    }

    @Test(
        "R4 D9 undo and redo of set, remove and pause; no moment comes twice",
        arguments: Engine.large)
    func undo(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.perform(schedule())
        let set = try bench.schedule()
        try bench.perform(schedule("tick", "@daily"))
        try bench.perform(.undo(event: nil))
        #expect(try bench.schedule() == set)
        try bench.perform(.redo)
        #expect(try bench.schedule()?.spec.text == "0 0 * * *")
        try bench.perform(.undo(event: nil))
        try bench.perform(.schedule(.remove, name: "tick"))
        #expect(try bench.schedule() == nil)
        bench.pass(10 * Self.minute)
        try bench.perform(.undo(event: nil))
        // Times passed before its creation are not made up.
        #expect(try bench.schedule()?.next == at(11 * Self.minute))
        #expect(try bench.enqueueScheduled() == [])
        bench.pass(Self.minute)
        #expect(try bench.enqueueScheduled().count == 1)
        try bench.perform(.schedule(.pause, name: "tick"))
        try bench.perform(.undo(event: nil))
        #expect(try bench.schedule()?.isPaused == false)
        #expect(try bench.schedule()?.last == at(11 * Self.minute))
        try bench.perform(.undo(event: 1))
        #expect(try bench.schedule() == nil)
    }

    @Test(
        "G5 R4 a checkpoint has the schedules: they are compared and put back, which is undone",
        arguments: Engine.large)
    func checkpoint(_ engine: Engine) throws {
        let bench = try Bench(engine)
        for name in ["gone", "same", "tick"] { try bench.perform(schedule(name)) }
        try bench.perform(.takeCheckpoint(CheckpointRequest("a")))
        func differences() throws -> [String] {
            try bench.read { [now = bench.now] in
                try Reading($0, now: now).difference(from: "a", to: nil).store.map(\.name)
            }
        }
        func names() throws -> [String] {
            try bench.read { try $0.storeRecord().schedules.all.map(\.name) }
        }
        #expect(try differences() == [])
        try bench.perform(.schedule(.remove, name: "gone"))
        try bench.perform(schedule("new"))
        try bench.perform(schedule("tick") { $0.payload = [49] })
        try bench.perform(.schedule(.pause, name: "tick"))
        #expect(
            try differences() == [
                "schedule gone", "payload of schedule gone", "schedule new",
                "payload of schedule new", "schedule tick", "payload of schedule tick",
            ])
        bench.pass(90_000)
        let answer = try bench.perform(.restore("a"))
        #expect(answer.restored?.changed == 3)
        #expect(
            answer.consequences == ["schedules gone, new and tick are restored"])
        #expect(try names() == ["gone", "same", "tick"] && differences() == [])
        #expect(try bench.schedule("tick")?.payload == Array("{}".utf8))
        // Only schedules that existed all the time make up missed times.
        #expect(try bench.schedule("gone")?.next == at(2 * Self.minute))
        #expect(try bench.enqueueScheduled().count == 1)
        try bench.perform(.undo(event: nil))
        #expect(try names() == ["new", "same", "tick"])
        #expect(try bench.schedule("tick")?.isPaused == true)
        try bench.perform(.redo)
        #expect(try names() == ["gone", "same", "tick"] && differences() == [])
    }

    @Test("R4 D9 what somebody changed since is not undone", arguments: Engine.large)
    func changedSince(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.perform(schedule())
        try bench.perform(schedule("tick", "@daily"), by: "bob")
        let error = #expect(throws: QueueError.self) { try bench.perform(.undo(event: 1)) }
        #expect(error?.code == .changed)
        #expect(error?.message.contains("schedule tick changed since") == true)
        #expect(try bench.schedule()?.spec.text == "0 0 * * *")
    }

    @Test("R4 what cannot be is refused, and changes nothing", arguments: Engine.large)
    func refusals(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.maximumPayloadBytes = 10 }
        for (verb, code) in [
            (try schedule("a\n"), QueueError.Code.badName),
            (try schedule { $0.timeZone = "Europe/Nowhere" }, .badValue),
            (try schedule { $0.timeZone = "../zoneinfo/UTC" }, .badValue),
            (try schedule { $0.timeZone = "Europe" }, .badValue),
            (try schedule { $0.payload = Array(repeating: 0, count: 11) }, .payloadTooLarge),
            (
                try schedule(to: "r") { $0.payload = Array(repeating: 0, count: 65_537) },
                .payloadTooLarge
            ),
            (try schedule(to: ""), .badName), (try schedule { $0.type = "" }, .badName),
            (.schedule(.remove, name: "none"), .badValue),
            (.schedule(.pause, name: "none"), .badValue),
        ] {
            #expect(try bench.refusal(verb) == code)
        }
        #expect(try bench.read { try $0.storeRecord().schedules.isEmpty })
        #expect(try bench.read { try $0.queue(named: "r") } == nil)
        // The total size of all payloads is limited too.
        let large = Array(repeating: UInt8(1), count: Schedule.payloadBytes)
        for name in ["a", "b", "c", "d"] {
            try bench.perform(schedule(name, to: "r") { $0.payload = large })
        }
        #expect(try bench.refusal(schedule("e", to: "r") { $0.payload = [1] }) == .payloadTooLarge)
        try bench.perform(schedule("a", to: "r") { $0.payload = Array(large.dropFirst()) })
    }

    @Test("R4 a folder has no schedules, and says why")
    func folder() throws {
        let bench = try Bench(.folder)
        try bench.makeQueue()
        let error = #expect(throws: QueueError.self) { try bench.perform(schedule()) }
        #expect(error?.code == .notLegal && error?.message.contains("folder") == true)
    }

    @Test("R4 N3 timers and forecast tell what comes", arguments: Engine.large)
    func looks(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.perform(schedule("b", "@hourly"))
        try bench.perform(schedule("a", "every 5m"))
        try bench.perform(schedule("elsewhere", to: "r"))
        try bench.perform(schedule("paused"))
        try bench.perform(.schedule(.pause, name: "paused"))
        try bench.enqueue([request { $0.notBefore = at(7 * Self.minute) }, request()])
        let now = bench.now
        let timers = try bench.read { try Reading($0, now: now).timers() }
        #expect(timers.map(\.schedule) == ["elsewhere", "a", nil, "b"])
        #expect(timers.map(\.kind) == [.schedule, .schedule, .notBefore, .schedule])
        #expect(timers.count { $0.queue == "q" } == 3)
        func arrivals(_ limit: Int) throws -> [String] {
            try bench.read { store in
                let reading = try Reading(store, now: now)
                let forecast = try reading.forecast(queue: "q", limit: limit)
                return try reading.arrivals(in: "q", beside: forecast).map(\.schedule)
            }
        }
        #expect(try arrivals(10) == ["a", "b"])
        // Omits arrivals after the last task of the forecast.
        #expect(try arrivals(1) == [])
    }
}
