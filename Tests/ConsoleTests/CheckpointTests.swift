import SluiceModel
import SluiceStore
import SluiceTerminalUI
import Testing

@testable import SluiceConsole
@testable import SluiceControl

@Suite("checkpoints on the screen")
struct CheckpointTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    private func bench() throws -> Bench {
        let store = MemoryStore(name: "memory", identity: "s")
        try store.writeBlocking { store in
            try store.put(QueueRecord(name: "mail", createdAt: Self.start))
            try store.transact(at: Self.start) { mutation in
                let request = EnqueueRequest(type: "send", payload: [])
                _ = try mutation.enqueue([request, request], to: "mail")
            }
        }
        return Bench(store: store, size: Size(width: 118, height: 30), now: Self.start)
    }

    @Test("G5 K opens a line that takes a checkpoint, with a name proposed")
    func takes() throws {
        let bench = try bench()
        bench.press("K")
        guard case .prompt(let prompt)? = bench.state.modal else {
            Issue.record("no line is open")
            return
        }
        let form = AnyDebuggerForm(value: CheckpointPrompt())
        #expect(prompt.question == .form(form) && prompt.editor.text == "at-080000")
        #expect(bench.screen.contains("checkpoint  at-080000"))
        bench.send(.input(.key(.control("u"))))
        bench.type("'before the fix'")
        bench.press("Enter")
        #expect(bench.takeEffects().contains(.command("checkpoint 'before the fix'", token: 1)))
    }

    @Test("G5 B takes the newest step back, and says with which command")
    func stepsBack() throws {
        let bench = try bench()
        bench.press("B")
        #expect(bench.screen.contains("no step of mail can be undone"))
        let now = bench.now
        try bench.store.writeBlocking { store in
            try store.transact(at: now) { mutation in
                var process = ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                    attachedAt: now)
                process.slots = 1
                let runner = try mutation.attach(process)
                let task = try #require(try mutation.store.task(1))
                let claimed = try mutation.start(task, runner: runner, isStep: true)
                var completion = Completion(
                    task: 1, token: claimed.task.running?.token ?? 0,
                    ending: .handler(.giveUp(error: "no")))
                completion.chance = 0.5
                _ = try mutation.settle([completion])
            }
        }
        bench.send(.storeChanged)
        bench.press("B")
        #expect(bench.screen.contains("step --back mail"))
        #expect(
            bench.message.contains(
                "what attempt 1 of #1 did outside stays done: a next one does it again · done · "
                    + "z undoes it"))
        #expect(try bench.store.readBlocking { try $0.task(1)?.waiting } != nil)
    }
}
