import SluiceModel
import SluiceStore

/// One full comparison of a queue in both stores, which corrects differences at the target.
struct QueueLook {
    private let move: QueueMove
    private let isFirst: Bool
    private var mended = 0
    private var here = ReplicaDigest()
    private var there = ReplicaDigest()
    /// How many have another number at the target.
    private(set) var renumbered = 0

    private static let pageTasks = 500
    private static let pageBytes = 8 << 20

    init(_ move: QueueMove, isFirst: Bool) { (self.move, self.isFirst) = (move, isFirst) }

    /// Whether both were the same throughout.
    var isEqual: Bool { mended == 0 && here.text == there.text && here.count == there.count }
    /// The digest of the source. It equals the target's digest if the queues are equal.
    var digest: String { here.text }
    /// How many tasks the source has.
    var count: Int { here.count }

    mutating func run() throws {
        var after: Int64?
        repeat {
            try move.progress.ask()
            let page = try page(after: after)
            try take(page)
            after = page.through
            if isFirst || mended == 0 { move.progress.add(page.tasks.count) }
        } while after != nil
    }

    private mutating func take(_ page: ReplicaPage) throws {
        let (moment, again) = (move.now, move.order.again)
        var part = ReplicaDigest()
        for task in page.tasks { part.take(task, awakeAt: moment) }
        here.join(part)
        let writesAtOnce = isFirst && !page.tasks.isEmpty
        var difference = ReplicaDifference()
        if !writesAtOnce {
            difference = try move.target.readBlocking { try $0.difference(to: page, now: moment) }
        }
        if writesAtOnce || difference.missing + difference.changed.count > 0 {
            difference = try move.target.transactBlocking(at: moment) { mutation in
                let difference = try mutation.replicate(page, again: again)
                return difference
            }
            // The final comparison without corrections also covers the tasks that were equal here.
            mended += max(1, difference.missing + difference.changed.count)
        }
        renumbered += difference.renumbered
        there.join(difference.digest)
        mended += try removeGone(difference.strangers)
    }

    /// Removes tasks from the target that the source no longer has.
    private func removeGone(_ strangers: [ReplicaStranger]) throws -> Int {
        guard !strangers.isEmpty else { return 0 }
        let (name, identity) = (move.name, move.identities.source)
        let gone = try move.source.readBlocking { reader in
            try strangers.filter { stranger in
                let id =
                    try reader.task(ofOrigin: stranger.origin)
                    ?? TaskOrigin.id(of: stranger.origin, in: identity)
                return try id.flatMap { try reader.task($0) }?.queue != name
            }.map(\.id)
        }
        guard !gone.isEmpty else { return 0 }
        let moment = move.now
        try move.target.transactBlocking(at: moment) { try $0.removeStrangers(gone) }
        return gone.count
    }

    private func page(after: Int64?) throws -> ReplicaPage {
        let (name, identity) = (move.name, move.identities.source)
        return try move.source.readBlocking { reader in
            var page = ReplicaPage(queue: name, identity: identity)
            page.after = after
            var bytes = 0
            let tasks = try reader.tasks(.arrived(queue: name, after: after), limit: Self.pageTasks)
            for task in tasks {
                guard task.running == nil, task.waiting?.lingering == nil else {
                    throw QueueError(
                        .changed, "#\(task.id) of \(name) began to run while it was copied",
                        fix: "copy again, and keep the queue paused")
                }
                let incoming = try reader.travelling(task, from: identity)
                bytes += incoming.payload.count + (incoming.result?.count ?? 0)
                page.tasks.append(incoming)
                if bytes > Self.pageBytes { break }
            }
            let isEnd =
                tasks.count < Self.pageTasks && page.tasks.count == tasks.count
            page.through = isEnd ? nil : page.tasks.last?.task.position
            return page
        }
    }
}
