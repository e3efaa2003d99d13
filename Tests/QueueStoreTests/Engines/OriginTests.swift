import SluiceModel
import SluiceStore
import Testing

@Suite("By what tasks of a store are known elsewhere")
struct OriginTests {
    @Test("P6 an origin names its task, also when that is gone", arguments: Engine.all)
    func origins(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { writer in
            try writer.makeQueue("other")
            let ids = try writer.add(3, to: "other").map(\.id)
            try writer.putOrigin("one", of: ids[0])
            try writer.putOrigin("two", of: ids[1])
            return ids
        }
        try bench.write { try $0.remove([ids[1]]) }
        let found = try bench.read { reader in
            try ["one", "two", "three"].map { try reader.task(ofOrigin: $0) }
        }
        #expect(found == [ids[0], ids[1], nil])
        #expect(try bench.read { try $0.origin(of: ids[0]) } == "one")
        #expect(try bench.read { try $0.origin(of: ids[2]) } == nil)
        try bench.write { try $0.putOrigin("two", of: ids[2]) }
        #expect(try bench.read { try $0.task(ofOrigin: "two") } == ids[2])
        #expect(throws: QueueError.self) {
            try bench.write { writer in
                try writer.putOrigin("three", of: ids[0])
                throw QueueError.notLegal("no")
            }
        }
        #expect(try bench.read { try $0.task(ofOrigin: "three") } == nil)
    }

    @Test(
        "P6 origins of tasks that are gone are known, whatever they look like",
        arguments: Engine.all)
    func gone(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let origins =
            (1...40).map { TaskOrigin.local($0, in: "a") + "" }
            + (1...40).map { TaskOrigin.line($0, [UInt8($0)]) } + ["their number 7", "", "line-x"]
        let ids = try bench.write { writer in
            try writer.makeQueue("kept")
            try writer.makeQueue("removed")
            let ids =
                try writer.add(50, to: "kept").map(\.id)
                + writer.add(origins.count - 50, to: "removed").map(\.id)
            for (origin, id) in zip(origins, ids) { try writer.putOrigin(origin, of: id) }
            return ids
        }
        func known() throws -> [TaskID?] {
            try bench.read { reader in try origins.map { try reader.task(ofOrigin: $0) } }
        }
        #expect(try known() == ids)
        try bench.write { writer in
            try writer.remove(Array(ids.prefix(30)))
            try writer.removeQueue(named: "removed")
        }
        #expect(try known() == ids)
        let others = ["a line", TaskOrigin.local(1, in: "b"), TaskOrigin.line(1, [2])]
        #expect(
            try bench.read { reader in try others.map { try reader.task(ofOrigin: $0) } }
                == [nil, nil, nil])
    }

    @Test("T1 tasks come in the order of arrival, whatever their state", arguments: Engine.all)
    func arrivals(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let ids = try bench.write { writer in
            try writer.makeQueue { $0.order = .priority }
            try writer.makeQueue("other")
            try writer.add(1, to: "other")
            return try writer.add(Samples.states.count * 2) { task, place in
                task.state = Samples.states[place % Samples.states.count]
                task.priority = place
                task.position = 100 - Int64(place)
            }.map(\.id)
        }
        let wanted = Array(ids.reversed())
        var found: [TaskID] = []
        var last: Int64?
        while true {
            let after = last
            let page = try bench.read { try $0.tasks(.arrived(queue: "q", after: after), limit: 3) }
            guard let end = page.last else { break }
            found += page.map(\.id)
            last = end.position
        }
        #expect(found == wanted)
        #expect(
            try bench.read { try $0.tasks(.arrived(queue: "none", after: nil), limit: 3) } == [])
    }

    @Test(
        "A7 an execution of another store is in its task's log, not in the journal",
        arguments: Engine.all)
    func elsewhere(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let id = try bench.write { writer in
            try writer.makeQueue("other")
            let task = try writer.add(1, to: "other")[0]
            var attempt = AttemptRecord(task: task, number: 1, runner: 7, startedAt: at(1))
            (attempt.endedAt, attempt.outcome, attempt.endSequence) = (at(2), .retry, -1)
            try writer.put([attempt])
            return task.id
        }
        #expect(try bench.read { try $0.attempts(of: id).map(\.endSequence) } == [-1])
        let entries = try bench.read { try $0.journal(JournalQuery(limit: 10)) }
        #expect(entries.allSatisfy { if case .attempt = $0 { false } else { true } })
        let ended = try bench.read {
            try $0.endedCounts(.attempts, queue: "other", since: at(0))
        }
        #expect(ended == [])
    }
}
