import Sluice
import SluicePlatform
import Testing

extension QueueClient {
    /// The library's `drain`, which ends with a failure where what waits does not start: on a clock
    /// of a test that stands it would wait for ever.
    func drain() async throws {
        let (end, hasEnded, isLate) = (try EventSignal(), Protected(false), Protected(false))
        let work = Task {
            defer {
                hasEnded.withLock { $0 = true }
                end.signal()
            }
            try await drain(queues: nil)
        }
        let watch = try Thread(name: "drain") {
            _ = try? Poll.wait(
                fds: [PollInterest(end.descriptor.number)], timeoutMilliseconds: 120_000)
            guard !hasEnded.withLock({ $0 }) else { return }
            isLate.withLock { $0 = true }
            work.cancel()
        }
        let result = await work.result
        watch.join()
        try result.get()
        guard isLate.withLock({ $0 }) else { return }
        let now = control.now()
        let left = try await store.read { store in
            try store.queues().flatMap { queue in
                try store.tasks(matching: TaskQuery(queue: queue.name, state: .waiting, limit: 9))
            }.map { task in
                let blockers = try Reading(store, now: now).line(task.id).blockers
                return "#\(task.id): \(blockers.map(\.text))"
            }
        }
        Issue.record("what waits did not start in two minutes: \(left)")
    }
}
