import SluiceModel
import SluicePlatform

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
