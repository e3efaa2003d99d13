import SluiceModel
import SluiceSystem

/// Reads messages of RabbitMQ queues, including held and skipped ones.
extension RabbitSystem {
    /// The broker's answer about its queues, by their names.
    private struct Told {
        var byName: [String: JSONValue]
        /// The policies of the exchanges, by their names.
        var policies: [String: String] = [:]

        init(_ all: [JSONValue]) {
            byName = Dictionary(
                all.compactMap { told in told["name"]?.string.map { ($0, told) } },
                uniquingKeysWith: { first, _ in first })
        }

        subscript(name: String) -> JSONValue? { byName[name] }

        /// The queues of others, sorted, including held ones that are deleted.
        var names: [String] {
            let orphans = byName.keys.compactMap(RabbitPlaces.whose(held:)).filter {
                byName[$0] == nil
            }
            return (byName.keys.filter(RabbitPlaces.isOfApp) + orphans).sorted()
        }
    }

    func queues() throws -> [ForeignQueue] {
        let told = try allTold()
        let dead = try deadLetterQueues(of: told)
        var all = Told(told)
        // One question, and only for the holds that need it.
        if told.contains(where: { !RabbitForm(held: $0).sealed.isEmpty }) {
            all.policies = try RabbitSeal(management: management).policies()
        }
        let names = all.names
        let exact = depths(
            names.flatMap { [$0, RabbitPlaces.side($0)] }.filter { all[$0] != nil }, all)
        return try names.map { name in
            try queue(name, all, exact, isDead: dead.contains(name))
        }
    }

    /// The maximum number of queues with exact counts: each costs one request.
    private static let askedQueues = 50

    /// The ready messages of queues by AMQP, as they are now. Empty if there are many queues, or if
    /// the broker does not answer by AMQP.
    private func depths(_ names: [String], _ all: Told) -> [String: Int] {
        let began = SystemClock.monotonicMilliseconds()
        guard names.count <= Self.askedQueues, began >= silentUntil else { return [:] }
        var found: [String: Int] = [:]
        // Only its own connection may ask for an exclusive queue.
        for name in names where all[name]?["exclusive"]?.bool != true {
            do {
                found[name] = try session().depth(of: name)?.ready
            } catch {
                // A queue that refuses closes the channel alone.
                if (error as? AMQPError)?.code != nil, hasOpenSession { continue }
                // A broker that does not answer would delay each look.
                let now = SystemClock.monotonicMilliseconds()
                silentUntil = now + Self.patience * (now - began)
                return [:]
            }
        }
        return found
    }

    /// How many times as long as a failure took AMQP is not asked again.
    private static let patience: Int64 = 20

    private func queue(
        _ name: String, _ all: Told, _ exact: [String: Int], isDead: Bool
    ) throws -> ForeignQueue {
        var queue = ForeignQueue(name: name, system: self.name)
        let places = [name, RabbitPlaces.side(name)].filter { all[$0] != nil }
        // The broker updates these counts every five seconds and omits the newest messages.
        func told(_ place: String, _ key: String) -> Int {
            Int(clamping: max(0, all[place]?[key]?.integer ?? 0))
        }
        let ready = places.reduce(0) { $0 + (exact[$1] ?? told($1, "messages_ready")) }
        queue.add(
            ready, isDead ? .failed : .due, isEstimate: !places.allSatisfy { exact[$0] != nil })
        let taken = places.reduce(0) { $0 + told($1, "messages_unacknowledged") }
        queue.add(taken, .taken, isEstimate: true)
        let held = all[RabbitPlaces.held(name)]
        queue.hold = held.flatMap(RabbitPlaces.hold).map {
            let form = RabbitForm(held: held)
            let counted = all[RabbitPlaces.slipped(name)]?["arguments"]?[Self.slippedKey]?.integer
            let fault = fault(name, form, all)
            var hold = ForeignHold(
                note: $0, recipe: form.recipe, leak: fault?.leak,
                slipped: counted.map { Int(clamping: $0) })
            hold.mend = fault?.mend
            return hold
        }
        for (place, display) in [
            (RabbitPlaces.held(name), ForeignTask.Display.held),
            (RabbitPlaces.skipped(name), .skipped),
        ] where all[place] != nil {
            queue.add(try session().depth(of: place)?.ready ?? 0, display)
        }
        return queue
    }

    /// The maximum number of held or skipped tasks that can be read.
    private static let asideLimit = Int(RabbitShelf.ahead)

    /// The defect of a hold, and how it ends; without that, by another pause.
    private func fault(
        _ queue: String, _ form: RabbitForm, _ all: Told
    ) -> (leak: String, mend: String?)? {
        if all[queue] == nil {
            return (
                "\(queue) is deleted; its held tasks are kept",
                "make it again as its app does, then resume it"
            )
        }
        if let broken = RabbitSeal.broken(form.sealed, policies: all.policies) {
            return (broken, "resume it, then pause it again")
        }
        for place in [RabbitPlaces.held(queue), RabbitPlaces.skipped(queue)] {
            if let loss = Self.loss(at: place, all[place]) {
                return (loss, "take that out of the policy")
            }
        }
        guard all[RabbitPlaces.keeper(queue)] == nil, let taken = form.takenWithoutKeeper else {
            return nil
        }
        return ("the process that holds it has ended: \(taken)", nil)
    }

    /// A combination of counters that changes with every change. The broker's own refresh and
    /// Sluice's reads do not change them.
    func stamp() throws -> String? {
        // The queues of Celery's workers change with each of their heartbeats.
        try allTold().filter { !CeleryLayout.isControl($0["name"]?.string ?? "") }.map { queue in
            let stats = queue["message_stats"]
            let name = queue["name"]?.string ?? ""
            let isAside = RabbitPlaces.whose(held: name) != nil
            // Ask for the current count of a held or skipped queue.
            let depth = isAside ? try session().depth(of: name)?.ready : nil
            return [
                queue["name"], queue["messages_ready"], queue["messages_unacknowledged"],
                queue["consumers"], stats?["publish"], stats?["ack"], JSONValue(depth),
                queue["arguments"]?[Self.slippedKey],
            ].map { $0?.text ?? "" }.joined(separator: " ")
        }.joined(separator: "\n")
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        guard [nil, .waiting, .failed].contains(query.state) else {
            return ForeignPage(tasks: [], more: false)
        }
        // To read later messages, read all earlier ones too.
        let limit = query.after == nil ? query.limit + 1 : Self.asideLimit
        let all = try messages(
            of: query.queue, query.state, limit: limit, isWatched: query.isWatched)
        var tasks = all.messages.map(\.task)[...]
        if let after = query.after {
            let place = tasks.firstIndex { $0.reference == after }
            tasks = place.map { tasks[($0 + 1)...] } ?? []
        }
        return ForeignPage(
            tasks: Array(tasks.prefix(query.limit)), more: all.more || tasks.count > query.limit)
    }

    /// A message, and the task that it shows.
    typealias Seen = (task: ForeignTask, message: RabbitMessage)

    /// The messages of a queue that were read, and whether there are more.
    private struct Reading {
        let queue: String
        var messages: [Seen] = []
        var more = false
        private var names = ReferenceNames()

        init(_ queue: String) { self.queue = queue }

        mutating func add(_ message: RabbitMessage, _ display: ForeignTask.Display) {
            messages.append((message.task(names.next(message.id), in: queue, display), message))
        }
    }

    /// The first messages of a queue in a state, or in any, held and skipped ones first.
    private func messages(
        of queue: String, _ state: TaskState.Name? = nil, limit: Int, isWatched: Bool
    ) throws -> Reading {
        let known = try allTold()
        let all = Told(known)
        guard all[queue] != nil || all[RabbitPlaces.held(queue)] != nil else {
            throw QueueError.unknownForeignQueue(queue)
        }
        var reading = Reading(queue)
        for (place, display) in Self.aside(of: queue) where all[place] != nil && state != .failed {
            try readAside(&reading, place, display, limit)
        }
        // Omit new messages of a held queue: the keeper moves them shortly.
        guard all[RabbitPlaces.held(queue)] == nil, let told = all[queue] else { return reading }
        let isDead = try deadLetterQueues(of: known).contains(queue)
        guard state == nil || (state == .failed) == isDead else { return reading }
        let isTaken = told["consumers"]?.integer ?? 0 > 0
        guard isSeen(told), !isWatched || !isTaken else {
            reading.more = reading.more || told["messages_ready"]?.integer ?? 0 > 0
            return reading
        }
        if isDead, !isTaken {
            // No worker misses them.
            try readAside(&reading, queue, .failed, limit)
        } else {
            let live = try live(queue, limit: min(limit, Self.lookLimit))
            for (place, message) in live.messages.enumerated() {
                reading.add(message, isDead ? .failed : place == 0 ? .next : .due)
            }
            reading.more = reading.more || live.more
        }
        return reading
    }

    private func readAside(
        _ reading: inout Reading, _ place: String, _ display: ForeignTask.Display, _ limit: Int
    ) throws {
        var seen: [RabbitMessage] = []
        let isWhole = try eachAside(place, limit: limit) { delivery in
            seen.append(
                RabbitMessage(delivery.content, in: reading.queue, key: delivery.routingKey))
            return true
        }
        for message in seen { reading.add(message, display) }
        reading.more = reading.more || !isWhole
    }

    /// The queues that hold something of a queue, and the display of their tasks.
    static func aside(of queue: String) -> [(place: String, display: ForeignTask.Display)] {
        [(RabbitPlaces.held(queue), .held), (RabbitPlaces.skipped(queue), .skipped)]
    }

    /// Hands over the messages of a queue without other consumers; they stay there, in their order.
    /// False when there may be more.
    func eachAside(
        _ place: String, limit: Int, _ take: (AMQPDelivery) throws -> Bool
    ) throws -> Bool {
        let shelf = RabbitShelf(link: try session())
        try shelf.seize(place, ahead: UInt16(clamping: limit))
        defer { try? shelf.link.closeChannel() }
        return try shelf.each(of: place, limit: min(limit, Int(RabbitShelf.ahead)), take)
    }

    /// Takes the first messages of a queue of others, and puts them back.
    private func live(
        _ queue: String, limit: Int
    ) throws -> (messages: [RabbitMessage], more: Bool) {
        let asked: JSONValue = [
            "count": JSONValue(limit), "ackmode": "ack_requeue_true", "encoding": "auto",
            "truncate": JSONValue(RabbitMessage.bodyLimit),
        ]
        guard let answers = try management.post(["queues", vhost, queue, "get"], asked)?.array
        else { throw QueueError.unknownForeignQueue(queue) }
        return (
            answers.compactMap { RabbitMessage($0) },
            (answers.last?["message_count"]?.integer ?? 0) > 0
        )
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

    func found(_ reference: String) throws -> Seen? {
        let all = try allTold()
        let names = Set(all.compactMap { $0["name"]?.string })
        // Search held queues first, because that disturbs no worker.
        let queues = Told(all).names
        let isAside = { (queue: String) in
            names.contains(RabbitPlaces.held(queue)) || names.contains(RabbitPlaces.skipped(queue))
        }
        let told = Dictionary(
            all.map { ($0["name"]?.string ?? "", $0) }, uniquingKeysWith: { first, _ in first })
        // The broker counts every five seconds.
        let exact = depths(queues.filter { told[$0] != nil }, Told(all))
        for queue in queues.filter(isAside) + queues.filter({ !isAside($0) }) {
            let ready = exact[queue].map(Int64.init) ?? told[queue]?["messages_ready"]?.integer
            guard isAside(queue) || ready != 0 else { continue }
            let limits = isAside(queue) ? [Int(RabbitShelf.firstAhead)] : []
            for limit in limits + [Self.asideLimit] {
                let seen = try messages(of: queue, limit: limit, isWatched: false)
                // After a part of the held ones the numbers of equal ids are not known.
                if let one = seen.messages.first(where: { $0.task.reference == reference }),
                    !seen.more || limit == Self.asideLimit || one.task.display == .held
                {
                    return one
                }
                guard seen.more else { break }
            }
        }
        return nil
    }

    private static func detail(_ seen: Seen) -> ForeignDetail {
        var detail = ForeignDetail(task: seen.task, payload: seen.message.payload)
        detail.fields = seen.message.fields
        detail.attempts = [seen.message.attempt].compactMap { $0 }
        return detail
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        try found(reference).map(Self.detail)
    }

    /// One look at each queue of them.
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        var looks: [String: [String: ForeignDetail]] = [:]
        for queue in Set(tasks.map(\.queue)) {
            let seen = try messages(
                of: queue, limit: Self.asideLimit, isWatched: false
            ).messages
            looks[queue] = Dictionary(
                uniqueKeysWithValues: seen.map { ($0.task.reference, Self.detail($0)) })
        }
        return tasks.map { looks[$0.queue]?[$0.reference] }
    }
}

/// Ids of messages that no other one of the same look has.
struct ReferenceNames {
    private var taken: Set<String> = []

    mutating func next(_ id: String) -> String {
        var (reference, count) = (id, 1)
        while !taken.insert(reference).inserted {
            count += 1
            reference = "\(id)-\(count)"
        }
        return reference
    }
}
