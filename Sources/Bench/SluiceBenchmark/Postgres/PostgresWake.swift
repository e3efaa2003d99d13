import SluiceSystem

/// The reaction of a connection to a notification.
protocol Woken {
    /// The work before the measured moment.
    func take() throws
    /// The work after it.
    func end() throws
}

/// Measures the time from before a commit until another connection has received the notification
/// and taken the row.
struct PostgresWake {
    static let channel = "bare"
    let address: String
    let count: Int

    /// Milliseconds for each of `count` notified commits by `enqueue`. The receiver creates its
    /// resources on its own thread.
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

    /// Listens and reports each moment until all have arrived.
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
            guard try !link.drainNotices().isEmpty else { continue }
            try woken?.take()
            tell(SystemClock.monotonicNanoseconds())
            try woken?.end()
            left -= 1
        }
    }
}
