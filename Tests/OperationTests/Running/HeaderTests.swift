import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// Headers of a task in each store (T7).
@Suite("headers of tasks")
struct HeaderTests {
    private static let headers = [
        "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "baggage": "shop=7,name=K\u{E000}im", "x.own_-1": "",
    ]

    private func task(_ change: (inout EnqueueRequest) -> Void = { _ in }) -> EnqueueRequest {
        request {
            $0.headers = Self.headers
            change(&$0)
        }
    }

    @Test(
        "T7 a task keeps its headers through attempts, retries and its end", arguments: Engine.all)
    func kept(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue { $0.keepFinished = .last(9) }
        let runner = try bench.attach()
        let id = try bench.enqueue([task()])[0]
        #expect(try bench.enqueue([request()]).count == 1)
        for turn in 0..<2 {
            let claimed = try bench.claimOne(runner)
            #expect(claimed.task.id == id && claimed.task.headers == Self.headers)
            let again = HandlerOutcome.retry(afterMilliseconds: 0, error: "no")
            try bench.settle(claimed, turn == 0 ? again : .success(result: nil))
            #expect(try bench.task(id).headers == Self.headers)
        }
        #expect(try bench.states([id]) == [.succeeded])
        #expect(try bench.task(2).headers == [:])
        let stored = try bench.readOnly().readBlocking { try $0.requireTask(id) }
        #expect(stored.headers == Self.headers)
    }

    @Test(
        "T7 capital letters of names become small; bad headers add nothing", arguments: Engine.all)
    func checked(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let id = try bench.enqueue([request { $0.headers = ["TraceParent": "V"] }])[0]
        #expect(try bench.task(id).headers == ["traceparent": "V"])
        let bad = [task(), request { $0.headers = ["a b": "v"] }]
        let error = #expect(throws: QueueError.self) { try bench.enqueue(bad) }
        #expect(error?.message == "\"a b\" is no name of a header")
        #expect(try bench.states([id + 1]) == [nil])
    }

    @Test("T7 D9 undo puts a task back with its headers", arguments: Engine.all)
    func undone(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let id = try bench.enqueue([task()])[0]
        let former = try bench.task(id)
        try bench.perform(.delete([TaskTarget(id)], cancelsRunning: false, members: nil))
        #expect(try bench.states([id]) == [.deleted])
        try bench.perform(.undo(event: nil))
        #expect(try bench.task(id).headers == former.headers && former.headers == Self.headers)
    }

    @Test("T7 a copy of a task has its headers", arguments: Engine.all)
    func duplicate(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let id = try bench.enqueue([task()])[0]
        try bench.perform(.duplicate([TaskTarget(id)]))
        #expect(try bench.task(id + 1).headers == Self.headers)
    }
}
