import SluiceSystem
import Testing

@testable import Sluice

/// Sessions in use: program runs, the agent in between, and the events.
@Suite("sessions", .timeLimit(.minutes(10)))
struct SessionTests {
    let bench: SessionBench

    init() throws { bench = try SessionBench() }

    @Test(
        "S1 S2 PN-01 PN-03 DBX-07 DBX-20 what is handed over is worked off, and comes back whole")
    func handOver() async throws {
        let session = try await bench.life().session("uploads")
        let upload = Upload(path: "/a b.jpg", parts: [1, 2], note: "")
        let string = ClientString(bytes: [0, 255, 10])
        let id = try await session.enqueue(upload, clientString: string)
        let other = try await bench.life().session("others")
        #expect(try await other.enqueue(upload) != id)
        try await bench.agent()
        let item = try await session.ends(1)[0]
        #expect(item.id == id && item.state == .succeeded && item.error == nil)
        #expect(item.payload(as: Upload.self) == upload)
        #expect(item.payload(as: Download.self) == nil)
        #expect(item.clientString == string)
        #expect(try item.result(as: Receipt.self) == Receipt(path: "/a b.jpg", bytes: 2))
        try await session.acknowledge(item)
        let left = try await session.store.read { try $0.task(id) }
        #expect(left?.isAcknowledged == true, "the last 100 stay (Q11)")
    }

    @Test(
        "S3 PN-06 PN-07 PN-13 DBX-15 DBX-30 each task without a living owner is offered once")
    func reconnect() async throws {
        let app = try bench.life()
        var ids: [TaskID] = []
        do {
            // An earlier run, which ends without a message and releases its lock.
            let former = try await bench.life("helper").session("s")
            for number in 0..<4 {
                ids.append(try await former.enqueue(Upload(path: "\(number)", parts: [])))
            }
            let ended = ids[0]
            try await bench.agent { _ in .success(result: [9]) }
            ids.append(try await former.enqueue(Upload(path: "waits", parts: []), to: "q"))
            try await former.acknowledge(ended)
        }
        let session = try await app.session("s", of: Upload.self)
        let mine = try await session.enqueue(Upload(path: "mine", parts: []), to: "q")
        #expect(session.reconnected.map(\.id) == Array(ids.dropFirst()))
        #expect(
            session.reconnected.map(\.state)
                == [.succeeded, .succeeded, .succeeded, .waiting])
        #expect(session.reconnected.last?.payload(as: Upload.self)?.path == "waits")
        #expect(try await session.reconnect().isEmpty)
        // A second process finds nothing while the first one lives.
        let second = try await bench.life().session("s")
        #expect(second.reconnected.isEmpty)
        try await session.close()
        #expect(try await second.reconnect().map(\.id) == ids.dropFirst() + [mine])
    }

    @Test("PN-06 DBX-33 nothing to reconnect to is an answer too", arguments: ["", "s"])
    func nothing(_ name: String) async throws {
        let app = try bench.life()
        if name.isEmpty {
            await #expect(throws: QueueError.self) { _ = try await app.session(name) }
        } else {
            #expect(try await app.session(name).reconnected.isEmpty)
        }
    }

    @Test(
        "S4 PN-10 DBX-22 who asks after the end is answered at once, and events do not repeat it")
    func lateHandler() async throws {
        let session = try await bench.life().session("s", of: Upload.self)
        let ids = [
            try await session.enqueue(Upload(path: "1", parts: [])),
            try await session.enqueue(Upload(path: "2", parts: [1])),
        ]
        try await bench.agent()
        let item = try await session.end(of: ids[0])
        #expect(try item.result(as: Receipt.self)?.path == "1")
        #expect(try await session.ends(1).map(\.id) == [ids[1]])
        // A second query returns it again, because it was not acknowledged.
        #expect(try await session.end(of: ids[0]).id == ids[0])
        try await session.acknowledge(ids[0])
        await #expect(throws: QueueError.self) { _ = try await session.end(of: ids[0]) }
    }

    @Test("PN-11 DBX-32 a result that nobody acknowledged is told to every later life")
    func crashBeforeAcknowledge() async throws {
        let id: TaskID
        do {
            let session = try await bench.life().session("s")
            id = try await session.enqueue(Upload(path: "1", parts: []))
        }
        try await bench.agent()
        for _ in 0..<3 {
            let session = try await bench.life().session("s")
            #expect(try await session.ends(1).map(\.id) == [id])
            // And here the program dies.
        }
        let session = try await bench.life().session("s")
        try await session.acknowledge(id)
        #expect(try await bench.life().session("s").reconnected.isEmpty)
    }

    @Test(
        "DBX-13 DBX-14 DBX-21 progress comes as it is told, and one task has one end")
    func progress() async throws {
        let session = try await bench.life().session("s")
        let id = try await session.enqueue(Upload(path: "1", parts: []))
        let agent = try bench.life("agent")
        let seen = Calls()
        try agent.handle(Upload.self) { _, task in
            task.progress(0.5, "half")
            while seen.count == 0 { await Task.yield() }
        }
        let work = Task { try await agent.drain() }
        var told: [SessionProgress] = []
        var ends = 0
        for try await event in session.events {
            switch event {
            case .progress(let step):
                told.append(step)
                seen.add()
            case .ended(let item):
                #expect(item.id == id)
                ends += 1
            case .paused: Issue.record("nothing is paused")
            }
            if ends == 1 { break }
        }
        try await work.value
        #expect(told == [SessionProgress(id: id, execution: 1, fraction: 0.5, text: "half")])
        try await session.whenDelivered {}
        #expect(session.ledger.take() == nil)
    }

    @Test(
        "PN-14 DBX-33 the waker is told once when all is delivered, at once for an unknown session"
    )
    func waker() async throws {
        let calls = Calls()
        let unknown = try await bench.life().session("nobody")
        try await unknown.whenDelivered { calls.add() }
        #expect(calls.count == 1)
        let session = try await bench.life().session("s")
        for _ in 0..<2 { try await session.enqueue(Upload(path: "", parts: [])) }
        try await bench.agent()
        let woken = Calls()
        try await session.whenDelivered { woken.add() }
        let first = try await session.ends(1)[0]
        #expect(woken.count == 0)
        let second = try await session.ends(1)[0]
        try await session.acknowledge(first)
        #expect(woken.count == 0)
        try await session.acknowledge(second)
        #expect(woken.count == 1)
        // Closing with something undelivered lets the waker go too.
        try await session.enqueue(Upload(path: "", parts: []))
        try await bench.agent()
        try await session.whenDelivered { woken.add() }
        #expect(woken.count == 1)
        try await session.close()
        #expect(woken.count == 2)
        try await unknown.close()
        #expect(calls.count == 1)
    }

    @Test(
        "PN-15 DBX-18 credentials that are refused are a result; the pause that follows is told")
    func credentials() async throws {
        let session = try await bench.life().session("s")
        let refused = try await session.enqueue(Upload(path: "1", parts: []))
        let behind = try await session.enqueue(Upload(path: "2", parts: []))
        let told = try await bench.withAgent { _ in
            .pauseQueue(milliseconds: 300_000, isCounted: false, error: "401 token expired")
        } _: {
            var told: [String] = []
            for try await event in session.events {
                switch event {
                case .paused(let queue, let pause):
                    told.append("\(queue) paused: \(pause.reason ?? "")")
                case .ended(let item): told.append("\(item.id) \(item.error ?? "")")
                case .progress: break
                }
                if told.count == 2 { break }
            }
            return told
        }
        #expect(told == ["s paused: 401 token expired", "\(refused) 401 token expired"])
        // With new credentials the queue continues, and the rejected task reruns.
        let waiting = try await session.store.read { try $0.requireTask(behind).waiting }
        #expect(waiting != nil)
        _ = try await bench.life().control.perform(.resume(.queue("s")))
        let again = try await session.reissue(refused)
        try await bench.agent()
        #expect(try await Set(session.ends(2).map(\.id)) == [behind, again])
    }

    @Test("S7 PN-16 closing keeps the work, or takes it back, as it is told")
    func closing() async throws {
        let session = try await bench.life().session("s")
        let ids = try await session.enqueue(
            (0..<3).map { _ in
                EnqueueRequest(
                    type: Upload.taskType, payload: Array(#"{"path":"","parts":[]}"#.utf8))
            })
        try await session.close(.keep)
        try await session.close(.cancel)
        let next = try await bench.life().session("s")
        #expect(next.reconnected.map(\.id) == ids)
        try await bench.life().control.perform(
            .postpone([TaskTarget(ids[0])], until: bench.at(9_000)))
        let other = try await bench.life().session("s")
        let foreign = try await other.enqueue(Upload(path: "", parts: []), to: "q")
        try await next.close(.cancel)
        let states = try await other.store.read { store in
            try (ids + [foreign]).map { try store.task($0)?.state.name }
        }
        #expect(states == [.deleted, .deleted, .deleted, .waiting])
        #expect(try await other.reconnect().isEmpty)
    }

    @Test("DBX-27 a closed session refuses work and its events end")
    func closed() async throws {
        let session = try await bench.life().session("s")
        try await session.close()
        for try await _ in session.events { Issue.record("nothing can come") }
        let error = await #expect(throws: QueueError.self) {
            try await session.enqueue(Upload(path: "", parts: []))
        }
        #expect(error?.code == .notLegal)
    }
}
