import SluiceHandlers
import SluiceModel
import SluiceRunner
import SluiceSystem

/// A script that runs as the command of a task.
struct Shell {
    let report = CollectingReport()
    let running: any RunningExecution

    init(_ script: String, payload: [UInt8] = [], number: Int = 1, lock: String? = nil) {
        let handler = CommandHandler(
            program: "/bin/sh", arguments: ["-c", script],
            environment: ProcessIdentity.environment())
        running = handler.start(
            .sample(payload: payload, number: number, lock: lock), report: report)
    }

    static func run(_ script: String, payload: [UInt8] = []) async -> Shell {
        let shell = Shell(script, payload: payload)
        _ = await shell.outcome
        return shell
    }

    var outcome: HandlerOutcome { get async { await report.outcome } }

    /// The result as text; nil if there is no success with one.
    var result: String? {
        get async {
            guard case .success(let bytes?) = await outcome else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Returns once the lock is free.
    static func waitUntilFree(_ lock: String) async {
        _ = await run("exec flock '\(lock)' true")
    }

    /// Runs `body` with a lock path in a separate folder.
    static func withLockPath(_ body: (String) async throws -> Void) async throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "sluice-handlers-")
        do {
            try await body("\(folder)/attempt.lock")
            try Files.removeTree(folder)
        } catch {
            try Files.removeTree(folder)
            throw error
        }
    }
}

extension Execution {
    static func sample(
        payload: [UInt8] = [], number: Int = 1, lock: String? = nil
    ) -> Execution {
        let task = QueueTask(
            id: 1042, queue: "mail", type: "send", position: 1,
            createdAt: Timestamp(milliseconds: 0))
        return Execution(
            task: task, payload: payload, number: number, idempotencyKey: "key-1042",
            storeName: "/data/sluice.db", childLockPath: lock)
    }
}

extension HandlerOutcome {
    /// A counted failure by the queue's rule.
    static func failed(_ error: String?) -> HandlerOutcome {
        .retry(afterMilliseconds: nil, error: error)
    }
}

extension Shell {
    /// Makes a symbolic link.
    static func link(_ target: String, at path: String) async throws {
        _ = await run("ln -s '\(target)' '\(path)'")
    }

    /// Sets a file's age in days.
    static func age(_ path: String, days: Int) async {
        _ = await run("touch -d '\(days) days ago' '\(path)'")
    }
}
