import SluiceModel

/// The queues that get dead letters and lead none further: their messages are the failed tasks.
///
/// A queue that gives its dead letters to another one is a working queue, or one where tasks wait
/// for a retry.
enum RabbitDeadLetters {
    /// A queue that is bound to an exchange, and its routing key there.
    typealias Target = (queue: String, key: String)

    /// Finds them among the broker's queues. `bound` gives the queues of an exchange.
    static func queues(
        of all: [JSONValue], _ bound: (String) throws -> [Target]
    ) throws -> Set<String> {
        var ways: [String: (exchange: String, key: String?)] = [:]
        for told in all {
            guard let name = told["name"]?.string, !RabbitPlaces.isOwn(name),
                let exchange = value("dead-letter-exchange", of: told)
            else { continue }
            ways[name] = (exchange, value("dead-letter-routing-key", of: told))
        }
        var known: [String: [Target]] = [:]
        var leads: [String: Set<String>] = [:]
        for (name, way) in ways {
            if way.exchange.isEmpty {
                // A dead letter without a configured key keeps its routing key.
                leads[name] = Set([way.key].compactMap { $0 }).subtracting([name])
                continue
            }
            let targets = try known[way.exchange] ?? bound(way.exchange)
            known[way.exchange] = targets
            let keyed = targets.filter { $0.key == way.key }
            // An exchange that brings tasks too leads not only to queues of dead letters.
            let isShared = targets.contains { ways[$0.queue]?.exchange == way.exchange }
            let found = keyed.isEmpty && isShared ? [] : keyed.isEmpty ? targets : keyed
            leads[name] = Set(found.map(\.queue)).subtracting([name])
        }
        return leads.values.reduce(into: Set()) { $0.formUnion($1) }.filter { name in
            !RabbitPlaces.isOwn(name) && leads[name]?.isEmpty ?? true
        }
    }

    /// An argument of a queue, or what a policy gives it.
    private static func value(_ name: String, of told: JSONValue) -> String? {
        told["arguments"]?["x-\(name)"]?.string
            ?? told["effective_policy_definition"]?[name]?.string
    }
}

extension RabbitSystem {
    /// The queues of failed tasks.
    func deadLetterQueues(of all: [JSONValue]) throws -> Set<String> {
        try RabbitDeadLetters.queues(of: all) { exchange in
            let path = ["exchanges", vhost, exchange, "bindings", "source"]
            return try (management.get(path)?.array ?? []).compactMap { binding in
                guard binding["destination_type"]?.string == "queue",
                    let queue = binding["destination"]?.string
                else { return nil }
                return (queue, binding["routing_key"]?.string ?? "")
            }
        }
    }
}
