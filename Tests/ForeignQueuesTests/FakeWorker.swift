import SluiceSystem

/// A worker that takes tasks with a blocking command, as real systems do, and records them.
final class FakeWorker: Sendable {
    private let list: String
    private let taken = Protected<[String]>([])
    private let isEnding = Protected(false)
    private let thread: Thread

    init(_ address: RedisAddress, list: String, takes: String = "BLPOP") throws {
        self.list = list
        let (taken, isEnding) = (taken, isEnding)
        thread = try Thread(name: "worker") {
            guard let redis = try? RedisConnection(address, name: "worker") else { return }
            while !isEnding.withLock({ $0 }) {
                guard let answer = try? redis.call(takes, list, 1) else { return }
                if let text = answer.array.last?.text { taken.withLock { $0.append(text) } }
            }
        }
    }

    /// The tasks taken so far.
    var all: [String] { taken.withLock { $0 } }

    /// Ends it with its next answer.
    func end() {
        isEnding.withLock { $0 = true }
        thread.join()
    }
}

/// Waits until something holds.
func until(_ what: String, _ condition: () throws -> Bool) throws {
    let deadline = SystemClock.monotonicMilliseconds() + 90_000
    while !(try condition()) {
        guard SystemClock.monotonicMilliseconds() < deadline else {
            throw WaitError(what: what)
        }
        _ = try Poll.wait(fds: [], timeoutMilliseconds: 1)
    }
}

struct WaitError: Error {
    var what: String
}
