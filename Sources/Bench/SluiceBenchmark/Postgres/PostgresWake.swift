import SluicePlatform
import SluicePostgresClient

/// What a connection does when another one is told of a commit.
protocol Woken {
    /// What is done before the moment that counts.
    func take() throws
    /// What is done after it.
    func end() throws
}

/// From before a commit of one connection to the moment at which another one is told of it, and has
/// taken what came.
struct PostgresWake {
    /// The channel that both know.
    static let channel = "bare"
    let address: String
    let count: Int

    /// Milliseconds for each of `count` times that `enqueue` commits and tells; who is told makes
    /// what it works with in a thread of its own.
    func times(
        _ enqueue: () throws -> Void,
        _ makeWoken: @escaping @Sendable () throws -> (any Woken)? = { nil }
    ) throws -> [Double] {
        // The first moment is that it listens.
        let told = Protected<[UInt64]>([])
        let thread = try Thread(name: "listener") {
            try? listen(makeWoken) { moment in told.withLock { $0.append(moment) } }
        }
        func wait(for number: Int) throws {
            let end = SystemClock.monotonicMilliseconds() + 10_000
            while told.withLock({ $0.count }) <= number {
                guard SystemClock.monotonicMilliseconds() < end else {
                    throw Workbench.Untrue(description: "NOTIFY was not heard")
                }
                _ = try Poll.wait(fds: [], timeoutMilliseconds: 1)
            }
        }
        try wait(for: 0)
        var times: [Double] = []
        for number in 1...count {
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 5)
            let before = SystemClock.monotonicNanoseconds()
            try enqueue()
            try wait(for: number)
            times.append(told.withLock { Double($0[number] - before) / 1e6 })
        }
        thread.join()
        return times
    }

    /// Listens, and tells each moment, until nothing more comes.
    private func listen(
        _ makeWoken: () throws -> (any Woken)?, _ tell: (UInt64) -> Void
    ) throws {
        let link = try PostgresConnection(PostgresSettings(address))
        let woken = try makeWoken()
        try link.send("LISTEN \(Self.channel)")
        try link.settle()
        tell(0)
        var left = count
        while left > 0 {
            _ = try Poll.wait(fds: [PollInterest(link.socket)], timeoutMilliseconds: 10_000)
            guard try !link.takeNotices().isEmpty else { continue }
            try woken?.take()
            tell(SystemClock.monotonicNanoseconds())
            try woken?.end()
            left -= 1
        }
    }
}
