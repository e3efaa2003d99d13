import SluiceModel

/// The queues of one virtual host of RabbitMQ, by its management interface. They are looked at, and
/// not changed.
final class RabbitSystem: ForeignSystem {
    static let systemName = "rabbitmq"
    let name = RabbitSystem.systemName
    let title = "RabbitMQ"
    private let management: RabbitManagement
    private let version: [Int]

    /// How many messages of a queue are looked at: each look takes them and puts them back.
    static let lookLimit = 100

    private var vhost: String { management.address.vhost }

    /// Asks who answers; throws where that is no broker, or the virtual host is not there.
    init(_ management: RabbitManagement) throws {
        self.management = management
        guard let version = try management.get(["overview"])?["rabbitmq_version"]?.string else {
            throw management.noManagement("it does not say a version of RabbitMQ")
        }
        self.version = version.split(separator: ".").map { Int($0) ?? 0 }
        _ = try allTold()
    }

    private static let columns = [
        "name", "type", "state", "arguments", "effective_policy_definition", "messages_ready",
        "messages_unacknowledged", "consumers", "message_stats.publish", "message_stats.ack",
        "exclusive",
    ]

    /// What the broker says of its queues, in the order of their names.
    private func allTold() throws -> [JSONValue] {
        let query = "?columns=\(Self.columns.joined(separator: ","))"
        guard let queues = try management.get(["queues", vhost], query: query)?.array else {
            throw QueueError(
                .notAStore, "\(management.address.name): there is no vhost \"\(vhost)\"",
                fix: "rabbitmqctl list_vhosts shows which there are")
        }
        return queues.sorted { ($0["name"]?.string ?? "") < ($1["name"]?.string ?? "") }
    }

    /// What the server says of one queue.
    private func told(_ queue: String) throws -> JSONValue? {
        try allTold().first { $0["name"]?.string?.isSame(as: queue) == true }
    }

    func queues() throws -> [ForeignQueue] { try allTold().compactMap(queue) }

    private func queue(_ told: JSONValue) -> ForeignQueue? {
        guard let name = told["name"]?.string else { return nil }
        var queue = ForeignQueue(name: name, system: self.name)
        // The broker counts each five seconds, and not yet what is new.
        for (key, display) in [
            ("messages_ready", ForeignTask.Display.due), ("messages_unacknowledged", .taken),
        ] {
            let count = max(0, told[key]?.integer ?? 0)
            queue.add(Int(clamping: count), display, isEstimate: true)
        }
        return queue
    }

    /// The broker's own look and its counting change neither of these.
    func stamp() throws -> String? {
        try allTold().map { queue in
            let stats = queue["message_stats"]
            return [
                queue["name"], queue["messages_ready"], queue["messages_unacknowledged"],
                queue["consumers"], stats?["publish"], stats?["ack"],
            ].map { $0?.text ?? "" }.joined(separator: " ")
        }.joined(separator: "\n")
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        guard query.state == nil || query.state == .waiting else {
            return ForeignPage(tasks: [], more: false)
        }
        // There is no way to what comes later but through all that comes before.
        let limit = query.after == nil ? min(query.limit + 1, Self.lookLimit) : Self.lookLimit
        let all = try messages(of: query.queue, limit: limit)
        var tasks = all.messages.map(\.task)[...]
        if let after = query.after {
            let place = tasks.firstIndex { $0.reference.isSame(as: after) }
            tasks = place.map { tasks[($0 + 1)...] } ?? []
        }
        return ForeignPage(
            tasks: Array(tasks.prefix(query.limit)), more: all.more || tasks.count > query.limit)
    }

    private typealias Seen = (task: ForeignTask, message: RabbitMessage)

    /// The first messages of a queue, and whether there are more.
    private func messages(
        of queue: String, limit: Int
    ) throws -> (messages: [Seen], more: Bool) {
        guard let told = try told(queue) else {
            throw QueueError.unknownForeignQueue(queue)
        }
        guard isSeen(told) else {
            return ([], told["messages_ready"]?.integer ?? 0 > 0)
        }
        let asked: JSONValue = [
            "count": JSONValue(limit), "ackmode": "ack_requeue_true", "encoding": "auto",
            "truncate": JSONValue(RabbitMessage.bodyLimit),
        ]
        let path = ["queues", vhost, queue, "get"]
        guard let answers = try management.post(path, asked)?.array else {
            throw QueueError.unknownForeignQueue(queue)
        }
        var references: Set<ExactText> = []
        let seen = answers.compactMap { RabbitMessage($0) }.enumerated().map {
            (place, message) -> Seen in
            var (reference, count) = (message.id, 1)
            while !references.insert(ExactText(reference)).inserted {
                count += 1
                reference = "\(message.id)-\(count)"
            }
            return (message.task(reference, in: queue, isNext: place == 0), message)
        }
        return (seen, (answers.last?["message_count"]?.integer ?? 0) > 0)
    }

    /// Whether a look at the messages of a queue is possible and harms nothing.
    private func isSeen(_ told: JSONValue) -> Bool {
        // Only its own connection may take from it: a worker of Celery has two.
        if told["exclusive"]?.bool == true { return false }
        return switch told["type"]?.string {
        case "stream": false
        case "quorum":
            // A look counts as a delivery; from 4.0 each queue has a limit of those, unsaid.
            version.first ?? 0 < 4 && told["arguments"]?["x-delivery-limit"] == nil
                && told["effective_policy_definition"]?["delivery-limit"] == nil
        default: true
        }
    }

    private func found(_ reference: String) throws -> Seen? {
        for told in try allTold() {
            guard let queue = told["name"]?.string, isSeen(told),
                told["messages_ready"]?.integer != 0
            else { continue }
            let seen = try messages(of: queue, limit: Self.lookLimit).messages
            if let one = seen.first(where: { $0.task.reference.isSame(as: reference) }) {
                return one
            }
        }
        return nil
    }

    private static func detail(_ seen: Seen) -> ForeignDetail {
        var detail = ForeignDetail(task: seen.task, payload: seen.message.payload)
        detail.fields = seen.message.fields
        return detail
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        try found(reference).map(Self.detail)
    }

    /// One look at each queue of them.
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        var looks: [ExactText: [ExactText: ForeignDetail]] = [:]
        for queue in Set(texts: tasks.map(\.queue)).texts {
            let seen = try messages(of: queue, limit: Self.lookLimit).messages
            looks[queue] = Dictionary(
                seen.map { (ExactText($0.task.reference), Self.detail($0)) },
                uniquingKeysWith: { first, _ in first })
        }
        return tasks.map { looks[$0.queue]?[$0.reference] }
    }

    func obstacle(of detail: ForeignDetail) throws -> String? {
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

    /// What a delayed message waits for lies in the memory of workers.
    func timers(limit: Int) throws -> [ForeignTimer] { [] }

    private func consumers() throws -> [JSONValue] {
        try management.get(["consumers", vhost])?.array ?? []
    }

    func runners() throws -> [ForeignRunner] {
        var runners: [ExactText: ForeignRunner] = [:]
        for consumer in try consumers() {
            let channel = consumer["channel_details"]
            guard let name = channel?["connection_name"]?.string,
                let queue = consumer["queue"]?["name"]?.string
            else { continue }
            var runner = runners[name] ?? ForeignRunner(name: name, queues: [])
            runner.host = channel?["peer_host"]?.string
            if !runner.queues.contains(where: { $0.isSame(as: queue) }) { runner.queues.append(queue) }
            runners[name] = runner
        }
        return runners.values.sorted { $0.name.precedes($1.name) }
    }
}

/// No verb of it is built.
extension RabbitSystem {
    private func refused(_ verb: ForeignVerb) throws -> Never {
        try check(verb)
        throw QueueError.notLegal("\(name) cannot \(verb.rawValue)")
    }

    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer { try refused(.pause) }
    func release(_ queue: String) throws -> ForeignAnswer { try refused(.resume) }
    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        try refused(.step)
    }
    func change(
        _ reference: String, _ change: ForeignChange, by person: String
    ) throws -> ForeignAnswer { try refused(change.verb) }
    func undo(by person: String) throws -> ForeignAnswer? { try refused(.undo) }
}

extension SystemRules {
    private static let lookedAt =
        "RabbitMQ's queues are looked at here, and not changed: rabbitmqctl does what it can"

    static let rabbitmq = SystemRules(
        "RabbitMQ", showing: [.taken], stopping: .nothing, takes: [:],
        never: Dictionary(uniqueKeysWithValues: ForeignVerb.allCases.map { ($0, lookedAt) }))
}
