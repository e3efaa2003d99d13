import SluiceSystem
import Testing

@testable import Sluice

/// A client's verbs on its waiting and running tasks.
@Suite("session control", .timeLimit(.minutes(10)))
struct SessionControlTests {
    let bench: SessionBench

    init() throws { bench = try SessionBench() }

    private let picture = Upload(path: "p", parts: [])

    @Test("DBX-11 DBX-12 a task needs nobody to hold it, and goes when it is acknowledged")
    func nobodyHolds() async throws {
        let app = try bench.life()
        let id = try await {
            let session = try await app.session("s")
            return try await session.enqueue(picture)
        }()
        try await bench.agent()
        let kept = try await app.store.read { try $0.task(id)?.state.name }
        #expect(kept == .succeeded)
        let session = try await app.session("s")
        let item = try await session.end(of: id)
        let still = try await app.store.read { try $0.task(id) }
        #expect(still != nil)
        try await session.acknowledge(item)
        let gone = try await app.store.read { try $0.task(id) }
        #expect(gone?.isAcknowledged == true, "the last 100 stay (Q11)")
    }

    @Test(
        "DBX-12 a result stays until it is acknowledged, whoever has read it, and goes then",
        arguments: [KeepFinished.none, .acknowledged])
    func goesWhenAcknowledged(_ kept: KeepFinished) async throws {
        let app = try bench.life()
        try await app.control.perform(.setQueue("q", [.keepFinished(kept)]))
        let first = try await app.session("s")
        let ids = [
            try await first.enqueue(picture, to: "q"), try await first.enqueue(picture, to: "q"),
        ]
        try await bench.agent()
        // Read twice, by the session that asked and by the next one.
        _ = try await first.end(of: ids[0])
        let item = try await app.session("s").end(of: ids[0])
        func left() async throws -> [[UInt8]?] {
            try await app.store.read { store in
                try ids.map { id in try store.task(id).flatMap { try store.result(of: $0.id) } }
            }
        }
        let receipt = Array(#"{"path":"p","bytes":0}"#.utf8)
        #expect(try await left().map { $0?.count } == [receipt.count, receipt.count])
        try await first.acknowledge(item)
        #expect(try await left().map { $0?.count } == [nil, receipt.count])
        #expect(try await app.store.read { try $0.task(ids[0]) } == nil)
    }

    @Test("S1 PN-05 DBX-09 DBX-10 nothing begins before its time, which may be changed till then")
    func earliestBegin() async throws {
        let session = try await bench.life().session("s")
        let begin = bench.at(60_000)
        let first = try await session.enqueue(picture, notBefore: begin)
        let runner = try bench.life("agent")
        func claim() async throws -> [TaskID] {
            let now = bench.now
            return try await runner.store.transact(at: now) { mutation in
                var process = ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 1, lockName: "none",
                    attachedAt: now)
                process.slots = 9
                let id = try mutation.attach(process).id
                let request = ClaimRequest(runner: id, freeSlots: 9, inFlight: 0)
                let claimed = try mutation.claim(request).map(\.task.id)
                try mutation.detach(id)
                return claimed
            }
        }
        #expect(try await claim() == [])
        let ids = [first, try await session.enqueue(picture, to: "q")]
        try await session.setEarliestBegin(bench.at(30_000), of: ids[0])
        try await session.setEarliestBegin(bench.at(90_000), of: ids[1])
        #expect(try await claim() == [])
        bench.pass(30_000)
        #expect(try await claim() == [ids[0]])
        bench.pass(60_000)
        #expect(try await Set(claim()) == Set(ids))
    }

    @Test("S1 PN-04 DBX-08 DBX-10 string and begin are replaced while it runs, not after its end")
    func whileItRuns() async throws {
        let session = try await bench.life().session("s")
        let id = try await session.enqueue(picture, clientString: "old")
        let later = bench.at(3_600_000)
        let agent = try bench.life("agent")
        let handler = AsyncHandler { execution, _ in
            guard execution.number == 1 else { return .success(result: nil) }
            try await session.setClientString("new", of: id)
            try await session.setEarliestBegin(later, of: id)
            return .retry(afterMilliseconds: 0, error: nil)
        }
        try agent.handle(type: "*", handler)
        let worker = try agent.start()
        func task() async throws -> QueueTask {
            try await session.store.read { try $0.requireTask(id) }
        }
        while try await task().waiting?.timer == nil { await Task.yield() }
        #expect(try await task().waiting?.timer?.until == later)
        bench.pass(3_600_000)
        // Its time has come on the store's clock: the next commit makes the agent look.
        try await session.setClientString("newer", of: id)
        let item = try await session.end(of: id)
        try await worker.stop()
        #expect(item.clientString == "newer" && item.task.executions == 2)
        let string = await #expect(throws: QueueError.self) {
            try await session.setClientString("late", of: id)
        }
        let begin = await #expect(throws: QueueError.self) {
            try await session.setEarliestBegin(later, of: id)
        }
        #expect(string?.code == .notLegal && begin?.code == .notLegal)
    }

    @Test("S1 the tasks of another session are not there, and a string has its limit")
    func foreign() async throws {
        let mine = try await bench.life().session("mine")
        let other = try await bench.life().session("other")
        let id = try await other.enqueue(picture)
        let calls: [@Sendable () async throws -> Void] = [
            { try await mine.setClientString("x", of: id) },
            { try await mine.cancel(id) }, { try await mine.reissue(id) },
            { _ = try await mine.end(of: id) },
        ]
        for call in calls {
            let error = await #expect(throws: QueueError.self) { try await call() }
            #expect(error?.code == .unknownTask)
        }
        let long = ClientString(bytes: Array(repeating: 0, count: ClientString.byteLimit + 1))
        await #expect(throws: QueueError.self) {
            try await mine.enqueue(picture, clientString: long)
        }
        await #expect(throws: QueueError.self) { try await other.setClientString(long, of: id) }
    }

    @Test(
        "DBX-25 a client that cancels while it is told of an end hears nothing of it any more",
        arguments: [HandlerOutcome.success(result: nil), .giveUp(error: "401")])
    func cancelInside(_ outcome: HandlerOutcome) async throws {
        let session = try await bench.life().session("s")
        let first = try await session.enqueue(picture)
        let later = try await session.enqueue(picture, notBefore: bench.at(60_000))
        let last = try await session.enqueue(picture)
        let told = try await bench.withAgent { _ in
            outcome
        } _: {
            var told: [TaskID] = []
            for try await event in session.events {
                guard case .ended(let item) = event else { continue }
                told.append(item.id)
                try await session.cancel(later)
                try await session.cancel(item.id)
                if told.count == 2 { break }
            }
            return told
        }
        #expect(told == [first, last])
        let left = try await session.store.read { try $0.awaitedTasks(session: "s") }
        #expect(left == [])
        // The waiting task is in the trash. Undo restores it into the session.
        try await session.client.control.perform(.undo(event: nil))
        let back = try await session.store.read { try $0.awaitedTasks(session: "s").map(\.id) }
        #expect(back == [later])
    }

    @Test("DBX-25 who asks late for an end may cancel what it is told of, and the rest")
    func cancelLate() async throws {
        let session = try await bench.life().session("s")
        let first = try await session.enqueue(picture)
        try await bench.agent { _ in .success(result: nil) }
        let later = try await session.enqueue(picture, notBefore: bench.at(60_000))
        let item = try await session.end(of: first)
        try await session.cancel(item.id)
        try await session.cancel(later)
        #expect(try await session.store.read { try $0.awaitedTasks(session: "s") } == [])
    }

    @Test("DBX-25 a handler may cancel its own task, or close its session, while it runs")
    func cancelFromHandler() async throws {
        let session = try await bench.life().session("s")
        let id = try await session.enqueue(picture)
        try await bench.agent { _, _ in
            try await session.cancel(id)
            try await session.close(.cancel)
            return Receipt(path: "", bytes: 0)
        }
        // It succeeded before the cancel. The success counts, and no client waits for it.
        let task = try await session.client.store.read { try $0.task(id) }
        #expect(task?.isAcknowledged == true)
    }

    @Test("PN-16 what runs when its session is closed with cancel leaves nothing behind")
    func closeWhileRunning() async throws {
        let session = try await bench.life().session("s")
        let id = try await session.enqueue(picture)
        let agent = try bench.life("agent")
        try agent.handle(Upload.self) { _, _ in
            try await session.close(.cancel)
            try await goOnUntilCancelled()
        }
        try await agent.drain()
        let task = try await agent.store.read { try $0.requireTask(id) }
        #expect(task.state.name == .deleted && task.isAcknowledged)
        #expect(try await bench.life().session("s").reconnected.isEmpty)
    }

    @Test("PN-17 how often and when a transfer is tried again is its queue's rule, never given up")
    func retries() async throws {
        let session = try await bench.life().session("s")
        try await session.client.control.perform(.setQueue("s", [.preset("transfer")]))
        let id = try await session.enqueue(picture)
        let agent = try bench.life("agent")
        try agent.handle(
            type: "*",
            AsyncHandler { execution, _ in
                execution.number == 12
                    ? .success(result: nil) : .retry(afterMilliseconds: nil, error: "503")
            })
        let worker = try agent.start()
        var waits: [Int64] = []
        while waits.count < 11 {
            let task = try await session.store.read { try $0.requireTask(id) }
            guard task.attempts > waits.count, let timer = task.waiting?.timer else {
                await Task.yield()
                continue
            }
            waits.append(timer.until - timer.since)
            bench.pass(timer.until - timer.since)
            // Its time has come on the store's clock: a commit makes the agent look.
            let change = SettingChange.priority(waits.count)
            try await session.client.control.perform(.setQueue("another", [change]))
        }
        #expect(try await session.end(of: id).task.executions == 12)
        try await worker.stop()
        // Doubled from a second to five minutes, by a tenth more or less.
        for (failure, wait) in waits.enumerated() {
            let rule = min(Int64(1000) << Int64(failure), 300_000)
            #expect(abs(wait - rule) <= rule / 10, "\(waits)")
        }
    }

    @Test("S4 what a person deletes, or gives up, its session is told of; what ended again, again")
    func otherEnds() async throws {
        let session = try await bench.life().session("s")
        let person = try bench.life("dana").control
        let ids = [
            try await session.enqueue(picture), try await session.enqueue(picture, to: "q"),
        ]
        try await person.perform(
            .delete([TaskTarget(ids[1])], cancelsRunning: false, members: nil))
        #expect(try await session.ends(1)[0].error == "deleted by dana")
        try await bench.agent { _ in .giveUp(error: "no room") }
        let failed = try await session.ends(1)[0]
        #expect(failed.error == "no room" && failed.state == .failed)
        try await person.perform(.retry([TaskTarget(ids[0])], overMilliseconds: nil))
        let early = await #expect(throws: QueueError.self) {
            try await session.acknowledge(failed)
        }
        #expect(early?.code == .changed)
        try await bench.agent()
        #expect(try await session.ends(1)[0].state == .succeeded)
        try await session.acknowledge(ids[0])
        try await session.acknowledge(ids[1])
        let left = try await session.store.read { try $0.awaitedTasks(session: "s") }
        #expect(left == [])
    }

    @Test("S3 a long session is offered whole, in its order")
    func many() async throws {
        let requests = (0..<1203).map { number in
            EnqueueRequest(type: "t", payload: Array("\(number)".utf8))
        }
        do {
            let former = try await bench.life().session("s")
            try await former.enqueue(requests)
        }
        let session = try await bench.life().session("s")
        #expect(session.reconnected.map(\.payload) == requests.map(\.payload))
        try await bench.agent { _ in .success(result: nil) }
        let ended = try await session.ends(1203)
        #expect(Set(ended.map(\.id)).count == 1203)
    }

    @Test("K3 a reader that is cancelled goes home")
    func cancelledReader() async throws {
        let session = try await bench.life().session("s")
        let id = try await session.enqueue(picture)
        let reader = Task {
            var count = 0
            for try await _ in session.events { count += 1 }
            return count
        }
        let waiter = Task { try await session.end(of: id) }
        await Task.yield()
        reader.cancel()
        waiter.cancel()
        #expect(try await reader.value == 0)
        await #expect(throws: CancellationError.self) { _ = try await waiter.value }
    }
}
