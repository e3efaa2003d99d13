import SluicePlatform

/// Waiting for what processes do: woken by files and commits, never by a timer.
extension Workplace {
    /// Waits until a condition holds. Checks it after each file change in the folder and each
    /// commit to the store. With `isPolled` it checks every millisecond, for `/proc`. Changes
    /// within `burstMilliseconds` count as one.
    package func wait(
        for what: String, seconds: Int = timeoutSeconds, isPolled: Bool = false,
        burstMilliseconds: Int = 2, until condition: () throws -> Bool
    ) throws {
        let deadline = Deadline(seconds: seconds)
        let files = try DirectoryWatch(path)
        let commits = Files.exists("\(store)-run") ? try DirectoryWatch("\(store)-run") : nil
        while true {
            if try condition() { return }
            guard !deadline.isOver else {
                throw ProgramFailure.timedOut(what, seconds: seconds, known: scene())
            }
            let left = deadline.leftMilliseconds
            let waits = files.interests + (commits?.interests ?? [])
            _ = try Poll.wait(fds: waits, timeoutMilliseconds: isPolled ? min(left, 1) : left)
            if !isPolled { _ = try Poll.wait(fds: [], timeoutMilliseconds: burstMilliseconds) }
            _ = try files.drain()
            _ = try commits?.drain()
        }
    }

    /// The content of the folder, for a failure message.
    private func scene() -> String {
        let errors = ((try? Files.list(path)) ?? []).filter { $0.hasSuffix(".err") }
        let said = errors.map { text($0) }.joined().suffix(2000)
        let log = text(Witness.log).split(separator: "\n").suffix(10).joined(separator: "\n")
        let queues = (try? sluice(["queues", "--json"]).output) ?? ""
        let tasks = (try? sluice(["list", "--json", "--limit", "3"]).output) ?? ""
        return "\(said)\n\(log)\n\(queues)\(tasks)"
    }

    /// Sleeps, to check that nothing happens.
    package static func rest(seconds: Int) {
        _ = try? Poll.wait(fds: [], timeoutMilliseconds: seconds * 1000)
    }

    /// Runs a test's body on a separate thread, so that blocking calls do not delay other tests.
    package static func onOwnThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do {
                _ = try Thread(name: "test") {
                    continuation.resume(with: Result { try body() })
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
