import SluiceModel
import SluiceSQL
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceRunner
@testable import SluiceStore

/// Ends its executions when the test says so, and opens a gate when two have begun.
private final class HeldHandler: TaskHandler, Sendable {
    let hasBegun = EndGate()
    private let reports = Protected<[TaskID: any ExecutionReport]>([:])

    func start(_ execution: Execution, report: any ExecutionReport) -> any RunningExecution {
        let count = reports.withLock { reports in
            reports[execution.task.id] = report
            return reports.count
        }
        if count == 2 { hasBegun.open() }
        return InstantHandler.Done()
    }

    var count: Int { reports.withLock { $0.count } }

    func end(_ task: TaskID) { reports.withLock { $0[task] }?.finish(.done) }
}

@Suite("ends that come while a commit waits for its lock")
struct LateEndTests {
    @Test(
        "A1 a commit at a server settles what ended while it waited",
        .enabled(if: PostgresServer.isInstalled))
    func oneCommit() throws {
        let bench = try Bench(.postgres)
        try bench.makeQueue { $0.concurrency = 2 }
        try bench.enqueue(4)
        let server = try PostgresServer.shared()
        let name = try Files.read("\(bench.folder)/schema", limitBytes: 100)
        let schema = String(decoding: name, as: UTF8.self)
        let handler = HeldHandler()
        var options = RunnerOptions()
        (options.slots, options.endsWhenEmpty) = (2, true)
        let runner = try Runner(
            store: bench.store, types: nil, handlers: { _ in handler }, options: options,
            now: { bench.now })
        try runner.start()
        #expect(handler.hasBegun.isOpen(within: 60_000))
        let key = "pg_catalog.hashtext('\(schema)')"
        let other = try PostgresStore.open(
            address: server.address, schema: schema, machineFolder: bench.folder)
        defer { other.close() }
        let (hasLock, mayCommit) = (EndGate(), EndGate())
        let thread = try Thread(name: "other") {
            try? other.writeBlocking { _ in
                hasLock.open()
                _ = mayCommit.isOpen(within: 60_000)
            }
        }
        #expect(hasLock.isOpen(within: 60_000))
        handler.end(1)
        let waiters = """
            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND objid::bigint = (\(key)::bigint & 4294967295)
            """
        try wait { try server.value(of: waiters) != "0" }
        handler.end(2)
        mayCommit.open()
        thread.join()
        try wait { handler.count == 4 }
        // Both ends, and the claims of both slots, are of one transaction.
        let commits = try server.value(
            of: """
                SELECT count(DISTINCT xmin::text) FROM (
                    SELECT xmin FROM \(schema).attempt
                    UNION ALL SELECT xmin FROM \(schema).task WHERE state = 1) AS rows
                """)
        #expect(commits == "1")
        #expect(try server.value(of: "SELECT count(*) FROM \(schema).task WHERE state = 1") == "2")
        handler.end(3)
        handler.end(4)
        runner.wait()
    }

    /// Waits until something holds.
    private func wait(until isTrue: () throws -> Bool) throws {
        for _ in 0..<3000 {
            if try isTrue() { return }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 10)
        }
        Issue.record("it did not happen within 30 s")
    }

    @Test("A1 an end that needs more than a commit is not settled late")
    func others() throws {
        var options = RunnerOptions()
        options.slots = 4
        var machine = RunnerMachine(options: options, runner: 1)
        let tasks = (1...4).map { claimed($0, $0 == 4 ? .crashAfter : nil) }
        _ = machine.handle([.committed(tasks, [])], instant: 0, now: at(0))
        #expect(machine.oldest(2).map(\.task) == [1, 2])
        let before = machine.executions
        var shortage = ExecutionEnd(outcome: .done)
        shortage.shortage = "no process"
        let offline = ExecutionEnd(outcome: .offline(error: "no network"))
        #expect(machine.settleLate(key(2), shortage, instant: 1) == nil)
        #expect(machine.settleLate(key(2), offline, instant: 1) == nil)
        #expect(machine.settleLate(key(4), ExecutionEnd(outcome: .done), instant: 1) == nil)
        #expect(machine.settleLate(key(9), ExecutionEnd(outcome: .done), instant: 1) == nil)
        #expect(machine.executions == before)
        let done = machine.settleLate(key(1), ExecutionEnd(outcome: .done), instant: 1)
        #expect(done?.key == key(1))
        #expect(machine.executions[key(1)] == nil)
        #expect(machine.claimRequest()?.freeSlots == 1)
        // The look before that commit is no reason to give the task back.
        var look = RunnerPoll()
        look.leases = Set((1...4).map(key))
        #expect(machine.handle([.looked(look)], instant: 2, now: at(2)).isEmpty)
    }

    @Test("A1 a commit expects twice as many ends as came late before")
    func allowance() {
        func late(_ count: Int, isExceeded: Bool = false) -> LateEnds {
            let late = LateEnds([], at: 0)
            late.isExceeded = isExceeded
            late.completions = (0..<count).map {
                Completion(task: TaskID($0), token: 1, ending: .handler(.done))
            }
            return late
        }
        var allowance = LateAllowance()
        allowance.record(late(2, isExceeded: true), slots: 64)
        #expect(allowance.count == 4)
        allowance.record(late(5), slots: 64)
        #expect(allowance.count == 10)
        allowance.record(late(40), slots: 64)
        #expect(allowance.count == 64)
        // It falls by a quarter, so that one commit without late ends is no reason to miss others.
        allowance.record(late(0), slots: 64)
        #expect(allowance.count == 48)
        for _ in 0..<20 { allowance.record(late(0), slots: 64) }
        #expect(allowance.count == 2)
    }

    @Test("P7 ends wait for others half as long as the last commit waited for other workers")
    func gathering() {
        func late(_ begun: Int64, _ locked: Int64?, _ ended: Int64) -> LateEnds {
            let late = LateEnds([], at: begun)
            (late.lockedAt, late.endedAt) = (locked, ended)
            return late
        }
        var gathering = EndGathering()
        #expect(gathering.milliseconds(at: 1000) == nil, "nothing was committed yet")
        gathering.record(late(1000, 1002, 1004))
        #expect(gathering.milliseconds(at: 1010) == nil, "nobody else had the lock")
        gathering.record(late(1000, 1020, 1024))
        #expect(gathering.milliseconds(at: 1030) == 8)
        #expect(gathering.milliseconds(at: 1274) == nil, "that was long ago")
        gathering.record(late(1000, 9000, 9002))
        #expect(gathering.milliseconds(at: 9003) == 25, "a worker does not rest for long")
        gathering.record(late(9000, nil, 9500))
        #expect(gathering.milliseconds(at: 9501) == nil, "the commit never had the lock")
    }

    @Test("P7 nothing but ends waits for ends, and none where all have ended")
    func gatheredInputs() {
        let end = RunnerInput.ended(key(1), ExecutionEnd(outcome: .done))
        let other = RunnerInput.ended(key(2), ExecutionEnd(outcome: .done))
        #expect(EndGathering.mayWait(with: [end], of: 2))
        #expect(!EndGathering.mayWait(with: [end, other], of: 2))
        #expect(!EndGathering.mayWait(with: [], of: 2))
        #expect(!EndGathering.mayWait(with: [end, .stop(isUrgent: false)], of: 3))
        #expect(!EndGathering.mayWait(with: [end, .lease(isHeld: false)], of: 3))
        let told = AttemptProgress()
        #expect(EndGathering.mayWait(with: [end, .progress(key(2), told, isUrgent: false)], of: 3))
        #expect(!EndGathering.mayWait(with: [end, .progress(key(2), told, isUrgent: true)], of: 3))
    }
}

private func key(_ id: TaskID) -> ExecutionKey { ExecutionKey(task: id, token: id * 10) }

private func claimed(_ id: TaskID, _ kind: Fault.Kind?) -> Claimed {
    var task = QueueTask(id: id, queue: "q", type: "t", position: id, createdAt: at(0))
    var lease = Running(owner: 1, token: id * 10, attempt: 1, since: at(0))
    lease.injection = kind.map { Injection(fault: 1, kind: $0) }
    task.state = .running(lease)
    return Claimed(
        task: task, payload: [], timeoutMilliseconds: nil, attemptLimit: nil,
        storeIdentity: "s", isAlone: false, maximumDepth: 100, ownNumber: 1)
}
