package import SluiceModel
import SluiceStore

/// The waiting tasks that the app of a Customer.io folder removes at its next start.
package struct ExpiringTasks: Hashable, Sendable {
    package var count = 0
    /// Whether `count` is a lower bound.
    package var isCapped = false

    /// `10 expire at the app's next start`; nil without one.
    package var words: String? {
        guard count > 0 else { return nil }
        let verb = count == 1 && !isCapped ? "expires" : "expire"
        return "\(NumberText.grouped(count))\(isCapped ? "+" : "") \(verb) at the app's next start"
    }

    package static let rowWords = "expires at the app's next start"
}

extension TaskLine {
    /// The attempts of the app, for a task of its folder that has no attempt here.
    package var attemptsInApp: String? {
        guard folderID != nil, task.attempts > 0 else { return nil }
        let times = task.attempts == 1 ? "once" : "\(task.attempts) times"
        return "the app attempted it \(times) without success; its SDK's console log has the reason"
            + "  (sluice log --app FILE)"
    }

    /// Whether the app of its Customer.io folder removes it at its next start; false for a task
    /// that has expired by the settings of its queue.
    package func expiresAtAppStart(real: Timestamp) -> Bool {
        folderID != nil && display != .failed && task.expiresAtAppStart(real: real)
    }
}

extension StoreReader {
    /// Whether a queue is the folder of an app's SDK; its waiting tasks have UUIDs then.
    func isAppFolder(_ queue: String) throws -> Bool {
        guard let naming else { return false }
        let first = TaskQuery(queue: queue, state: .waiting, limit: 1)
        return try tasks(matching: first).first.map { try naming.uuid(of: $0.id) != nil } ?? false
    }
}

extension Reading {
    /// The maximum number of rows to check. An SDK appends rows, so the oldest come first.
    private static let expiringLimit = 1_000

    /// The tasks of a queue that an app removes at its next start.
    func expiring(in queue: QueueRecord, _ counts: QueueCounts) throws -> ExpiringTasks {
        guard try store.isAppFolder(queue.name) else { return ExpiringTasks() }
        let query = TaskQuery(queue: queue.name, state: .waiting, limit: Self.expiringLimit)
        let count = try store.tasks(matching: query).count {
            $0.expiresAtAppStart(real: real)
                && !$0.isExpired(at: now, settings: queue.settings)
        }
        return ExpiringTasks(count: count, isCapped: counts[.waiting] > Self.expiringLimit)
    }

    /// The coming moments after which a start of the app removes a task of a folder.
    func appStartRemovals(limit: Int) throws -> [TimerLine] {
        guard store.naming != nil else { return [] }
        return try store.queues().map(\.name).filter(store.isAppFolder).flatMap { name in
            let query = TaskQuery(queue: name, state: .waiting, limit: Self.expiringLimit)
            return try store.tasks(matching: query).compactMap { task -> TimerLine? in
                guard let end = task.appStartRemoval, end > real,
                    let at = storeTime(ofReal: end)
                else { return nil }
                return TimerLine(
                    id: task.id, queue: name, at: at, since: task.createdAt, kind: .appStart)
            }.prefix(limit)
        }
    }
}
