import SluiceModel
import Testing

@Suite("The life of a task")
struct LifecycleTests {
    static let lease = Running(owner: 5, token: 77, attempt: 3, since: at(6))
    private static let failure = Failure(at: at(1), reason: "boom", startPolicy: .hold)

    /// The states of the table below, in its columns: waiting, skipped, lingering, running,
    /// succeeded, failed, failed start, deleted, deleted start.
    static let tasks: [QueueTask] = {
        var skipped = Waiting()
        skipped.skip = Skip(by: "ann", since: at(0), until: nil, endsWithRun: false)
        var lingering = Waiting()
        lingering.lingering = Lingering(kind: .abandoned, owner: 5, attempt: 2)
        let trash = Trash(
            at: at(2), by: "ann", former: .waiting(Waiting()), startPolicy: .hold)
        let states: [(TaskState, isStart: Bool)] = [
            (.waiting(Waiting()), false), (.waiting(skipped), false), (.waiting(lingering), false),
            (.running(lease), false), (.succeeded(Success(at: at(1))), false),
            (.failed(failure), false),
            (.failed(failure), true), (.deleted(trash), false), (.deleted(trash), true),
        ]
        return states.map { state, isStart in
            var task = QueueTask(id: 9, queue: "q", type: "t", position: 1, createdAt: at(0))
            task.state = state
            task.attempts = 2
            if isStart { task.groupStart = "g" }
            return task
        }
    }()

    /// The effect of each event in each state: `+` is legal, `=` is legal and keeps the version,
    /// `-` is `notLegal`, `c` is `changed`.
    static let table: [(TaskEvent, String)] = {
        let skip = Skip(by: "bob", since: at(9), until: at(20), endsWithRun: false)
        let parking = Parking(cause: .missing, detail: "gone", since: at(9))
        let end = TaskEvent.end(token: 77, .handler(.success(result: nil)))
        let stale = TaskEvent.end(token: 78, .handler(.success(result: nil)))
        return [
            (.claim(Running(owner: 1, token: 99, attempt: 4, since: at(9))), "++-------"),
            (end, "ccc+ccccc"), (stale, "ccccccccc"),
            (.requestStop(.cancelled, nil), "---+-----"),
            (.requestStop(.deleted, Deletion(by: "bob")), "---+-----"),
            (.skip(skip), "+++------"), (.unskip, "-+-------"), (.retry, "+++--++--"),
            (.postpone(until: at(99)), "+++------"), (.park(parking), "+++------"),
            (.beginEdit(by: "bob", owner: 4), "===------"), (.endEdit, "===------"),
            (.expire, "+++------"),
            (.giveUp(reason: "cascade"), "+++------"),
            (.delete(Deletion(by: "bob")), "+++-+++--"), (.undelete, "-------++"),
            (.edit([.label("x")]), "+++--++--"), (.move(position: 7), "+++--++--"),
            (.acknowledge, "----+++++"), (.annotate("x"), "++++-----"),
            (.begin(at(99)), "++++-----"), (.endLingering, "--+------"),
            (.endStartHold(.release), "------+-+"),
        ]
    }()

    @Test("T2 every event in every state", arguments: table)
    func everyEvent(_ event: TaskEvent, _ expected: String) {
        let found = Self.tasks.map { task -> String in
            do throws(QueueError) {
                let change = try task.applying(event, settings: QueueSettings(), now: at(10))
                let grew =
                    change.task.version == task.version + 1 && change.task.updatedAt == at(10)
                let stayed =
                    change.task.version == task.version && change.task.updatedAt == task.updatedAt
                guard change.task.id == task.id else { return "id" }
                return grew ? "+" : stayed ? "=" : "version"
            } catch {
                return error.code == .notLegal ? "-" : error.code == .changed ? "c" : "\(error)"
            }
        }
        #expect(found.joined() == expected)
    }

    @Test("T2 a refusal says the state, the verb and the way out", arguments: table)
    func refusals(_ event: TaskEvent, _ expected: String) {
        for (task, mark) in zip(Self.tasks, expected) where mark == "-" {
            let error = #expect(throws: QueueError.self) {
                try task.applying(event, settings: QueueSettings(), now: at(10))
            }
            #expect(error?.message.contains("#9") == true && error?.fix.isEmpty == false)
        }
    }

    private static func state(
        after event: TaskEvent, of task: QueueTask, _ settings: QueueSettings = QueueSettings()
    ) throws -> QueueTask {
        try task.applying(event, settings: settings, now: at(10)).task
    }

    @Test("D7 retry clears timer, parking, skip, run mark and a passed expiry")
    func retry() throws {
        var waiting = Waiting(timer: WaitTimer(until: at(99), cause: .retry, since: at(0)))
        waiting.skip = Skip(by: "ann", since: at(0), until: nil, endsWithRun: false)
        waiting.parking = Parking(cause: .lost, detail: "", since: at(0))
        waiting.attemptedInRun = true
        waiting.lingering = Lingering(kind: .orphan, owner: 1, attempt: 1)
        var task = Self.tasks[0]
        task.state = .waiting(waiting)
        task.expiresAt = at(10)
        let retried = try Self.state(after: .retry, of: task)
        var expected = Waiting()
        expected.lingering = waiting.lingering
        #expect(retried.state == .waiting(expected))
        #expect(retried.expiresAt == nil && retried.attempts == 2 && retried.freshAt == at(10))
        task.expiresAt = at(11)
        #expect(try Self.state(after: .retry, of: task).expiresAt == at(11))
        let failed = try Self.state(after: .retry, of: Self.tasks[5])
        #expect(failed.state == .waiting(Waiting()) && failed.attempts == 0)
    }

    @Test(
        "Q10 a start carries the policy that applied when it ended",
        arguments: StartFailurePolicy.allCases)
    func policies(_ policy: StartFailurePolicy) throws {
        var settings = QueueSettings()
        settings.whenStartFails = policy
        var start = Self.tasks[0]
        start.groupStart = "g"
        for event in [TaskEvent.expire, .giveUp(reason: "x"), .delete(Deletion(by: "a"))] {
            let ended = try Self.state(after: event, of: start, settings)
            #expect(ended.endedStartPolicy == policy)
            #expect(ended.holdsMembers == [.hold, .skipRun].contains(policy))
            #expect(
                try Self.state(after: event, of: Self.tasks[0], settings).endedStartPolicy == nil)
        }
        let chosen = TaskEvent.delete(Deletion(by: "a", members: .giveUp))
        #expect(try Self.state(after: chosen, of: start, settings).endedStartPolicy == .giveUp)
        let freed = try Self.state(after: .endStartHold(.release), of: Self.tasks[6])
        #expect(freed.endedStartPolicy == .release && !freed.holdsMembers)
        #expect(try Self.state(after: .retry, of: freed).holdsMembers)
        #expect(try Self.state(after: .undelete, of: Self.tasks[8]).holdsMembers)
    }

    @Test(
        "D6 a deleted task comes back in the state it had",
        arguments: tasks.prefix(7).filter { $0.running == nil })
    func undelete(_ task: QueueTask) throws {
        let deleted = try Self.state(after: .delete(Deletion(by: "bob")), of: task)
        let back = try Self.state(after: .undelete, of: deleted)
        #expect(back.state == task.state && back.position == task.position)
    }

    @Test("B11 whatever happens to a task ends its edit; what parked it before stays")
    func edits() throws {
        let begin = TaskEvent.beginEdit(by: "bob", owner: 4)
        let held = try Self.state(after: begin, of: Self.tasks[0])
        let parking = Parking(cause: .editing, detail: "bob", since: at(10), owner: 4)
        #expect(held.waiting?.parking == parking && held.waitFlags == .parked)
        #expect(held.withoutEdit == Self.tasks[0])
        #expect(try Self.state(after: .endEdit, of: held) == Self.tasks[0])
        for (event, legal) in Self.table where legal.hasPrefix("+") {
            let after = try Self.state(after: event, of: held)
            #expect(after == (try Self.state(after: event, of: Self.tasks[0])), "\(event)")
        }
        var lost = Self.tasks[0]
        lost.state = .waiting(Waiting())
        let cause = Parking(cause: .lost, detail: "", since: at(3))
        lost = try Self.state(after: .park(cause), of: lost)
        let edited = try Self.state(after: begin, of: lost)
        #expect(edited == lost && edited.withoutEdit == lost)
        #expect(try Self.state(after: .endEdit, of: edited) == lost)
    }

    @Test("Q8 expiry ends a task without a pause of its queue")
    func expiry() throws {
        var task = Self.tasks[0]
        task.isRequired = true
        for event in [TaskEvent.expire, .giveUp(reason: "its start was given up")] {
            let change = try task.applying(event, settings: QueueSettings(), now: at(10))
            #expect(change.pause == nil && change.wasGivenUp && change.task.state.name == .failed)
        }
    }

    @Test("D7 an edit changes the fields it names and nothing else")
    func edit() throws {
        let fields: [FieldChange] = [
            .priority(5), .sortKey(.text("k")), .label("l"), .attemptLimit(3), .expiresAt(at(50)),
            .requires([.network]), .isRequired(true), .type("u"), .payload,
        ]
        let task = Self.tasks[1]
        var expected = task
        expected.priority = 5
        expected.sortKey = .text("k")
        expected.label = "l"
        expected.attemptLimit = 3
        expected.expiresAt = at(50)
        expected.requires = [.network]
        expected.isRequired = true
        expected.type = "u"
        expected.version += 1
        expected.updatedAt = at(10)
        #expect(try Self.state(after: .edit(fields), of: task) == expected)
        expected = task
        expected.version += 1
        expected.updatedAt = at(10)
        expected.position = -4
        #expect(try Self.state(after: .move(position: -4), of: task) == expected)
    }

    @Test("B3 postpone sets an own not-before; a moment that has passed clears it")
    func postpone() throws {
        let later = try Self.state(after: .postpone(until: at(60)), of: Self.tasks[1])
        let timer = WaitTimer(until: at(60), cause: .notBefore, since: at(10))
        #expect(later.waiting?.timer == timer && later.waiting?.skip != nil)
        #expect(later.freshAt == at(60))
        #expect(try Self.state(after: .postpone(until: at(10)), of: later).waiting?.timer == nil)
    }
}
