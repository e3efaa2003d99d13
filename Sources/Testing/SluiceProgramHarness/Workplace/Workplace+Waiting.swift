import SluicePlatform

/// Waiting for what processes do: woken by files and commits, never by a timer.
extension Workplace {
    /// Waits until something holds, asked again whenever a file of the folder changes or a process
    /// commits to the store. Where the machine tells nothing (`/proc`), it is asked every ms.
    /// What comes within `burstMilliseconds` is one change.
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

    /// What stands in the folder, for a failure's text.
    private func scene() -> String {
        let errors = ((try? Files.list(path)) ?? []).filter { $0.hasSuffix(".err") }
        let said = errors.map { text($0) }.joined().suffix(2000)
        let log = text(Witness.log).split(separator: "\n").suffix(10).joined(separator: "\n")
        let queues = (try? sluice(["queues", "--json"]).output) ?? ""
        let tasks = (try? sluice(["list", "--json", "--limit", "3"]).output) ?? ""
        return "\(said)\n\(log)\n\(queues)\(tasks)"
    }

    /// Lets time pass in which nothing shall happen.
    package static func rest(seconds: Int) {
        _ = try? Poll.wait(fds: [], timeoutMilliseconds: seconds * 1000)
    }

    /// Runs the body of a test on a thread of its own: what blocks must not hold up others.
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
