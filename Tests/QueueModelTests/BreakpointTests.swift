import SluiceModel
import Testing

@Suite("breakpoints as values")
struct BreakpointTests {
    private static func breakpoint(
        _ filter: String, _ moment: Breakpoint.Moment = .before
    ) throws -> Breakpoint {
        try Breakpoint(number: 1, filter: TaskFilter(filter), moment: moment, by: "ann")
    }

    private static let task: QueueTask = {
        var task = QueueTask(
            id: 5, queue: "profiles", type: "identify", position: 5,
            createdAt: Timestamp(milliseconds: 0), state: .waiting(Waiting()))
        task.label = "Night run"
        task.groupMembers = ["g"]
        task.session = "s"
        task.attempts = 2
        task.priority = -1
        task.lastError = "boom"
        return task
    }()
    private static let facts = KnownFacts(
        now: Timestamp(milliseconds: 1000), display: .due,
        payload: Array(#"{"user":{"id":7},"name":"Kim"}"#.utf8))

    @Test(
        "G1 a breakpoint knows what a task itself says",
        arguments: [
            ("type:identify queue:profiles", true), ("type:ident*", true), ("type:track", false),
            ("group:g session:s", true), ("label:night", true), ("payload.user.id=7", true),
            ("payload.user.id=8", false), ("text:Kim", true), ("kim", true), ("other", false),
            ("attempts>=2 priority<0", true), ("attempts=0", false), ("id:5", true),
            ("id:6 or type:identify", true), ("-type:track", true), ("queue~^prof", true),
        ])
    func matches(_ filter: String, _ expected: Bool) throws {
        #expect(try Self.breakpoint(filter).filter.matches(Self.task, Self.facts) == expected)
    }

    @Test(
        "G1 what a breakpoint cannot know is refused by its word",
        arguments: [
            "state:failed", "type:a state~fail", "runner:3", "unique:k", "failure:x", "size>1KiB",
            "age>5m", "due<1s", "duration>1s", "changed<1m", "error:boom", "type:a or -error~x",
        ])
    func refusals(_ filter: String) throws {
        let error = #expect(throws: QueueError.self) { try Self.breakpoint(filter) }
        #expect(error?.code == .badFilter)
        let words = filter.split(separator: " ").map { $0.drop { $0 == "-" } }
        let refused = try #require(error?.message.split(separator: "\"").dropFirst().first)
        #expect(words.contains(refused), "\(error?.message ?? "")")
        #expect(error?.fix.contains("attempts, priority") == true)
    }

    @Test("G1 an error is asked where an execution failed, and nowhere else")
    func errors() throws {
        let onFailure = try Self.breakpoint("error:boom", .onFailure)
        #expect(try onFailure.filter.matches(Self.task, Self.facts))
        #expect(throws: QueueError.self) { try Self.breakpoint("error:boom", .after) }
    }

    @Test("G1 --at-hit lets the first matches pass, --times ends it after so many stops")
    func counts() throws {
        var one = try Self.breakpoint("type:identify")
        (one.atHit, one.times) = (3, 2)
        let stops = (1...4).map { _ in one.count() }
        #expect(stops == [false, false, true, true])
        #expect(one.isSpent && one.stops == 2 && one.hits == 4)
        #expect(!one.isActive(at: Timestamp(milliseconds: 0)))
    }

    @Test("G1 its time ends it; saved filters stand in it as what they mean")
    func ends() throws {
        var one = try Breakpoint(
            number: 1,
            filter: TaskFilter("@mine queue:q", saved: ["mine": "type:a or type:b"]), by: "ann")
        #expect(one.filter.description == "(type:a or type:b) queue:q")
        #expect(try TaskFilter(one.filter.description) == one.filter)
        one.until = Timestamp(milliseconds: 10)
        #expect(one.isActive(at: Timestamp(milliseconds: 9)))
        #expect(!one.isActive(at: Timestamp(milliseconds: 10)))
    }

    @Test("G1 all that match are met at once; one that only writes a line stops nothing")
    func meeting() throws {
        var all = Breakpoints()
        all.all = try [
            ("type:identify", false), ("type:track", false), ("queue:profiles", true),
            ("id:5", false),
        ].enumerated().map { place, row in
            var one = try Breakpoint(
                number: Int64(place) + 1, filter: TaskFilter(row.0), by: "ann")
            one.isLog = row.1
            return one
        }
        all.all[3].passes = [5]
        let meeting = try all.meet(Self.task, [.before], Self.facts)
        #expect(meeting.matched == [1, 3] && meeting.stopping.map(\.number) == [1])
        #expect(meeting.logged.map(\.number) == [3])
        #expect(all.all.map(\.hits) == [1, 0, 1, 0])
    }

    @Test("G1 those of the moments that are asked are met, by number")
    func moments() throws {
        var all = Breakpoints()
        let moments: [Breakpoint.Moment] = [.onFailure, .before, .after, .onFailure, .after]
        all.all = try moments.enumerated().map { place, moment in
            try Breakpoint(
                number: Int64(place) + 1, filter: TaskFilter("attempts>=2"), moment: moment,
                by: "ann")
        }
        func met(_ moments: [Breakpoint.Moment]) throws -> [Int64] {
            var all = all
            return try all.meet(Self.task, moments, Self.facts).matched
        }
        #expect(try met([.before]) == [2] && met([.after]) == [3, 5])
        #expect(try met([.after, .onFailure]) == [1, 3, 4, 5])
        all.all.removeAll { $0.moment != .before }
        #expect(all.isAsked([.before]) && !all.isAsked([.after, .onFailure]))
        #expect(try met([.after, .onFailure]) == [])
    }

    @Test("G1 G2 a payload is read once for all that ask about it")
    func reads() throws {
        var breakpoints = Breakpoints()
        var faults = Faults()
        for number in 1...9 as ClosedRange<Int64> {
            let filter = try TaskFilter("payload.user.id>\(number * 10)")
            breakpoints.all.append(try Breakpoint(number: number, filter: filter, by: "ann"))
            faults.all.append(try Fault(number: number, filter: filter, kind: .offline, by: "ann"))
        }
        let facts = CountedFacts()
        #expect(try breakpoints.meet(Self.task, [.before], facts).matched == [])
        #expect(facts.reads.count == 1)
        #expect(try faults.take(Self.task, facts, allowsCrash: true).fault == nil)
        #expect(facts.reads.count == 2)
        for place in breakpoints.all.indices { breakpoints.all[place].until = facts.now }
        #expect(try breakpoints.meet(Self.task, [.before], facts).matched == [])
        #expect(facts.reads.count == 2, "of those whose time is over none is asked")
    }

    @Test("G1 a pause of breakpoints lasts as long as the last of its entries")
    func pause() throws {
        func hit(_ number: Int64, until: Int64?) throws -> BreakpointHit {
            var one = try Self.breakpoint("type:identify")
            one.number = number
            one.hits = 1
            one.until = until.map(Timestamp.init(milliseconds:))
            return BreakpointHit(one, at: Self.task)
        }
        let since = Timestamp(milliseconds: 1)
        let short = try #require(Pause(hits: [try hit(1, until: 50)], since: since))
        #expect(short.by == "breakpoint 1" && short.reason == "before #5 identify")
        #expect(short.until == Timestamp(milliseconds: 50))
        let both = try short.joined(
            with: #require(Pause(hits: [hit(2, until: nil)], since: since)))
        #expect(both.hits.map(\.breakpoint) == [1, 2] && both.until == nil)
        #expect(both.by == "breakpoints 1 and 2")
        #expect(both.with(hits: []) == nil)
    }
}

/// Facts that count payload reads.
private struct CountedFacts: FilterFacts {
    final class Reads { var count = 0 }
    let reads = Reads()
    let now = Timestamp(milliseconds: 1000)
    func display() -> Display { .due }
    func payload() -> [UInt8] {
        reads.count += 1
        return Array(#"{"user":{"id":7}}"#.utf8)
    }
    func lastAttempt() -> AttemptRecord? { nil }
    func uuid() -> String? { nil }
    func twins() -> [TaskID] { [] }
}
