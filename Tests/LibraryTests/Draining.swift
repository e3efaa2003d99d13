import Sluice
import SluiceSystem
import Testing

extension QueueClient {
    /// The library's `drain`, which fails if waiting tasks never start. On a stopped clock it would
    /// otherwise wait forever. It continues while tasks start or end, even on a slow machine.
    func drain() async throws {
        let (end, hasEnded, isLate) = (try EventSignal(), Protected(false), Protected(false))
        let events = Protected(0)
        let work = Task {
            defer {
                hasEnded.withLock { $0 = true }
                end.signal()
            }
            try await drain(queues: nil) { _ in events.withLock { $0 += 1 } }
        }
        let watch = try Thread(name: "drain") {
            var seen = -1
            while !hasEnded.withLock({ $0 }) {
                let now = events.withLock { $0 }
                guard now != seen else {
                    isLate.withLock { $0 = true }
                    return work.cancel()
                }
                seen = now
                _ = try? Poll.wait(
                    fds: [PollInterest(end.descriptor.number)], timeoutMilliseconds: 120_000)
            }
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
        throw Standstill(left: left)
    }
}

/// Nothing began or ended for two minutes.
struct Standstill: Error {
    /// The waiting tasks with their reasons.
    var left: [String]
}
