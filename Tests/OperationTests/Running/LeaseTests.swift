import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceRunner
@testable import SluiceStore

@Suite("the end of a worker's lease")
struct LeaseTests {
    @Test("A2 a lease that is not renewed stops everything, then ends it, and may come back")
    func lease() {
        var lease = RunnerLease()
        var steps: [Int64: RunnerLease.Step] = [:]
        var instant: Int64 = 0
        // Beats at 0, 10 and from 31 s on; each carries for 20 s.
        func heldUntil() -> Int64 {
            instant >= 31_000 ? 51_000 : instant >= 10_000 ? 30_000 : 20_000
        }
        for _ in 0..<40 where instant < 51_000 {
            if let step = lease.look(heldUntil: heldUntil(), instant: instant) {
                steps[instant] = step
            }
            let sleep = lease.sleepMilliseconds(heldUntil: heldUntil(), instant: instant)
            #expect(sleep > 0)
            instant += sleep
        }
        #expect(steps == [30_000: .stop, 31_000: .goOn])
        #expect(instant == 51_000)
    }

    @Test("A2 everything has ended before others may take its tasks")
    func margin() {
        var lease = RunnerLease()
        #expect(lease.look(heldUntil: 20_000, instant: 19_999) == nil)
        #expect(lease.look(heldUntil: 20_000, instant: 20_000) == .stop)
        #expect(lease.look(heldUntil: 20_000, instant: 24_999) == nil)
        #expect(lease.look(heldUntil: 20_000, instant: 25_000) == .kill)
        #expect(lease.look(heldUntil: 20_000, instant: 25_001) == nil)
        #expect(lease.isLost)
        #expect(lease.look(heldUntil: 60_000, instant: 40_000) == .goOn)
    }

    private struct Told: RunningExecution {
        let id: TaskID
        let log: Protected<[String]>

        func stop() { log.withLock { $0.append("stop \(id)") } }
        func kill() { log.withLock { $0.append("kill \(id)") } }
    }

    @Test("A2 what is in hand is stopped without the worker's thread, also what begins too late")
    func stopping() {
        let (log, inFlight) = (Protected<[String]>([]), RunningExecutions())
        func add(_ id: TaskID) {
            let task = QueueTask(id: id, queue: "q", type: "t", position: id, createdAt: at(0))
            let execution = Execution(
                task: task, payload: [], number: 1, idempotencyKey: "k", storeName: "s")
            let report = Report(
                execution, handler: ToldHandler { _, _ in nil }, attemptLimit: nil,
                tell: { _, _ in }, end: { _ in })
            inFlight.add(ExecutionKey(task: id, token: id), Told(id: id, log: log), report)
        }
        add(1)
        inFlight.perform(.stop)
        add(2)
        inFlight.remove(ExecutionKey(task: 1, token: 1))
        inFlight.perform(.kill)
        inFlight.perform(.goOn)
        add(3)
        #expect(log.withLock { $0 } == ["stop 1", "stop 2", "kill 2"])
    }
}
