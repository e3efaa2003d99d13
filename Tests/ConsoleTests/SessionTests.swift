import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole

/// Sessions and required steps on the screen.
@Suite("Sessions on the screen")
struct SessionTests {
    /// A queue with an end, a failure and a wait of one session, and steps of a start-up.
    private func bench(_ size: Size = Size(width: 120, height: 32)) throws -> Bench {
        let store = MemoryStore(name: "app.db")
        try store.writeBlocking { store in
            let now = LivingScene.now
            for name in ["startup", "uploads"] {
                try store.put(QueueRecord(name: name, createdAt: now))
            }
            _ = try store.reserveTaskIDs(20)
            var steps = [
                LivingScene.task(1, "startup", "login", 9),
                LivingScene.task(2, "startup", "banner", 9),
            ]
            steps[0].isRequired = true
            var failed = LivingScene.task(11, "uploads", "upload", 9)
            failed.session = "my uploads"
            failed.clientString = "album\u{1B}[31m 7"
            failed.lastError = "no room"
            failed.state = .failed(Failure(at: now, reason: "no room", startPolicy: nil))
            var waiting = LivingScene.task(12, "uploads", "upload", 9)
            waiting.session = "my uploads"
            waiting.clientString = ClientString(bytes: [0xFF])
            let plain = LivingScene.task(13, "uploads", "upload", 9)
            let tasks = steps + [failed, waiting, plain]
            try store.insert(tasks.map { NewTask(task: $0, payload: []) })
        }
        return Bench(store: store, size: size, now: LivingScene.now)
    }

    @Test("Q6 KKT-18 the inventory says which steps are required, where any is")
    func required() throws {
        let bench = try bench()
        let login = bench.lines.first { $0.contains("login") } ?? ""
        let banner = bench.lines.first { $0.contains("banner") } ?? ""
        #expect(login.contains(" required ") && banner.contains(" optional "))
        #expect(bench.lines.contains { $0.contains(" need ") })
        bench.press("h j l")
        #expect(bench.lines.contains { $0.contains("upload ") })
        #expect(!bench.lines.contains { $0.contains(" need ") || $0.contains("optional") })
    }

    @Test("Q6 what comes next says that its end pauses the queue, where it is required")
    func consequence() throws {
        let bench = try bench()
        try bench.change { store in
            var login = try store.requireTask(1)
            (login.attemptLimit, login.version) = (1, login.version + 1)
            try store.update([login])
        }
        #expect(bench.screen.contains("if it fails: it is given up and the queue pauses"))
    }

    @Test("Q6 in 80 columns, too", arguments: [Size(width: 80, height: 24)])
    func requiredInFewColumns(size: Size) throws {
        let bench = try bench(size)
        #expect(bench.lines.contains { $0.contains("login") && $0.contains("required") })
    }

    @Test("Q4 how far it is to the next run stands beside the queue's name")
    func nextRun() throws {
        let store = MemoryStore(name: "app.db")
        let now = LivingScene.now
        try store.writeBlocking { store in
            var site = QueueRecord(name: "site", createdAt: now)
            site.settings.start = .batched(count: 10, delayMilliseconds: 30_000)
            try store.put(site)
        }
        let control = Control(store: store, person: "dana", now: { now }, chance: { 0.5 })
        let requests = Array(repeating: EnqueueRequest(type: "track", payload: []), count: 7)
        try control.performBlocking(.enqueue(queue: "site", requests))
        let bench = Bench(store: store, size: Size(width: 80, height: 24), now: now)
        bench.wait(milliseconds: 18_000)
        #expect(bench.screen.contains("7/10 to the next run, or in 12s"))
    }

    @Test("S1 K11 a task's page tells its session and client string, and no escape of either")
    func detail() throws {
        let bench = try bench()
        bench.press("h j l G Enter")
        let line = bench.lines.first { $0.contains("session my uploads") } ?? ""
        #expect(line.contains("not acknowledged") && line.contains("client string \"album"))
        #expect(!bench.screen.contains("\u{1B}"))
        bench.press("q g Enter")
        #expect(bench.screen.contains("client string of 1 bytes that are no text"))
        bench.press("q j Enter")
        #expect(!bench.screen.contains("session"))
    }

    @Test("S3 the menu lists what a task's session waits for, and says where there is none")
    func results() throws {
        let bench = try bench()
        bench.press("h j l G")
        _ = bench.takeEffects()
        bench.choose(.results)
        let commands = bench.takeEffects().compactMap { effect in
            if case .command(let line, _) = effect { line } else { nil }
        }
        #expect(commands == ["results 'my uploads'"])
        bench.press("g j")
        bench.choose(.results)
        #expect(bench.message.contains("#13 belongs to no session"))
    }

    @Test("S4 a failed task is acknowledged from the menu, once")
    func acknowledge() throws {
        let bench = try bench()
        bench.press("h j l g")
        #expect(
            DisabledReasons(state: bench.state).reason(.acknowledge)
                == "#12 has no result to collect yet")
        bench.press("G")
        bench.choose(.acknowledge)
        let task = try bench.store.readBlocking { try $0.requireTask(11) }
        #expect(task.isAcknowledged && task.state.name == .failed)
        #expect(
            DisabledReasons(state: bench.state).reason(.acknowledge)
                == "#11 was acknowledged already")
    }
}
