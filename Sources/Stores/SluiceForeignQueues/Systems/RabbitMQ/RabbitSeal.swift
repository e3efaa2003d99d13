import SluiceModel
import SluiceSystem

/// Leads the arrivals of a queue's exchanges to its held queue: each exchange gets an alternate
/// exchange by a policy, and the queue loses its bindings.
///
/// The broker keeps that hold without a process of this program.
struct RabbitSeal {
    private static let startMilliseconds: Int64 = 5_000
    /// The kinds of exchange whose routes can be compared.
    private static let kinds: Set = ["direct", "fanout", "topic", "headers"]

    let management: RabbitManagement
    private var vhost: String { management.address.vhost }

    /// The exchange, and the policy, for the unroutable messages of an exchange.
    static func alternate(_ exchange: String) -> String { "sluice.alt." + exchange }

    /// The bindings of a queue if they can be taken away, else why not.
    func plan(_ queue: String) throws -> (bindings: [RabbitBinding], obstacle: String?) {
        let listed = try management.get(["queues", vhost, queue, "bindings"])?.array ?? []
        let bindings = listed.compactMap { RabbitBinding(listed: $0) }
            .filter { !RabbitPlaces.isOwn($0.exchange) }
        guard !bindings.isEmpty else { return ([], "no exchange is bound to it") }
        let incoming = try management.get(["queues", vhost, queue])?["incoming"]?.array ?? []
        guard !incoming.contains(where: { $0["exchange"]?["name"]?.string == "" }) else {
            return ([], "its messages come by the default exchange")
        }
        for exchange in Set(bindings.map(\.exchange)).sorted() {
            let own = bindings.filter { $0.exchange == exchange }
            if let obstacle = try obstacle(exchange, own, queue) { return ([], obstacle) }
        }
        return (bindings, nil)
    }

    private func obstacle(
        _ exchange: String, _ own: [RabbitBinding], _ queue: String
    ) throws -> String? {
        guard let told = try management.get(["exchanges", vhost, exchange]) else {
            return "the exchange \(exchange) cannot be seen"
        }
        guard let kind = told["type"]?.string, Self.kinds.contains(kind) else {
            return "the exchange \(exchange) is a \(told["type"]?.string ?? "")"
        }
        if told["arguments"]?["alternate-exchange"] != nil {
            return "the exchange \(exchange) has an alternate exchange"
        }
        if let policy = told["policy"]?.string, !policy.isEmpty,
            policy != Self.alternate(exchange)
        {
            return "the policy \(policy) is set for the exchange \(exchange)"
        }
        let path = ["exchanges", vhost, exchange, "bindings", "source"]
        for other in try management.get(path)?.array ?? [] {
            guard let target = other["destination"]?.string, !RabbitPlaces.isOwn(target),
                let binding = RabbitBinding(listed: other)
            else { continue }
            let isItself = other["destination_type"]?.string == "queue" && target == queue
            guard !isItself, own.contains(where: { Self.meet($0, binding, kind) }) else {
                continue
            }
            return "\(target) gets the same messages of the exchange \(exchange)"
        }
        return nil
    }

    /// Whether some message takes both routes of an exchange.
    private static func meet(
        _ one: RabbitBinding, _ other: RabbitBinding, _ kind: String
    ) -> Bool {
        switch kind {
        case "direct": one.key == other.key
        case "topic": RabbitTopic.overlap(one.key, other.key)
        default: true
        }
    }

    /// Gives each exchange an alternate exchange without bindings. Returns the reason of a failure.
    func prepare(_ bindings: [RabbitBinding], by link: AMQPConnection) throws -> String? {
        for exchange in Set(bindings.map(\.exchange)).sorted() {
            guard
                let kind = try management.get(["exchanges", vhost, exchange])?["type"]?.string
            else { return "the exchange \(exchange) has gone" }
            let alternate = Self.alternate(exchange)
            try link.declareExchange(alternate, type: kind)
            do {
                try givePolicy(alternate, to: exchange)
            } catch let error as QueueError {
                guard error.code == .denied else { throw error }
                try link.deleteExchange(alternate)
                return "this account may set no policy (its tag is policymaker)"
            }
        }
        return nil
    }

    /// Takes the bindings away. A message goes to the queue until then, and never to both.
    func set(_ bindings: [RabbitBinding], _ queue: String, by link: AMQPConnection) throws {
        let held = RabbitPlaces.held(queue)
        for binding in bindings {
            try link.bind(
                held, to: Self.alternate(binding.exchange), key: binding.key, binding.arguments)
        }
        try takeAway(bindings, queue, by: link)
    }

    /// Takes the queue's own bindings away, again if its app has made them anew.
    func takeAway(_ bindings: [RabbitBinding], _ queue: String, by link: AMQPConnection) throws {
        for binding in bindings {
            try link.unbind(queue, from: binding.exchange, key: binding.key, binding.arguments)
        }
    }

    /// The policies of all exchanges, by the names of those; empty for none.
    func policies() throws -> [String: String] {
        let listed = try management.get(["exchanges", vhost], query: "?columns=name,policy")
        return Dictionary(
            (listed?.array ?? []).compactMap { told in
                told["name"]?.string.map { ($0, told["policy"]?.string ?? "") }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Why the broker loses new messages of an exchange without its bindings; nil if it does not.
    static func broken(_ bindings: [RabbitBinding], policies: [String: String]) -> String? {
        for exchange in Set(bindings.map(\.exchange)).sorted() {
            guard let policy = policies[exchange], policy != alternate(exchange) else { continue }
            let other = policy.isEmpty ? "no policy is" : "the policy \(policy) is"
            return "\(other) set for the exchange \(exchange) instead of "
                + "\(alternate(exchange)): new tasks are lost"
        }
        return nil
    }

    private func givePolicy(_ policy: String, to exchange: String) throws {
        let pattern = "^" + Self.escaped(exchange) + "$"
        try management.put(
            ["policies", vhost, policy],
            [
                "pattern": .string(pattern), "apply-to": "exchanges", "priority": 1000,
                "definition": ["alternate-exchange": .string(policy)],
            ])
        let deadline = SystemClock.monotonicMilliseconds() + Self.startMilliseconds
        while try management.get(["exchanges", vhost, exchange])?["policy"]?.string != policy {
            guard SystemClock.monotonicMilliseconds() < deadline else {
                try management.delete(["policies", vhost, policy])
                throw QueueError(
                    .denied, "the exchange \(exchange) does not get the policy \(policy)",
                    fix: "rabbitmqctl list_policies shows which there are")
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 20)
        }
    }

    private static func escaped(_ name: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
        return String(name.flatMap { plain.contains($0) || !$0.isASCII ? [$0] : ["\\", $0] })
    }

    /// Gives the queue its bindings again. The policy goes with the last hold that needs it.
    func lift(_ bindings: [RabbitBinding], _ queue: String, by link: AMQPConnection) throws {
        for binding in bindings {
            try link.bind(queue, to: binding.exchange, key: binding.key, binding.arguments)
        }
        let held = RabbitPlaces.held(queue)
        for exchange in Set(bindings.map(\.exchange)).sorted() {
            let alternate = Self.alternate(exchange)
            for binding in bindings where binding.exchange == exchange {
                try link.unbind(held, from: alternate, key: binding.key, binding.arguments)
            }
            let left = try management.get(["exchanges", vhost, alternate, "bindings", "source"])
            guard left?.array?.isEmpty ?? true else { continue }
            try management.delete(["policies", vhost, alternate])
            try link.deleteExchange(alternate)
        }
    }
}
