import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// Thrown to roll back a write after its checks.
private struct TakenBack: Error {}

@Suite("Counts and filters by one word")
struct DueCountTests {
    private static let slices = Case.all(
        stride(from: 0, to: 400, by: 100).map { $0..<$0 + 100 }, on: [.memory, .sqlite])

    @Test("F5 what queues counts as due is what state:due finds", arguments: slices)
    func due(_ test: Case<Range<Int>>) throws {
        let bench = try Bench(test.engine)
        for seed in test.value {
            let world = RandomStore(seed: seed, withPermits: true)
            do {
                try bench.store.writeBlocking { writer in
                    try world.put(into: writer)
                    let reading = try Reading(writer, now: RandomStore.now)
                    let queue = try writer.requireQueue("q")
                    let found = try reading.targets(
                        in: [queue], sections: [.waiting], matching: TaskFilter("state:due"))
                    let counted = try reading.overview(queue).due
                    #expect(counted == found.count, "seed \(seed)")
                    throw TakenBack()
                }
            } catch is TakenBack {}
        }
    }

    @Test("F5 where no worker serves a queue nothing of it is due", arguments: Engine.all)
    func unserved(_ engine: Engine) throws {
        let bench = try Bench(engine)
        _ = try bench.attach(types: nil, queues: ["other"])
        _ = try bench.enqueue(Array(repeating: request(), count: 22), to: "mail")
        let (due, found) = try bench.read { store in
            let reading = try Reading(store, now: at(0))
            let queue = try store.requireQueue("mail")
            let found = try ["due", "blocked"].map { word in
                try reading.targets(
                    in: [queue], sections: [.waiting], matching: TaskFilter("state:\(word)")
                ).count
            }
            return (try reading.overview(queue).due, found)
        }
        #expect(due == 0 && found == [0, 22])
    }
}
