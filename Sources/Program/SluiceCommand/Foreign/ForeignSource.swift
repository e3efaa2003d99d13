import SluiceControl
import SluiceForeignQueues
import SluiceModel
import SluiceStore
import SluiceTransfer

/// The queues of other systems as a source of an import: read page by page, and left as they are.
///
/// A task that runs there comes in waiting, and one that came in is known by its own system's id.
/// Queues come in paused, so that a worker does not begin what belongs elsewhere.
struct ForeignSource: TransferSource {
    let name: String
    let format = TransferFormat.lines
    private let session: ForeignSession
    private let person: String
    private let now: Timestamp
    private static let page = 200

    /// All queues of a store of that name.
    init(_ session: ForeignSession, name: String, person: String, now: Timestamp) {
        (self.session, self.name, self.person, self.now) = (session, name, person, now)
    }

    func identity() throws -> String? { nil }

    func allowing(payloadBytes: Int) -> any TransferSource { self }

    func estimate() throws -> Int {
        try session.ask { try $0.queues() }.reduce(0) { sum, queue in
            sum + queue.waiting + queue.delayed + queue.skipped + queue.inFlight
                + queue.failed + queue.succeeded
        }
    }

    func read(_ take: @escaping (TransferItem) throws -> BulkNext) throws {
        for entry in try session.ask({ try $0.named() }) {
            let pause = Pause(
                cause: .person, by: person, reason: "a copy of \(name)", since: now)
            let record = TransferQueue(
                name: entry.name.shown, settings: QueueSettings(), pauses: [pause])
            guard try take(.queue(record)) == .goOn else { return }
            for state in [TaskState.Name.running, .waiting, .failed, .succeeded] {
                guard try read(entry.name, state, take) == .goOn else { return }
            }
        }
    }

    /// The tasks of one state, with payloads and known attempts.
    private func read(
        _ queue: ForeignQueueName, _ state: TaskState.Name,
        _ take: (TransferItem) throws -> BulkNext
    ) throws -> BulkNext {
        var last: String?
        while true {
            let page = try session.ask { store in
                guard let system = store.systems.first(where: { $0.name == queue.system }) else {
                    throw QueueError.unknownForeignQueue(queue.shown, known: [])
                }
                let page = try system.page(
                    ForeignQuery(queue: queue.name, state: state, limit: Self.page, after: last))
                let details = try system.details(of: page.tasks)
                return (
                    tasks: try zip(page.tasks, details).map {
                        try incoming($0, $1, queue, of: system)
                    },
                    last: page.tasks.last?.reference, more: page.more
                )
            }
            for task in page.tasks {
                let item = TransferTask(task)
                if try take(.task(item)) == .stop { return .stop }
            }
            guard page.more, let end = page.last, end != last else {
                return .goOn
            }
            last = end
        }
    }

    private func incoming(
        _ seen: ForeignTask, _ detail: ForeignDetail?, _ queue: ForeignQueueName,
        of system: any ForeignSystem
    ) throws -> IncomingTask {
        var seen = seen
        if seen.display.state == .running { seen.display = .due }
        seen.createdAt = seen.createdAt ?? now
        var task = seen.told(
            id: 0, queue: queue.shown, position: 0, system: system.title, now: now,
            run: Running(owner: 0, token: 1, attempt: 1, since: now))
        if let detail { try task.complete(with: detail, of: system) }
        // An unknown end would be older than every period of keeping.
        if case .failed(var failure) = task.state, failure.at == .unknown {
            failure.at = now
            task.state = .failed(failure)
        }
        var incoming = IncomingTask(
            task: task, payload: detail?.payload.told ?? [],
            origin: "\(queue.system) \(name) \(seen.reference)")
        incoming.attempts = (detail?.told(of: task) ?? []).filter {
            $0.outcome != nil && $0.endedAt != nil
        }
        incoming.task.executions = incoming.attempts.count
        return incoming
    }
}
