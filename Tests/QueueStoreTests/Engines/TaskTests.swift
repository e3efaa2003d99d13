import SluiceModel
import SluiceStore
import Testing

@Suite("Tasks of a store")
struct TaskTests {
    @Test("T1 a task in every state keeps every field", arguments: Engine.all)
    func everyField(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let states = Samples.states
        let inserted = try bench.write { writer in
            try writer.makeQueue()
            return try writer.add(states.count * 2) { task, place in
                task.state = states[place % states.count]
                if place >= states.count { Samples.fill(&task, place) }
            }
        }
        #expect(try bench.read { try $0.tasks(inserted.map(\.id)) } == inserted)
        let changed = inserted.map { old in
            var task = old
            Samples.fill(&task, Int(old.id) + 1)
            task.state = states[(Int(old.id) + 5) % states.count]
            task.position = 1000 - old.position
            return task
        }
        try bench.write { try $0.update(changed) }
        #expect(try bench.read { try $0.tasks(changed.map(\.id)) } == changed)
    }

    @Test(
        "T1 numbers are never given twice and tasks come in the order asked for",
        arguments: Engine.all)
    func numbers(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let (first, second) = try bench.write { writer in
            try writer.makeQueue()
            return (try writer.add(3).map(\.id), try writer.add(2).map(\.id))
        }
        try bench.write { try $0.remove(second) }
        let third = try bench.write { try $0.add(1)[0].id }
        #expect(Set(first + second + [third]).count == 6)
        #expect(third > (second.last ?? 0))
        let asked = [third, 999_999, first[0], first[2], -1]
        #expect(try bench.read { try $0.tasks(asked).map(\.id) } == [third, first[0], first[2]])
        let numbers = try bench.write { writer in
            try (0..<3).map { _ in try writer.reserveNumber() }
        }
        #expect(Set(numbers).count == 3)
    }

    @Test("T1 payloads and results are bytes, and go with their task", arguments: Engine.all)
    func bytes(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let payload: [UInt8] = [0, 255, 10, 0]
        let ids = try bench.write { writer in
            try writer.makeQueue()
            let ids = try writer.add(2).map(\.id)
            try writer.setPayload(payload, of: ids[0])
            try writer.setPayload([], of: ids[1])
            try writer.setResult([], of: ids[0])
            try writer.setResult([1], of: ids[1])
            try writer.change(ids[0]) { $0.label = "later" }
            return ids
        }
        let first = try bench.read { (try $0.payload(of: ids[0]), try $0.result(of: ids[0])) }
        #expect(first.0 == payload && first.1 == [])
        #expect(try bench.read { try $0.payload(of: ids[1]) } == [])
        try bench.write { try $0.setResult(nil, of: ids[1]) }
        #expect(try bench.read { try $0.result(of: ids[1]) } == nil)
        try bench.write { try $0.remove(ids) }
        let gone = try bench.read { (try $0.payload(of: ids[0]), try $0.result(of: ids[0])) }
        #expect(gone.0 == nil && gone.1 == nil)
    }

    @Test("An update of a task that is not there changes nothing", arguments: Engine.all)
    func unknown(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { try $0.makeQueue() }
        let error = #expect(throws: QueueError.self) {
            try bench.write { writer in
                let stranger = QueueTask(
                    id: 77, queue: "q", type: "t", position: 1, createdAt: at(0))
                try writer.update([stranger])
            }
        }
        #expect(error?.code == .unknownTask)
    }

    @Test("T5 the holders of a unique key wait, or also run", arguments: Engine.all)
    func uniqueHolders(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { writer in
            try writer.makeQueue()
            try writer.makeQueue("other")
            let ids = try writer.add(5) { task, place in
                task.uniqueKey = "k"
                task.state =
                    [
                        .waiting(Waiting()), .running(Samples.leases[0]),
                        .failed(Failure(at: at(1), reason: "", startPolicy: nil)),
                        .waiting(Waiting()), .waiting(Waiting()),
                    ][place]
                if place == 3 { task.type = "push" }
                if place == 4 { task.uniqueKey = "K" }
            }.map(\.id)
            try writer.add(1, to: "other") { task, _ in task.uniqueKey = "k" }
            return ids
        }
        func holders(_ includingRunning: Bool) throws -> Set<TaskID> {
            try bench.read {
                Set(
                    try $0.uniqueHolders(
                        queue: "q", type: "mail", key: "k", includingRunning: includingRunning))
            }
        }
        #expect(try holders(false) == [ids[0]])
        #expect(try holders(true) == [ids[0], ids[1]])
        try bench.write { try $0.remove([ids[0]]) }
        #expect(try holders(false) == [])
    }

    @Test("Follow-ups, positions and neighbours are found", arguments: Engine.all)
    func relations(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { writer in
            try writer.makeQueue()
            let ids = try writer.add(4) { task, place in
                task.position = [10, -20, 30, .max][place]
                if place == 2 {
                    task.state = .failed(Failure(at: at(1), reason: "", startPolicy: nil))
                }
            }.map(\.id)
            try writer.add(2) { task, place in
                task.parent = ids[0]
                task.position = Int64(place + 11)
            }
            return ids
        }
        let found = try bench.read { reader in
            try [
                reader.neighbour(queue: "q", of: 10, isBefore: true),
                reader.neighbour(queue: "q", of: 10, isBefore: false),
                reader.neighbour(queue: "q", of: 12, isBefore: false),
                reader.neighbour(queue: "q", of: -20, isBefore: true),
                reader.neighbour(queue: "q", of: .max, isBefore: false),
                reader.neighbour(queue: "none", of: 0, isBefore: false),
            ]
        }
        #expect(found == [-20, 11, 30, nil, nil, nil])
        #expect(try bench.read { try $0.lastPosition(queue: "q") } == .max)
        #expect(try bench.read { try $0.lastPosition(queue: "none") } == 0)
        #expect(try bench.read { try $0.followUps(of: ids[0]) } == [ids[3] + 1, ids[3] + 2])
        #expect(try bench.read { try $0.followUps(of: ids[1]) } == [])
    }
}
