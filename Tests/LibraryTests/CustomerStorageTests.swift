import Sluice
import SluiceFolderStore
import SluiceSystem
import Testing

/// Storage with the behaviour of Customer.io's SDK, in our file and in its folder.
@Suite("scenarios of Customer.io: storage", .serialized, .timeLimit(.minutes(10)))
struct CustomerStorageTests {
    typealias Engine = CustomerBench.Engine

    @Test(
        "CIO-07 CIO-08 CIO-10 CIO-11 CIO-14 CIO-15 CIO-52 a new task stands there whole, for later",
        arguments: Engine.allCases)
    func whole(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        let app = try await bench.life()
        #expect(try await app.waiting() == [])
        let request = customerTask("track", start: "g", members: ["p", "q/r"])
        let ids = try await app.add(request)
        #expect(try await app.count() == 1)
        let stored = try await app.waiting()
        #expect(stored.map(\.id) == ids && ids.count == 1)
        let task = try #require(stored.first)
        #expect(task.type == "track" && task.attempts == 0)
        #expect(task.groupStart == "g" && task.groupMembers == ["p", "q/r"])
        #expect(try await app.payload(of: task.id) == request.payload)
        #expect(try await app.state(of: task.id + 1) == nil)
        #expect(try await app.payload(of: task.id + 1) == nil)
        app.store.close()
        let next = try await bench.life()
        #expect(try await next.waiting() == stored)
        #expect(try await next.payload(of: task.id) == request.payload)
        next.store.close()
        guard engine == .folder else { return }
        #expect(
            try bench.content("inventory.json")
                == #"[{"created_at":1800000000,"group_member":["p","q\/r"],"group_start":"g","#
                + #""task_persisted_id":"\#(CustomerBench.id(1))","task_type":"track"}]"#)
        // A reader of the files alone gets the same data, to the second.
        try bench.forgetDatabase()
        let reader = try await bench.life()
        let read = try #require(try await reader.waiting().first)
        #expect(read.createdAt == Timestamp(milliseconds: 1_800_000_000_000))
        #expect(read.groupStart == "g" && read.groupMembers == ["p", "q/r"] && read.attempts == 0)
        #expect(try await reader.payload(of: read.id) == request.payload)
    }

    @Test(
        "CIO-01 CIO-09 what one program saves is there, and another that has read sees it",
        arguments: Engine.allCases)
    func twoPrograms(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        let (first, second) = (try await bench.life(), try await bench.life())
        try await first.add(customerTask("a"))
        #expect(try await second.waiting().map(\.type) == ["a"])
        let saved = try await first.add(customerTask("b"))
        let all = try await first.waiting()
        #expect(all.map(\.type) == ["a", "b"] && all.last?.id == saved.first)
        #expect(try await second.waiting() == all)
        try await second.add(customerTask("c"))
        #expect(try await first.waiting().map(\.type) == ["a", "b", "c"])
        #expect(try bench.files().count == (engine == .folder ? 3 : 0))
    }

    @Test("CIO-03 each reading sees what another program has written since the last one")
    func readTwice() async throws {
        let bench = try CustomerBench(.folder)
        let app = try await bench.life()
        for _ in 1...2 { #expect(try await app.waiting() == []) }
        let id = CustomerBench.id(9)
        try bench.put(
            #"{"data":"e30=","run_results":{"total_runs":2},"storage_id":"\#(id)","type":"t"}"#,
            "tasks/\(id).json")
        try bench.put(
            #"[{"created_at":1800000000,"task_persisted_id":"\#(id)","task_type":"t"}]"#,
            "inventory.json")
        for _ in 1...2 { #expect(try await app.waiting().map(\.attempts) == [2]) }
    }

    @Test(
        "CIO-04 what is not there is refused, not taken for empty, and reading makes nothing",
        arguments: Engine.allCases)
    func missing(_ engine: Engine) throws {
        let bench = try CustomerBench(engine)
        if engine == .folder { try Files.remove("\(bench.folder)/inventory.json") }
        let root = engine == .folder ? bench.folder : nil
        let before = try root.map { try Files.list($0) }
        for _ in 1...2 {
            let error = #expect(throws: QueueError.self) { try bench.open(readOnly: true) }
            #expect(error?.code == (engine == .folder ? .notAStore : .noStore))
        }
        #expect(try root.map { try Files.list($0) } == before)
    }

    @Test(
        "CIO-02 CIO-05 CIO-06 CIO-48 what cannot be stored is an error, at any step, and not there",
        arguments: Engine.allCases)
    func refused(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        let app = try await bench.life()
        let task = customerTask("track", start: "g", members: ["p"])
        var steps = 0
        var isStored = false
        while !isStored, steps < 300 {
            steps += 1
            bench.faults.fail(from: steps)
            do {
                try await app.add(task)
                isStored = true
            } catch let error as QueueError {
                #expect(error.code == .diskFull)
            }
            bench.faults.fail(from: nil)
            guard !isStored else { break }
            #expect(try await app.waiting() == [], "step \(steps)")
            #expect(try await app.count() == 0, "step \(steps)")
            #expect(try await app.nextRun() == nil, "step \(steps)")
            #expect(try bench.files() == [], "step \(steps)")
        }
        #expect(isStored && steps > 3)
        let begin = bench.now + 30_000
        #expect(try await app.nextRun() == begin)
        // It does not change the existing countdown either.
        bench.pass(10_000)
        bench.faults.fail(from: 1)
        await #expect(throws: QueueError.self) { try await app.add(task) }
        bench.faults.fail(from: nil)
        #expect(try await app.nextRun() == begin)
        #expect(try await app.count() == 1)
        #expect(try bench.files().count == (engine == .folder ? 1 : 0))
    }

    @Test(
        "CIO-12 CIO-14 an id that nobody knows is refused by every verb, and nothing changes",
        arguments: Engine.allCases)
    func unknown(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        let app = try await bench.life()
        let id = try await app.add(customerTask("track"))[0]
        let before = try await app.waiting()
        let target = [TaskTarget(id + 7)]
        let verbs: [Verb] = [
            .retry(target), .edit(target, payload: [], fields: []), .priority(target, 3),
            .delete(target, cancelsRunning: false, members: nil), .cancel(target),
        ]
        for verb in verbs {
            let error = await #expect(throws: QueueError.self) {
                try await app.control.perform(verb)
            }
            #expect(error?.code == .unknownTask, "\(verb.name)")
        }
        #expect(try await app.waiting() == before)
    }

    @Test(
        "CIO-16 a task that is deleted is out of the queue and its files, and lies in the trash",
        arguments: Engine.allCases)
    func deleted(_ engine: Engine) async throws {
        let bench = try CustomerBench(engine)
        let app = try await bench.life()
        let id = try await app.add(customerTask("track"))[0]
        let former = try await app.waiting()
        let target = [TaskTarget(id)]
        let delete = Verb.delete(target, cancelsRunning: false, members: nil)
        try await app.control.perform(delete)
        #expect(try await app.waiting() == [])
        #expect(try await app.count() == 0)
        #expect(try bench.files() == [])
        if engine == .folder { #expect(try bench.content("inventory.json") == "[]") }
        try await app.control.perform(.undelete(target))
        #expect(try await app.waiting().map(\.type) == former.map(\.type))
        try await app.control.perform(delete)
        try await app.control.perform(.purge(target, members: nil))
        #expect(try await app.state(of: id) == nil)
        #expect(try await app.payload(of: id) == nil)
    }
}
