import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluicePlatform

/// `failures`, `expect` and `record`: the commands of our own stores, at a copy in memory that a
/// look each second keeps up. Nothing is changed where the queues are.
extension ForeignInspector {
    private static let timed: Set<ForeignTask.Display> = [.delayed, .retrying]

    func failures(_ query: CommandQuery, _ store: ForeignStore) throws -> Reply {
        // A waiting task has a failure only if it waits for a retry.
        let hasRetries = store.systems.contains { !$0.rules.displays.isDisjoint(with: Self.timed) }
        let replica = ForeignReplica(
            name: store.name, hasRetries ? [.waiting, .failed] : [.failed])
        try replica.update(from: store, at: host.now())
        guard case .failures(let queue?, let isRetrying, let explained) = query else {
            return try context(at: replica).answer(query)
        }
        let meant = replica.names(of: queue)
        return try context(at: replica).answer(
            .failures(
                queue: meant.count == 1 ? meant[0] : queue, isRetrying: isRetrying,
                explained: explained))
    }

    func expect(_ call: ExpectCall) throws -> Reply {
        guard !call.request.expectation.checks.contains(where: \.asksHistory) else {
            throw QueueError.notLegal(
                "ran: not at a store of \(try kind()), which forgets ended tasks",
                fix: "count the tasks that are left, such as count(state:failed) = 0")
        }
        let replica = try replica()
        let following = call.request.withinMilliseconds == nil ? nil : try following(replica)
        var call = call
        call.request.expectation = call.request.expectation.namingQueues(replica.names)
        let references = replica.references
        var reply = try context(at: replica).expect(call) { line in
            try references[line.task.id].map(blockers) ?? []
        }
        if let error = following?.failure {
            throw QueueError(.serverGone, error, fix: "its present state is not known")
        }
        let names = TaskNames(foreign: replica.references)
        reply.lines = reply.lines.map(names.own)
        return reply
    }

    /// Why a task does not run, as its system says it. A task that has just gone has no reason.
    private func blockers(of task: String) throws -> [Blocker] {
        try ask { store in
            do {
                let (system, detail) = try store.find(task)
                return try system.blockers(of: detail, now: host.now())
            } catch let error as QueueError where error.code == .unknownTask {
                return []
            }
        }
    }

    func record(_ call: RecordCall) throws -> Reply {
        let replica = try replica()
        let following = try following(replica)
        var reply = try context(at: replica).record(call)
        guard let error = following.failure else { return reply }
        reply.exit = .partlyDone
        reply.isConfirmation = false
        reply.lines.append(SafeText.visible("at the end nothing could be seen: \(error)"))
        return reply
    }

    private func replica() throws -> ForeignReplica {
        try ask { store in
            let replica = ForeignReplica(name: store.name)
            try replica.update(from: store, at: host.now())
            return replica
        }
    }

    private func following(_ replica: ForeignReplica) throws -> ForeignFollowing {
        let place = place
        return try ForeignFollowing(replica, ForeignSession { try place.open() }, host.now)
    }

    private func context(at replica: ForeignReplica) -> CommandContext {
        CommandContext(host: host, common: common, isReader: true, store: replica.store)
    }
}

/// Keeps a copy of other systems' queues up with them, by a look each second, until it ends.
final class ForeignFollowing: Sendable {
    private let error: Protected<String?>
    private let looks: SecondsObservation

    /// Starts polling. A server error appears in the log of the copy, and the next poll retries.
    init(
        _ replica: ForeignReplica, _ session: ForeignSession,
        _ now: @escaping @Sendable () -> Timestamp
    ) throws {
        let error = Protected<String?>(nil)
        self.error = error
        looks = try SecondsObservation {
            do {
                try session.ask { try replica.update(from: $0, at: now()) }
                guard error.withLock({ $0.take() }) != nil else { return }
                try replica.record("the queues are seen again", at: now())
            } catch let failed {
                let words = QueueError(describing: failed).description
                let wasSeen = error.withLock { error in
                    defer { error = words }
                    return error == nil
                }
                guard wasSeen else { return }
                // A copy in memory takes it.
                try? replica.record("the queues are not seen: \(words)", at: now())
            }
        }
    }

    /// Why the last look failed; nil if it did not.
    var failure: String? { error.withLock { $0 } }
}
