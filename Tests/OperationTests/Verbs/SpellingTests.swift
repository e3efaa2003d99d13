import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// Names whose accents are one code point or two.
@Suite("spellings of a name")
struct SpellingTests {
    static let composed = "caf\u{e9}"
    static let decomposed = "cafe\u{301}"

    @Test("T6 lookup, unique key, group, filter and worker agree on a name", arguments: Engine.all)
    func agree(_ engine: Engine) throws {
        let (one, two) = (Self.composed, Self.decomposed)
        let bench = try Bench(engine)
        let first = try bench.perform(
            .enqueue(queue: two, [request(two) { ($0.uniqueKey, $0.groupStart) = (two, two) }]))
        #expect(first.createdQueue.map { Array($0.utf8) } == Array(one.utf8))
        let start = first.changed[0]
        let again = request(one) { ($0.uniqueKey, $0.groupStart) = (one, one) }
        #expect(try bench.enqueue([again], to: one) == [start])
        let member = try bench.enqueue([request { $0.groupMembers = [one] }], to: two)[0]
        #expect(try bench.read { try $0.queues().map(\.name) } == [one])
        let counts = try bench.read { store in
            try [one, two].map { try store.counts(queue: $0)[.waiting] }
        }
        #expect(counts == [2, 2])
        #expect(try bench.task(member).isHeld)
        #expect(try bench.wronglyHeld(two) == [])
        let task = try bench.task(start)
        for name in [one, two] {
            let filter = try TaskFilter("type:\(name) queue:\(name) group:\(name)")
            #expect(try filter.matches(task, KnownFacts(now: at(0), display: .next)))
            let found = try bench.read { store in
                try Reading(store, now: at(0)).targets(
                    in: store.queues(), sections: [.waiting], matching: filter)
            }
            #expect(found.map(\.id) == [start])
        }
        let runner = try bench.attach(types: [two], queues: [two])
        #expect(try bench.claim(runner).map(\.task.id) == [start])
    }

    @Test("T6 a queue is set, paused, stepped and edited under any spelling", arguments: Engine.all)
    func verbs(_ engine: Engine) throws {
        let (one, two) = (Self.composed, Self.decomposed)
        let bench = try Bench(engine)
        try bench.perform(.setQueue(two, [.concurrency(3)]))
        try bench.perform(.setQueue(one, [.priority(4)]))
        #expect(try bench.read { try $0.queues().map(\.settings.concurrency) } == [3])
        try bench.perform(.pause(PauseRequest(.queue(two))))
        #expect(try bench.record(one).pauses.count == 1)
        let id = try bench.enqueue([request()], to: one)[0]
        try bench.perform(.edit([TaskTarget(id)], payload: nil, fields: [.type(two)]))
        #expect(Array(try bench.task(id).type.utf8) == Array(one.utf8))
        #expect(try bench.waiting(two) == [id])
        try bench.perform(.resume(.queue(two)))
        #expect(try bench.record(one).pauses == [])
        try bench.perform(.deleteQueue(two, evenWithTasks: true))
        #expect(try bench.read { try $0.queues() } == [])
    }
}
