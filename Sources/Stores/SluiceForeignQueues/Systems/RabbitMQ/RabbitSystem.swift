import SluiceModel
import SluiceSystem

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

/// Holds and steps of queues whose consumers are not workers of Celery.
///
/// The keeper is the first consumer of the queue, so that the others get nothing. Only the keeper
/// can let a message pass: it ends its consumer for that moment.
extension RabbitSystem {
    /// The order to a keeper to let the task in the side queue pass.
    static let stepOrder = "step"

    /// The form of a queue's hold.
    func form(of queue: String) throws -> RabbitForm {
        RabbitForm(held: try told(RabbitPlaces.held(queue)))
    }

    /// The possible form of a hold. The obstacle is the reason why the bindings must stay.
    func plan(
        _ queue: String, _ workers: [(worker: String, queues: [String])]
    ) throws -> (form: RabbitForm, obstacle: String?) {
        // The interface knows later than the broker which consumers there are.
        let consumers = try session().depth(of: queue)?.consumers ?? 0
        let own = workers.count { $0.queues.contains(queue) }
        if consumers <= own, try own > 0 || !broadcast().controls().isEmpty {
            return (.celery, nil)
        }
        let seal = RabbitSeal(management: management)
        let (bindings, obstacle) = try seal.plan(queue)
        if let obstacle = try obstacle ?? seal.prepare(bindings, by: try session()) {
            return (.consumers(sealed: []), obstacle)
        }
        return (.consumers(sealed: bindings), nil)
    }

    /// The consequences of a hold, without the place of the tasks.
    func consequences(
        _ form: RabbitForm, turned: Int, taken: Int64, _ obstacle: String?
    ) -> [String] {
        var said: [String] = []
        if form.isOfConsumers {
            let names = Set(form.sealed.map(\.exchange)).sorted().joined(separator: ", ")
            let why = obstacle.map { ": \($0)" } ?? ""
            said.append(
                form.sealed.isEmpty
                    ? "a task that arrives within milliseconds of a step may run with it\(why)"
                    : "until resume, \(names) brings new tasks to the held ones; one that names no "
                        + "exchange may run with a step")
        } else if turned == 0 {
            said.append(
                "no worker answered: the process that holds it takes new tasks before others do")
        }
        guard taken > 0 else { return said }
        return said + [
            form.isOfConsumers
                ? "about \(taken) that consumers have taken already run on"
                : "about \(taken) that workers have taken already, those with an eta among them, "
                    + "run on"
        ]
    }

    /// Moves one task to the side queue, and orders the keeper to let it pass.
    func stepConsumers(
        _ queue: String, task reference: String?, _ limits: StepLimits
    ) throws -> ForeignStep? {
        try checkQueue(queue)
        guard try isKept(queue) else {
            throw QueueError.notLegal(
                "the process that holds \(queue) has ended",
                fix: "sluice \(ShellWord.command("pause", queue)) starts it again")
        }
        guard try session().depth(of: queue)?.consumers ?? 0 > 1 else {
            throw QueueError.notLegal(
                "no consumer serves \(queue)", fix: "sluice workers shows the consumers there are")
        }
        let began = SystemClock.monotonicMilliseconds()
        guard let task = try putAside(queue, reference) else { return nil }
        switch try order(queue, limits) {
        case .taken:
            var step = ForeignStep(
                task: task, outcome: nil, error: nil,
                milliseconds: SystemClock.monotonicMilliseconds() - began)
            step.note = "a consumer took it; a broker does not say how it ends"
            return step
        case .refused:
            throw QueueError.notLegal(
                "no consumer of \(queue) took \(task.reference) in "
                    + "\(DurationText.short(limits.takeMilliseconds)); it is held again, and comes "
                    + "last", fix: "sluice workers shows who serves it")
        case .missing:
            _ = try takeBack(queue)
            throw QueueError(
                .changed, "the process that holds \(queue) did not let \(task.reference) pass",
                fix: "sluice \(ShellWord.command("list", queue)) shows where it is")
        }
    }

    private func putAside(_ queue: String, _ reference: String?) throws -> ForeignTask? {
        try takeHeld(queue, reference) { shelf, found in
            let held = RabbitPlaces.held(queue)
            try shelf.move(found.delivery, from: held, to: RabbitPlaces.side(queue), .aside)
        }
    }

    private func order(_ queue: String, _ limits: StepLimits) throws -> RabbitPassage {
        let link = try AMQPConnection(management.address, name: "sluice step \(queue)")
        defer { link.close() }
        var random = SystemRandom()
        let replies = "sluice.step.\(CeleryRemote.uuid(&random))"
        try link.declareExclusive(replies)
        try link.consume(
            replies, as: RabbitPlaces.tagPrefix + "replies", ahead: 1, acknowledges: false)
        let order: JSONValue = [
            "verb": .string(Self.stepOrder), "reply": .string(replies),
            "milliseconds": .integer(limits.takeMilliseconds),
        ]
        try link.publish(
            try AMQPContent(json: order), exchange: "", key: RabbitPlaces.keeper(queue),
            mandatory: false)
        // The keeper moves arrivals first, then waits for a consumer up to the limit.
        let patience = Int(clamping: limits.takeMilliseconds) + 10_000
        guard let reply = try link.next(within: patience),
            let word = (try? JSONValue.parse(reply.content.body))?["passage"]?.string
        else { return .missing }
        return RabbitPassage(rawValue: word) ?? .missing
    }
}

/// The result of an order to let a task pass.
enum RabbitPassage: String {
    case taken
    /// No consumer took it in time; it is held again.
    case refused
    /// It was not there, or its queue is deleted.
    case missing
}

/// The policies of a broker that could take held messages away.
extension RabbitSystem {
    private static let lossy = [
        "message-ttl", "expires", "max-length", "max-length-bytes", "delivery-limit",
    ]
    /// A broker counts every five seconds, by default.
    private static let policyMilliseconds: Int64 = 30_000

    /// Makes a queue of this program with the kind of another one; throws where a policy of the
    /// broker matches its name and would lose something of it.
    func declareAside(
        _ place: String, _ told: JSONValue, _ note: HoldNote?, _ form: RabbitForm = .celery,
        by link: AMQPConnection
    ) throws {
        let isNew = try link.depth(of: place) == nil
        try link.declareDurable(place, RabbitPlaces.arguments(of: told, note, form))
        try RabbitPlaces.declareFan(place, by: link)
        guard isNew, try hasLossyPolicy() else { return }
        let made: JSONValue?
        do {
            made = try counted(place)
        } catch {
            try link.delete(place)
            throw error
        }
        guard let loss = Self.loss(at: place, made) else { return }
        try link.delete(place)
        throw QueueError.notLegal(
            "nothing is put aside: \(loss)",
            fix: "give the policy a pattern that does not match sluice.*")
    }

    /// The policy that takes messages of a queue away, by the broker's answer about it.
    static func loss(at place: String, _ told: JSONValue?) -> String? {
        let policy = told?["effective_policy_definition"]
        guard let harm = lossy.first(where: { policy?[$0] != nil }) else { return nil }
        let name = told?["policy"]?.string ?? "of an operator"
        return "the policy \(name) gives \(place) a \(harm), which loses messages"
    }

    /// Whether the virtual host has a policy that loses messages of some queue.
    private func hasLossyPolicy() throws -> Bool {
        for kind in ["policies", "operator-policies"] {
            let policies = try management.get([kind, vhost])?.array ?? []
            let isLossy = policies.contains { policy in
                Self.lossy.contains { policy["definition"]?[$0] != nil }
            }
            if isLossy { return true }
        }
        return false
    }

    /// The broker's answer about a new queue. Until its first count the answer has no policy.
    private func counted(_ place: String) throws -> JSONValue? {
        let deadline = SystemClock.monotonicMilliseconds() + Self.policyMilliseconds
        while true {
            let made = try told(place)
            if made?["effective_policy_definition"] != nil { return made }
            guard SystemClock.monotonicMilliseconds() < deadline else {
                throw QueueError(
                    .serverGone, "the broker does not say which policy \(place) has",
                    fix: "try again, or give policies a pattern that does not match sluice.*")
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 100)
        }
    }
}
