import Sluice
import SluiceSystem
import Testing

/// `doctor` finds what does not follow from the tasks, and makes it again.
@Suite("doctor")
struct DoctorTests {
    @Test("T2 P3 wrong index columns are found without a change, and mended with repair")
    func repairs() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-doctor")
        let app = try QueueClient.open("\(folder)/a.db")
        var start = EnqueueRequest(type: "start")
        start.groupStart = "g"
        var member = EnqueueRequest(type: "member")
        member.groupMembers = ["g"]
        try app.control.performBlocking(.enqueue(queue: "q", [start, member, member]))
        #expect(try app.control.examine(repairs: false).problems == [])
        // Simulates a lost write: a member that its start no longer holds.
        try app.store.writeBlocking { store in
            var task = try store.requireTask(2)
            task.isHeld = false
            try store.update([task])
        }
        let seen = try app.control.examine(repairs: false)
        #expect(seen.problems == ["1 task of q: wrongly held, or wrongly free"])
        #expect(seen.tasks == 3)
        #expect(try app.store.readBlocking { try $0.requireTask(2).isHeld } == false)
        #expect(try app.control.examine(repairs: true).isRepaired)
        #expect(try app.store.readBlocking { try $0.requireTask(2).isHeld })
        #expect(try app.control.examine(repairs: false).problems == [])
        let counts = try app.store.readBlocking { try $0.counts(queue: "q") }
        #expect(counts.waitingByFlags == [.ready: 1, .held: 2])
    }

    @Test("B3 P3 a retry that was set while the clock was ahead is told, mended, and taken back")
    func beyondRule() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-doctor")
        let app = try QueueClient.open("\(folder)/a.db")
        try app.control.performBlocking(
            .enqueue(queue: "q", [EnqueueRequest(type: "t"), EnqueueRequest(type: "t")]))
        // The year 2100.
        let ahead = Timestamp(milliseconds: 4_102_444_800_000)
        try app.store.writeBlocking { store in
            for id: TaskID in [1, 2] {
                var task = try store.requireTask(id)
                let cause: WaitTimer.Cause = id == 1 ? .retry : .notBefore
                task.state = .waiting(
                    Waiting(timer: WaitTimer(until: ahead + 1000, cause: cause, since: ahead)))
                try store.update([task])
            }
        }
        let (task, queue) = try app.store.readBlocking {
            (try $0.requireTask(1), try $0.requireQueue("q"))
        }
        let why = task.blockers(in: EligibilityContext(queue: queue, now: ahead + -86_400_000))
        #expect(why.first?.text.contains("beyond what its rule") == true)
        #expect(why.first?.fix == .task(.retry, 1))
        let later = task.blockers(in: EligibilityContext(queue: queue, now: ahead))
        #expect(later.first?.text.contains("beyond what its rule") == false)
        let seen = try app.control.examine(repairs: false)
        #expect(seen.problems.count == 2 && seen.problems[0].hasPrefix("#1 t waits until 2100-"))
        let own = "#2 t begins at 2100-01-01T00:00:01.000Z: it was set for 1s later while the clock"
        #expect(seen.problems[1].hasPrefix(own + " was ahead; sluice postpone 2 +1s"))
        let mended = try app.control.examine(repairs: true)
        // The time of #2 may be meant as it is.
        #expect(!mended.isRepaired && mended.undo.count == 1)
        func timers() throws -> [TaskID] {
            try app.store.readBlocking { try $0.tasks(.timers(queue: nil), limit: 9) }.map(\.id)
        }
        #expect(try timers() == [2])
        #expect(try app.control.examine(repairs: false).problems == [seen.problems[1]])
        try app.control.performBlocking(.undo(event: mended.undo.first))
        #expect(try timers() == [1, 2])
    }

    @Test("A2 whoever holds its lock lives, whatever boot a container shows it")
    func containers() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-doctor")
        let app = try QueueClient.open("\(folder)/a.db")
        try app.control.performBlocking(.enqueue(queue: "q", [EnqueueRequest(type: "t")]))
        let run = try #require(app.store.runFolder)
        let lock = try #require(try FileLock.tryLock("\(run)/other.lock"))
        try app.store.transactBlocking(at: Timestamp(milliseconds: 0)) { mutation in
            var process = ProcessRecord(
                id: 0, role: .runner, host: "h", bootID: "another", pid: 0x3fff_ffff,
                lockName: "other.lock", attachedAt: mutation.now)
            process.slots = 1
            let runner = try mutation.attach(process).id
            _ = try mutation.claim(ClaimRequest(runner: runner, freeSlots: 1, inFlight: 0))
        }
        #expect(try app.control.examine(repairs: false).problems == [])
        lock.release()
        let sentence = "#1 t is held by a process that has ended"
        #expect(try app.control.examine(repairs: false).problems == [sentence])
        app.store.close()
        try Files.removeTree(folder)
    }

    @Test("A2 P3 a process that died with nothing in hand is no damage, one that held tasks is")
    func gone() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-doctor")
        let app = try QueueClient.open("\(folder)/a.db")
        // The processes have no lock files, as if killed.
        let (idle, busy) = try app.store.transactBlocking(at: Timestamp(milliseconds: 0)) {
            mutation in
            func attach(_ role: ProcessRecord.Role) throws -> ProcessID {
                var process = ProcessRecord(
                    id: 0, role: role, host: "h", bootID: try HostIdentity.current().bootID,
                    pid: 0x3fff_ffff, lockName: "gone-\(role)", attachedAt: mutation.now)
                process.slots = 1
                return try mutation.attach(process).id
            }
            return (try attach(.console), try attach(.runner))
        }
        #expect(try app.control.examine(repairs: false).problems == [])
        try app.control.performBlocking(.enqueue(queue: "q", [EnqueueRequest(type: "t")]))
        try app.store.transactBlocking(at: Timestamp(milliseconds: 0)) { mutation in
            _ = try mutation.claim(ClaimRequest(runner: busy, freeSlots: 1, inFlight: 0))
        }
        let sentence = "#1 t is held by a process that has ended"
        #expect(try app.control.examine(repairs: false).problems == [sentence])
        let repaired = try app.control.examine(repairs: true)
        #expect(repaired.problems == [sentence] && repaired.isRepaired)
        let left = try app.store.readBlocking { try $0.processes().map(\.id) }
        #expect(!left.contains(idle) && !left.contains(busy))
        #expect(try app.control.examine(repairs: false).problems == [])
        app.store.close()
        try Files.removeTree(folder)
    }
}
