import Sluice
import SluiceSystem
import Testing

/// An app with screens: handlers on its main thread, and pauses limited to its process.
@Suite("apps with screens")
struct ScreenAppTests {
    private let bench: SessionBench
    private let ran = Protected<[String]>([])

    init() throws { bench = try SessionBench() }

    private func worker() throws -> QueueClient {
        let worker = try bench.life("worker")
        try worker.handle(
            type: "*",
            AsyncHandler { [ran] execution, _ in
                ran.withLock { $0.append(execution.task.queue) }
                return .success(result: nil)
            })
        return worker
    }

    private func enqueue(_ app: QueueClient, _ queues: String...) async throws {
        for queue in queues {
            try await app.control.perform(.enqueue(queue: queue, [EnqueueRequest(type: "t")]))
        }
    }

    private func pauses(_ app: QueueClient, _ queue: String) async throws -> [Pause] {
        try await app.store.read {
            try $0.storeRecord().pauses + $0.requireQueue(queue).pauses
        }
    }

    @MainActor private final class Screen {
        var shown: [String] = []
    }

    @Test("KKT-23 a handler that is registered for the main thread runs on the main actor")
    func mainThread() async throws {
        let app = try bench.life()
        let screen = Screen()
        try app.handle(Upload.self, on: .main) { upload, _ in
            MainActor.assertIsolated()
            screen.shown.append(upload.path)
            if screen.shown.count == 1 {
                throw HandlerError(.retry(afterMilliseconds: 0, error: ""))
            }
        }
        try await app.enqueue(Upload(path: "a", parts: []), to: "screens")
        try await app.drain(network: nil)
        #expect(await screen.shown == ["a", "a"])
    }

    @Test("KKT-24 D1 an app's pause holds for every worker until its own resume, beside others")
    func pause() async throws {
        let (app, worker) = (try bench.life(), try worker())
        try await enqueue(app, "a", "b")
        try await app.pause("a", reason: "in the background")
        try await app.pause("a", reason: "again")
        try await worker.drain(network: nil)
        #expect(ran.withLock { $0 } == ["b"])
        let pause = try #require(try await pauses(app, "a").first)
        #expect(pause.cause == .app && pause.by == "app" && pause.reason == "in the background")
        var request = PauseRequest(.queue("a"))
        request.reason = "looking"
        try await worker.control.perform(.pause(request))
        try await app.resume("a")
        #expect(try await pauses(app, "a").map(\.cause) == [.person])
        try await app.pause("a")
        #expect(
            try await worker.control.perform(.resume(.queue("a"))).endedPauses.map(\.cause)
                == [.person, .app])
        try await worker.drain(network: nil)
        #expect(ran.withLock { $0 } == ["b", "a"])
    }

    @Test("KKT-24 A2 it ends with the app, which left or died", arguments: [true, false])
    func end(leaves: Bool) async throws {
        var app: QueueClient? = try bench.life()
        let (other, worker) = (try bench.life("other"), try worker())
        try await enqueue(worker, "a")
        try await app?.pause(reason: "no screen")
        try await app?.pause("a")
        try await other.pause("a")
        try await other.pause()
        #expect(try await pauses(worker, "a").map(\.isOfStore) == [true, true, false, false])
        if leaves { try await app?.leave() }
        // Its lock goes with the last that held it, as with a process that is killed.
        app = nil
        try Reaper.reapTheDead(in: worker.store, now: bench.now)
        #expect(try await pauses(worker, "a").map(\.by) == ["other", "other"])
        try await other.resume()
        try await other.resume("a")
        try await worker.drain(network: nil)
        #expect(ran.withLock { $0 } == ["a"])
    }

    @Test("KKT-24 D9 undo brings no pause back of an app that has gone", arguments: [true, false])
    func undo(isAway: Bool) async throws {
        let (app, worker) = (try bench.life(), try worker())
        try await enqueue(worker, "a")
        try await app.pause("a")
        try await worker.control.perform(.resume(.queue("a")))
        if isAway { try await app.leave() }
        try await worker.control.perform(.undo(event: nil))
        #expect(try await pauses(worker, "a").map(\.cause) == (isAway ? [] : [.app]))
    }
}
