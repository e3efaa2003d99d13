import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluicePlatform

/// `failures`, `expect` and `record` at other systems' queues: the commands of our own stores, at a
/// copy in memory that a look each second keeps up.
extension ForeignContext {
    /// Whether an action is one of these.
    static func isFollowed(_ action: Action.ID?) -> Bool {
        action == .failures || action == .expect || action == .record
    }

    /// Does it. Nothing is changed where the queues are.
    func follow(_ store: ForeignStore) throws -> Reply {
        let saved = try SavedFilters(host.environment).texts
        let line = try CommandLineParser.parse(words: call.words, now: host.now(), saved: saved)
        switch line.invocation {
        case .look(let look):
            let replica = ForeignReplica(name: store.name, [.waiting, .failed])
            try replica.update(from: store, at: host.now())
            return try session(replica, line).look(look)
        case .expect(let expect): return try self.expect(expect, line, store)
        case .record(let record):
            let replica = ForeignReplica(name: store.name)
            try replica.update(from: store, at: host.now())
            let following = try ForeignFollowing(replica, desk(), host.now)
            var reply = try session(replica, line).record(record)
            guard let error = following.failure else { return reply }
            reply.exit = .partlyDone
            reply.isConfirmation = false
            reply.lines.append(SafeText.visible("at the end nothing could be seen: \(error)"))
            return reply
        default: return Reply(.null, [])
        }
    }

    private func expect(
        _ call: ExpectCall, _ line: Request, _ store: ForeignStore
    ) throws -> Reply {
        guard !call.request.expectation.checks.contains(where: \.asksHistory) else {
            throw QueueError.notLegal(
                "ran: not at a store of " + store.systems.map(\.name).joined(separator: ", ")
                    + ", which forgets what has ended",
                fix: "count what is there, such as count(state:failed) = 0")
        }
        let replica = ForeignReplica(name: store.name)
        try replica.update(from: store, at: host.now())
        let following =
            try call.request.withinMilliseconds.map { _ in
                try ForeignFollowing(replica, desk(), host.now)
            }
        var reply = try session(replica, line).expect(call)
        if let error = following?.failure {
            throw QueueError(.serverGone, error, fix: "nothing is known of what is there now")
        }
        let names = TaskNames(foreign: replica.references)
        reply.lines = reply.lines.map(names.text)
        return reply
    }

    private func session(_ replica: ForeignReplica, _ line: Request) -> CommandContext {
        CommandContext(host: host, common: line.common, isReader: true, store: replica.store)
    }

    private func desk() throws -> ForeignDesk {
        let context = self
        return try ForeignDesk { try context.open() }
    }
}

/// Keeps a copy of other systems' queues up with them, by a look each second, until it ends.
final class ForeignFollowing: Sendable {
    private let error: Protected<String?>
    private let looks: SecondsObservation

    /// Begins. A server that goes is told in the log of the copy, and looked for again.
    init(
        _ replica: ForeignReplica, _ desk: ForeignDesk, _ now: @escaping @Sendable () -> Timestamp
    ) throws {
        let error = Protected<String?>(nil)
        self.error = error
        looks = try SecondsObservation {
            do {
                try desk.ask { try replica.update(from: $0, at: now()) }
                guard error.withLock({ $0.take() }) != nil else { return }
                try replica.note("the queues are seen again", at: now())
            } catch let failed {
                let words = QueueError(describing: failed).description
                let wasSeen = error.withLock { error in
                    defer { error = words }
                    return error == nil
                }
                guard wasSeen else { return }
                // A copy in memory takes it.
                try? replica.note("the queues are not seen: \(words)", at: now())
            }
        }
    }

    /// Why the last look failed; nil where it did not.
    var failure: String? { error.withLock { $0 } }
}
