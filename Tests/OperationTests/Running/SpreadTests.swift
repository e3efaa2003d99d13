import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// Bulks that are spread over a time, and verbs of every kind in slices (D10).
@Suite("spread bulks")
struct SpreadTests {
    private func dueTimes(_ bench: Bench, _ targets: [TaskTarget]) throws -> [Timestamp?] {
        try bench.read { store in
            try store.tasks(targets.map(\.id)).map { $0.waiting?.timer?.until }
        }
    }

    @Test(
        "D10 retry over a time makes tasks due at equal distances, in order",
        arguments: Engine.large)
    func retry(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(2000)
        try bench.perform(.skip(targets, forMilliseconds: nil))
        let skipped = try bench.read { try $0.tasks(targets.map(\.id)).map { TaskTarget($0) } }
        bench.pass(100)
        let answer = try bench.perform(.retry(skipped, overMilliseconds: 600_000))
        #expect(answer.summary == "2,000 tasks retried over 10m by ann")
        let times = try dueTimes(bench, targets)
        #expect(times[0] == nil)
        let isEven = times.dropFirst() == (1..<2000).map { at(100 + Int64($0) * 300) }[...]
        #expect(isEven)
        #expect(try bench.task(targets[7].id).waiting?.skip == nil)
        let runner = try bench.attach()
        #expect(try bench.drain(runner) == [targets[0].id])
        bench.pass(600)
        #expect(try bench.drain(runner) == [targets[1].id, targets[2].id])
        let undone = try bench.perform(.undo(event: nil))
        #expect(undone.changed.count == 1997 && undone.failed.count == 3)
        #expect(try bench.task(targets[7].id).waiting?.skip != nil)
    }

    @Test("D10 postpone over a time begins at the moment that is named", arguments: Engine.all)
    func postpone(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(4)
        let answer = try bench.perform(
            .postpone(targets, until: at(5000), overMilliseconds: 1000))
        #expect(answer.changed.count == 4)
        #expect(try dueTimes(bench, targets) == [at(5000), at(5250), at(5500), at(5750)])
    }

    @Test(
        "D10 a given-up task that is retried over a time waits for its moment",
        arguments: Engine.all)
    func failed(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let targets = try bench.fill(2)
        let runner = try bench.attach()
        #expect(try bench.drain(runner) { _ in .giveUp(error: "no") } == targets.map(\.id))
        try bench.perform(.retry(targets.map { TaskTarget($0.id) }, overMilliseconds: 1000))
        #expect(try bench.drain(runner) == [targets[0].id])
        #expect(try bench.display(targets[1].id) == .delayed)
        bench.pass(500)
        #expect(try bench.drain(runner) == [targets[1].id])
    }

    /// A verb, how the tasks are made ready for it, and whether it can be undone.
    struct Row: Sendable, CustomStringConvertible {
        var description: String
        var verb: @Sendable ([TaskTarget]) -> Verb
        var before: (@Sendable ([TaskTarget]) -> Verb)?
        var canBeUndone = true
    }

    static let rows: [Row] = [
        Row(description: "skip", verb: { .skip($0, forMilliseconds: 9) }),
        Row(
            description: "unskip", verb: { .unskip($0) },
            before: { .skip($0, forMilliseconds: nil) }),
        Row(description: "delete", verb: { Bench.delete($0) }),
        Row(description: "undelete", verb: { .undelete($0) }, before: { Bench.delete($0) }),
        Row(description: "retry", verb: { .retry($0) }),
        Row(description: "postpone", verb: { .postpone($0, until: at(99)) }),
        Row(description: "priority", verb: { .priority($0, 3) }),
        Row(description: "move", verb: { .moveToQueue($0, "r") }),
        Row(
            description: "edit", verb: { .edit($0, payload: [1], fields: [.label("x")]) }),
        Row(description: "duplicate", verb: { .duplicate($0) }),
        Row(
            description: "purge", verb: { .purge($0, members: nil) },
            before: { Bench.delete($0) }, canBeUndone: false),
    ]

    @Test(
        "D9 D10 every verb goes in slices and is undone as one",
        arguments: Case.all(rows, on: Engine.large))
    func everyVerb(_ test: Case<Row>) throws {
        let (bench, row) = (try Bench(test.engine), test.value)
        try bench.makeQueue("r")
        let made = try bench.fill(1001)
        if let before = row.before { try bench.perform(before(made), by: "eve") }
        let targets = try bench.read { try $0.tasks(made.map(\.id)).map { TaskTarget($0) } }
        let known = try bench.dump()
        let answer = try bench.perform(row.verb(targets))
        #expect(answer.changed.count == 1001 && answer.failed == [])
        let events = try bench.events().suffix(2)
        #expect(events.map(\.kind) == [row.verb([]).name, row.verb([]).name])
        #expect(events.last?.bulk == events.first?.sequence)
        guard row.canBeUndone else {
            #expect(answer.undo == nil)
            return
        }
        let undone = try bench.perform(.undo(event: nil))
        #expect(undone.failed == [] && undone.changed.count == 1001)
        let ids = Set(made.map(\.id))
        let now = try bench.dump()
        let isBack =
            now.tasks.filter { ids.contains($0.id) }.map(\.unversioned)
            == known.tasks.map(\.unversioned)
        let hasPayloads = now.payloads.prefix(1001) == known.payloads[...]
        #expect(isBack && hasPayloads)
    }
}
