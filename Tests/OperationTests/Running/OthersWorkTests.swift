import SluiceModel
import SluiceRunner
import SluiceStore
import SluiceSystem
import Testing

@Suite("the end of a worker that ends when nothing is left")
struct OthersWorkTests {
    /// A process of this machine with a lock that a test holds.
    private func attach(_ bench: Bench, lock name: String) throws -> ProcessID {
        let space = try ProcessIdentity.numberSpace()
        return try bench.act { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: space, pid: 0x3fff_ffff, lockName: name,
                attachedAt: mutation.now)
            process.slots = 1
            return try mutation.attach(process).id
        }
    }

    @Test("A2 Q2 it waits for a place that another worker has, and takes it")
    func place() async throws {
        let bench = try Bench(.sqlite)
        try bench.makeQueue { $0.keepFinished = .last(9) }
        let ids = try bench.enqueue(2)
        let folder = try #require(bench.store.runFolder)
        let lock = try #require(try FileLock.tryLock("\(folder)/other.lock"))
        let other = try attach(bench, lock: "other.lock")
        let claimed = try bench.claimOne(other)
        var options = RunnerOptions()
        options.endsWhenEmpty = true
        let events = Protected<[RunnerEvent]>([])
        let runner = try Runner(
            store: bench.store, types: nil,
            handlers: { _ in ToldHandler { _, _ in .done } }, options: options,
            now: { bench.now },
            onEvent: { event in events.withLock { $0.append(event) } })
        try runner.start()
        // It is awake twice, has looked, and is still there.
        for _ in 0..<2 {
            await withCheckedContinuation { awake in runner.whenAwake { awake.resume() } }
        }
        #expect(!events.withLock { $0.contains(.ended) })
        try bench.settle(claimed)
        runner.wait()
        #expect(try bench.states(ids) == [.succeeded, .succeeded])
        lock.release()
    }

    @Test("A2 it takes what a dead process has in hand before it ends")
    func dead() throws {
        let bench = try Bench(.sqlite)
        try bench.makeQueue {
            $0.keepFinished = .last(9)
            $0.retry = .fixed(milliseconds: 0)
        }
        let ids = try bench.enqueue(2)
        let other = try attach(bench, lock: "never-was.lock")
        _ = try bench.claimOne(other)
        try bench.runToTheEnd { _ in ToldHandler { _, _ in .done } }
        #expect(try bench.read { try $0.processes() }.isEmpty)
        #expect(try bench.states(ids).last == .succeeded)
        #expect(try bench.read { try $0.attempts(of: ids[0]).map(\.outcome) }.first == .lost)
    }
}
