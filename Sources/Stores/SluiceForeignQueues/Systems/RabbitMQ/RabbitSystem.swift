import SluiceModel
import SluicePlatform

/// The queues of one virtual host of RabbitMQ: counted and listed by its management interface, held
/// and stepped by AMQP.
///
/// Held tasks are in a queue of this program. A process moves arrivals there, before the workers
/// of the queue get any.
final class RabbitSystem: ForeignSystem {
    static let systemName = "rabbitmq"
    let name = RabbitSystem.systemName
    let title = "RabbitMQ"
    let management: RabbitManagement
    let keepers: KeeperLauncher
    let version: [Int]
    /// The known facts about the end of the stepped task.
    var ending = CeleryEnding()
    /// Until when counts come from the management interface alone, after a failure of AMQP.
    var silentUntil: Int64 = 0
    private var link: AMQPConnection?
    private var usedAt: Int64 = 0

    /// The maximum number of messages to read from a live queue: each read takes them and puts them
    /// back.
    static let lookLimit = 100

    /// The maximum idle time of a connection, which sends no heartbeats while unused.
    private static let restMilliseconds: Int64 = 40_000

    var vhost: String { management.address.vhost }

    /// Checks the server; throws if it is no broker, or lacks the virtual host.
    init(_ management: RabbitManagement, _ keepers: KeeperLauncher) throws {
        (self.management, self.keepers) = (management, keepers)
        guard let version = try management.get(["overview"])?["rabbitmq_version"]?.string else {
            throw management.noManagement("it does not say a version of RabbitMQ")
        }
        self.version = version.split(separator: ".").map { Int($0) ?? 0 }
        _ = try allTold()
    }

    private static let columns = [
        "name", "type", "state", "arguments", "policy", "effective_policy_definition",
        "messages_ready",
        "messages_unacknowledged", "consumers", "message_stats.publish", "message_stats.ack",
        "exclusive",
    ]

    /// The broker's description of its queues, sorted by name.
    func allTold() throws -> [JSONValue] {
        let query = "?columns=\(Self.columns.joined(separator: ","))"
        guard let queues = try management.get(["queues", vhost], query: query)?.array else {
            throw QueueError(
                .notAStore, "\(management.address.name): there is no vhost \"\(vhost)\"",
                fix: "rabbitmqctl list_vhosts shows which there are")
        }
        return queues.sorted { ($0["name"]?.string ?? "") < ($1["name"]?.string ?? "") }
    }

    /// The connection by AMQP, with its channel closed.
    func session() throws -> AMQPConnection {
        let now = SystemClock.monotonicMilliseconds()
        defer { usedAt = now }
        if let link, link.isOpen, now - usedAt < Self.restMilliseconds {
            try link.closeChannel()
            return link
        }
        link?.close()
        let fresh = try AMQPConnection(management.address)
        link = fresh
        return fresh
    }

    /// Whether the connection by AMQP still exists.
    var hasOpenSession: Bool { link?.isOpen == true }

    func broadcast() throws -> RabbitBroadcast {
        RabbitBroadcast(management: management, link: try session())
    }

    func consumers() throws -> [JSONValue] {
        try management.get(["consumers", vhost])?.array ?? []
    }

    func obstacle(of detail: ForeignDetail) throws -> String? {
        guard ![.held, .skipped].contains(detail.task.display) else { return nil }
        let queue = detail.task.queue
        guard let told = try told(queue) else {
            return nil
        }
        if let state = told["state"]?.string, !["running", "idle", "flow"].contains(state) {
            return "the broker says that \(queue) is \(state)"
        }
        let prefetches = try consumers().filter {
            $0["queue"]?["name"]?.string?.isSame(as: queue) == true
        }
        .map { $0["prefetch_count"]?.integer ?? 0 }
        let taken = told["messages_unacknowledged"]?.integer ?? 0
        guard !prefetches.isEmpty, !prefetches.contains(0),
            taken >= prefetches.reduce(0, { $0.addingReportingOverflow($1).0 })
        else { return nil }
        return "its consumers have \(taken) messages in hand, all that their prefetch allows"
    }

    /// A delayed message waits in a worker's memory, so this list is empty.
    func timers(limit: Int) throws -> [ForeignTimer] { [] }

    func runners() throws -> [ForeignRunner] {
        var runners: [ExactText: ForeignRunner] = [:]
        for consumer in try consumers() {
            let channel = consumer["channel_details"]
            let isOwn = consumer["consumer_tag"]?.string?.hasPrefix(RabbitPlaces.tagPrefix) == true
            guard !isOwn, let name = channel?["connection_name"]?.string,
                let queue = consumer["queue"]?["name"]?.string.map(RabbitPlaces.served),
                !CeleryLayout.isListener(queue)
            else { continue }
            var runner = runners[name] ?? ForeignRunner(name: name, queues: [])
            runner.host = channel?["peer_host"]?.string
            let isKnown = runner.queues.contains { $0.isSame(as: queue) }
            // A worker of Celery without other queues moves between two, and the broker lists the
            // next one only after its next count.
            if !isKnown, !CeleryLayout.isControl(queue) { runner.queues.append(queue) }
            runners[name] = runner
        }
        return runners.values.sorted { $0.name.precedes($1.name) }
    }
}

extension SystemRules {
    static let rabbitmq = SystemRules(
        "RabbitMQ", showing: [.held, .skipped, .taken, .failed], stopping: .nothing,
        takes: [
            .skip: listed, .unskip: [.skipped], .delete: listed.union([.skipped, .failed]),
            .edit: listed.union([.skipped]), .priority: listed.union([.skipped]),
            .retry: listed.union([.skipped, .failed]),
        ],
        never: [
            .move: "a broker takes messages in at the end of a queue alone",
            .postpone: "a broker keeps no times",
        ])
}
