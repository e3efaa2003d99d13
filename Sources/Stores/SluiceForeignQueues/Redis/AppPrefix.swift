import SluiceModel
import SluiceSystem

/// Keys that identify a Redis system under an app's own prefix. Such keys are not read.
struct AppPrefix: Sendable {
    /// The name that people use for the system.
    var title: String
    /// The prefix that is read; empty for none.
    var own: String
    /// The ends of keys, all with one prefix before a colon, and the types of their values.
    var ends: [(end: String, type: String)]

    /// The first prefix of an app; `nil` without one.
    func found(in redis: RedisConnection) throws -> String? {
        let shape = KeySurvey.Shape("", end: ":\(ends[0].end)")
        let prefixes = try redis.names([shape]) { String($0.dropLast(ends[0].end.utf8.count + 1)) }
        for prefix in prefixes.sorted()
        where !prefix.isEmpty && prefix != own && !prefix.hasPrefix("{") {
            let types = try redis.pipeline(
                ends.map { RedisCommand("TYPE", "\(prefix):\($0.end)") })
            if zip(ends, types).allSatisfy({ $0.type == $1.text }) { return prefix }
        }
        return nil
    }

    /// The answer where only keys under another prefix are seen.
    func refusal(_ prefix: String, _ name: String) -> QueueError {
        let read = own.isEmpty ? "those without a prefix are read" : "\(own): alone is read"
        return QueueError(
            .notAStore, "\(name) has keys of \(title) with the prefix \(prefix):, and \(read)",
            fix: "give its app \(own.isEmpty ? "no prefix" : "the prefix \(own)")")
    }
}
