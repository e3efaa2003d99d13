import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("who lives")
struct VitalityTests {
    private static let freeNumber: Int64 = 0x3fff_ffff

    /// A process of this machine with the name of another one.
    private func process(
        _ pid: Int64, boot: String? = nil, lock: String = "other.lock"
    ) throws -> ProcessRecord {
        var process = ProcessRecord(
            id: 7, role: .runner, host: "h", bootID: try boot ?? ProcessIdentity.numberSpace(),
            pid: pid, lockName: lock, attachedAt: at(0))
        if pid == Int64(ProcessIdentity.processID) {
            process.startTime = ProcessIdentity.startTime(of: ProcessIdentity.processID)
        }
        return process
    }

    @Test("A2 the lock decides, and where it is not there the process does")
    func locks() throws {
        let bench = try Bench(.sqlite)
        let folder = try #require(bench.store.runFolder)
        let signs = VitalSigns(of: bench.store)
        let own = Int64(ProcessIdentity.processID)
        #expect(signs.vitality(of: try process(own)) == .alive)
        #expect(signs.vitality(of: try process(Self.freeNumber)) == .dead)
        let lock = try #require(try FileLock.tryLock("\(folder)/other.lock"))
        #expect(signs.vitality(of: try process(Self.freeNumber)) == .alive)
        #expect(signs.vitality(of: try process(own, boot: "another")) == .alive)
        lock.release()
        #expect(signs.vitality(of: try process(own)) == .dead)
        try Files.remove("\(folder)/other.lock")
        #expect(signs.vitality(of: try process(own, boot: "another")) == .dead)
        // Another container of this boot: its numbers mean nothing here.
        let beside = try "\(ProcessIdentity.bootID())/1"
        #expect(
            signs.vitality(of: try process(Self.freeNumber, boot: beside)) == .unknown(.elsewhere))
    }

    @Test("A2 a lock that cannot be opened says nothing: the process is asked, else nobody knows")
    func closedLock() throws {
        let bench = try Bench(.sqlite)
        let folder = try #require(bench.store.runFolder)
        // A lock is never opened through a link.
        let made = try ChildProcess.spawn(
            Spawn(
                "ln", ["-s", "/dev/null", "\(folder)/other.lock"],
                environment: ["PATH=/usr/bin:/bin"]))
        _ = try Poll.wait(fds: [PollInterest(made.pidfd.number)], timeoutMilliseconds: 10_000)
        #expect(try made.reap() == .code(0))
        let signs = VitalSigns(of: bench.store)
        #expect(signs.vitality(of: try process(Self.freeNumber)) == .dead)
        #expect(signs.vitality(of: try process(Int64(ProcessIdentity.processID))) == .alive)
        let beside = try "\(ProcessIdentity.bootID())/1"
        let doubted = try process(Self.freeNumber, boot: beside)
        #expect(signs.vitality(of: doubted) == .unknown(.closedLock))
        #expect(signs.goesOn(nil, lockName: "other.lock") == nil)
        try bench.makeQueue()
        let id = try bench.enqueue(1)[0]
        try bench.act { mutation in
            let runner = try mutation.attach(doubted).id
            _ = try mutation.claim(ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
        }
        #expect(try Reaper.reapTheDead(in: bench.store, now: bench.now).settled.isEmpty)
        let now = bench.now
        let line = try bench.read { try Reading($0, now: now, signs: signs).line(id) }
        #expect(line.display == .running)
        #expect(line.blockers.map(\.cause) == ["unknown"])
        #expect(line.blockers.first?.fix == .task(.reclaim, id))
        let control = Control(store: bench.store, person: "ann", now: { now }, chance: { 0.5 })
        let found = try control.examine(repairs: true)
        #expect(found.problems.count == 1 && !found.isRepaired)
        #expect(found.problems.first?.hasSuffix("sluice reclaim \(id)") == true)
    }

    @Test("A2 who cannot write that it leaves lets its lock go, and is dead to all others")
    func failedDetach() throws {
        let bench = try Bench(.sqlite)
        let folder = try #require(bench.store.runFolder)
        let attachment = try Attachment(to: bench.store, role: .program, now: bench.now)
        let process = attachment.process
        bench.faults.fail(from: 1)
        #expect(throws: QueueError.self) { try attachment.detach(now: bench.now) }
        bench.faults.fail(from: nil)
        #expect(Files.exists("\(folder)/\(process.lockName)"))
        #expect(try Reaper.deadProcesses(in: bench.store).map(\.id) == [process.id])
        try Reaper.reapTheDead(in: bench.store, now: bench.now)
        #expect(try bench.read { try $0.processes() }.isEmpty)
        #expect(!Files.exists("\(folder)/\(process.lockName)"))
    }

    @Test("A2 what a dead process held for its own life holds no longer for who looks")
    func holds() throws {
        let bench = try Bench(.sqlite)
        try bench.makeQueue()
        let id = try bench.enqueue(1)[0]
        let dead = try bench.attach()
        let edited = try bench.enqueue(1)[0]
        try bench.act { mutation in
            try mutation.pause("q", for: dead, by: "app", reason: nil)
            try mutation.pause(nil, for: dead, by: "app", reason: nil)
            try mutation.beginRecording(by: "ann", recorder: dead)
            let task = try mutation.store.requireTask(edited)
            try mutation.beginEdit(task, by: "ann", owner: dead, instant: 0)
        }
        let now = bench.now
        func look<Value: Sendable>(
            _ said: [ProcessID: Vitality], _ body: @escaping @Sendable (Reading) throws -> Value
        ) throws -> Value {
            try bench.read {
                try body(Reading($0, now: now, signs: VitalSigns(saying: said)))
            }
        }
        for (said, count) in [([:], 2), ([dead: .unknown(.elsewhere)], 2), ([dead: .dead], 0)]
            as [([ProcessID: Vitality], Int)]
        {
            let queue = try look(said) { try #require(try $0.queues().first) }
            #expect(queue.pauses.count == count)
            let blockers = try look(said) { try $0.line(id).blockers.map(\.kind) }
            #expect(blockers.count(where: { $0 == .queuePaused }) == count)
            let recording = try look(said) { try $0.store.storeRecord().recording }
            #expect((recording == nil) == (count == 0))
            let editing = try look(said) { try $0.line(edited).blockers.map(\.kind) }
            #expect(editing.contains(.parked) == (count > 0))
        }
        // Who looks changes nothing.
        #expect(try bench.read { try $0.storeRecord().recording != nil })
    }
}
