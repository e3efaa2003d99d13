import SluiceModel
import SluiceStore
import Testing

/// Sessions in every engine, and the operations on them.
@Suite("Sessions of a store")
struct SessionTests {
    private func request(_ type: String, _ string: ClientString? = nil) -> EnqueueRequest {
        var request = EnqueueRequest(type: type, payload: Array("{}".utf8))
        request.session = "s"
        request.clientString = string
        return request
    }

    @discardableResult
    private func act<Value: Sendable>(
        _ bench: Bench, at second: Int64 = 10,
        _ body: @escaping @Sendable (Mutation) throws -> Value
    ) throws -> Value {
        let moment = at(second)
        return try bench.write { try $0.transact(at: moment, body) }
    }

    private func attach(_ bench: Bench) throws -> ProcessID {
        try act(bench) { mutation in
            try mutation.attach(
                ProcessRecord(
                    id: 0, role: .program, host: "h", bootID: "b", pid: 1, lockName: "l",
                    attachedAt: at(0))
            ).id
        }
    }

    private func adopt(_ bench: Bench, _ process: ProcessID, limit: Int = 100) throws -> [TaskID] {
        var found: [TaskID] = []
        var place: SessionPlace? = .start
        while let from = place {
            let page = try act(bench) {
                try $0.adopt(session: "s", by: process, from: from, limit: limit)
            }
            found += page.entries.map(\.task.id)
            place = page.next
        }
        return found
    }

    /// Runs the next task to an end.
    private func run(_ bench: Bench, _ outcome: HandlerOutcome) throws {
        let runner = try act(bench) { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "r",
                attachedAt: at(0))
            process.slots = 1
            return try mutation.attach(process).id
        }
        try act(bench) { mutation in
            for claimed in try mutation.claim(
                ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
            {
                var completion = Completion(
                    task: claimed.task.id, token: claimed.task.running?.token ?? 0,
                    ending: .handler(outcome))
                if case .success(let result) = outcome { completion.result = result }
                _ = try mutation.settle([completion])
            }
            try mutation.detach(runner)
        }
    }

    @Test(
        "S3 DBX-16 a task belongs to one living process; who has gone has none",
        arguments: Engine.all)
    func ownership(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let app = try attach(bench)
        let helper = try attach(bench)
        let ids = try act(bench) { mutation in
            var owned = request("a")
            owned.collector = app
            return try mutation.enqueue([owned, request("b"), request("c")], to: "q").ids
        }
        // A task without a collector is offered to one session, once.
        #expect(try adopt(bench, helper, limit: 1) == [ids[1], ids[2]])
        #expect(try adopt(bench, helper) == [])
        #expect(try adopt(bench, app) == [])
        let versions = try bench.read { try $0.tasks(ids).map(\.version) }
        #expect(versions == [1, 1, 1])
        try act(bench) { try $0.detach(helper) }
        #expect(try adopt(bench, app) == [ids[1], ids[2]])
        try act(bench) { _ = try $0.reap(app) }
        #expect(try adopt(bench, try attach(bench)) == ids)
        #expect(try bench.read { try $0.awaitedTasks(session: "other") } == [])
    }

    @Test(
        "S4 a result stays until it is acknowledged, whatever its queue keeps",
        arguments: Engine.all, [KeepFinished.none, .acknowledged, .last(1), .milliseconds(1000)])
    func results(_ engine: Engine, _ kept: KeepFinished) throws {
        let bench = try Bench(engine)
        try bench.write { try $0.makeQueue { $0.keepFinished = kept } }
        let ids = try act(bench) {
            try $0.enqueue([request("a", ""), request("b")], to: "q").ids
        }
        try run(bench, .success(result: [7]))
        try run(bench, .giveUp(error: "no"))
        try act(bench, at: 1_000_000) { _ = try $0.housekeep() }
        let awaited = try bench.read { try $0.entries(try $0.awaitedTasks(session: "s")) }
        #expect(awaited.map(\.task.state.name) == [.succeeded, .failed])
        #expect(awaited.map(\.result) == [[7], nil])
        #expect(awaited.map(\.task.clientString) == ["", nil])
        try act(bench) { mutation in
            for task in try mutation.store.tasks(ids) { try mutation.acknowledge(task) }
        }
        #expect(try bench.read { try $0.awaitedTasks(session: "s") } == [])
        let left = try bench.read { try $0.tasks(ids).map(\.state.name) }
        // A count or a time limit keeps successes. Failed tasks stay for people (Q9).
        let isKept = kept != .none && kept != .acknowledged
        #expect(left == (isKept ? [.succeeded, .failed] : [.failed]))
    }

    @Test(
        "Q9 what sessions wait for does not keep housekeeping from what lies behind",
        arguments: Engine.all)
    func housekeeping(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.write { writer in
            try writer.makeQueue { $0.retentionMilliseconds = 1000 }
            try writer.add(1002) { task, place in
                task.session = place < 1001 ? "s" : nil
                task.state = .failed(
                    Failure(at: at(Int64(place)), reason: "", startPolicy: nil))
            }
        }
        try act(bench, at: 100_000) { _ = try $0.housekeep() }
        let left = try bench.read { try $0.counts(queue: "q")[.failed] }
        #expect(left == 1001)
    }

    @Test(
        "S1 PN-04 PN-05 DBX-07 DBX-08 DBX-09 DBX-10 client string and begin may be replaced",
        arguments: Engine.all)
    func replaced(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let bytes = ClientString(bytes: [0xFF, 0, 10, 35])
        var first = request("a", "e\u{301}#?///?#\n")
        first.notBefore = at(60)
        let wanted = first
        let id = try act(bench) { try $0.enqueue([wanted], to: "q").ids[0] }
        func task() throws -> QueueTask { try bench.read { try $0.requireTask(id) } }
        #expect(try task().clientString?.bytes == Array("e\u{301}#?///?#\n".utf8))
        #expect(try task().waiting?.timer?.until == at(60))
        // The same text in other bytes is another client string.
        for string in ["é#?///?#\n", bytes, "", nil] as [ClientString?] {
            try act(bench) {
                try $0.apply(.annotate(string), to: try $0.store.requireTask(id))
            }
            #expect(try task().clientString == string)
        }
        try act(bench) { try $0.apply(.begin(at(5)), to: try $0.store.requireTask(id)) }
        #expect(try task().waiting?.timer == nil)
        try act(bench) { try $0.apply(.begin(at(70)), to: try $0.store.requireTask(id)) }
        try run(bench, .success(result: nil))
        #expect(try task().executions == 0)
    }

    @Test("PN-09 a task is handed over again, and the former one withdrawn", arguments: Engine.all)
    func reissue(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let process = try attach(bench)
        let ids = try act(bench) { mutation in
            var bad = request("a", "mine")
            bad.payload = [1, 2]
            bad.priority = 4
            return try mutation.enqueue([bad], to: "q").ids
        }
        let new = try act(bench) { mutation in
            try mutation.reissue(
                try mutation.store.requireTask(ids[0]), type: "b", payload: [3],
                collector: process, by: "app")
        }
        let task = try bench.read { try $0.requireTask(new) }
        #expect(task.type == "b" && task.priority == 4 && task.clientString == "mine")
        #expect(try bench.read { try $0.payload(of: new) } == [3])
        let former = try bench.read { try $0.requireTask(ids[0]) }
        #expect(former.state.name == .deleted && former.isAcknowledged)
        #expect(try bench.read { try $0.awaitedTasks(session: "s").map(\.id) } == [new])
    }
}
