import SluiceModel

/// The queues that this program makes in a virtual host.
enum RabbitPlaces {
    /// The queue of held messages; its arguments say who holds them.
    static func held(_ queue: String) -> String { heldPrefix + queue }
    /// The queue of messages that were set aside by hand.
    static func skipped(_ queue: String) -> String { skippedPrefix + queue }
    /// The queue of the keeper's orders, which ends with the keeper.
    static func keeper(_ queue: String) -> String { "sluice.keeper." + queue }
    /// The queue of stepped tasks, from which workers take.
    static func side(_ queue: String) -> String { sidePrefix + queue }
    /// The exchange that leads tasks to the side queue. It stays after the hold, because a retry
    /// returns by the exchange that brought its task.
    static func way(_ queue: String) -> String { "sluice.step." + queue }
    /// The exchange that returns unroutable messages of the other one to the queue itself.
    static func wayBack(_ queue: String) -> String { "sluice.back." + queue }
    /// The changes that can be taken back.
    static let undo = "sluice.undo"
    /// How the tags of this program's consumers begin.
    static let tagPrefix = "sluice."

    private static let heldPrefix = "sluice.held."
    private static let skippedPrefix = "sluice.skipped."
    private static let sidePrefix = CeleryLayout.sidePrefix

    /// Whether a queue is one of this program's own.
    static func isOwn(_ name: String) -> Bool {
        name.hasPrefix("sluice.") || name.hasPrefix(sidePrefix)
    }

    /// The queue of which this one holds something; nil where it holds nothing.
    static func whose(held name: String) -> String? {
        name.hasPrefix(heldPrefix) ? String(name.dropFirst(heldPrefix.count)) : nil
    }

    /// The queue that workers of a side queue serve; the name itself where it is none.
    static func served(_ name: String) -> String {
        name.hasPrefix(sidePrefix) ? String(name.dropFirst(sidePrefix.count)) : name
    }

    /// The arguments of a queue that takes what is held: a classic one, in which a look counts for
    /// nothing, with the priorities of the queue itself, and who holds that. A queue keeps its
    /// arguments until it is deleted.
    static func arguments(of told: JSONValue, _ note: HoldNote?) -> JSONObject {
        var arguments: JSONObject = ["x-queue-type": "classic"]
        if let most = told["arguments"]?["x-max-priority"]?.integer {
            arguments["x-max-priority"] = .integer(most)
        }
        guard let note else { return arguments }
        arguments["sluice-by"] = .string(note.by)
        arguments["sluice-since"] = .integer(note.since.milliseconds)
        if let reason = note.reason { arguments["sluice-reason"] = .string(reason) }
        return arguments
    }

    /// Makes the exchanges of a queue that is held.
    static func declareWays(of queue: String, by link: AMQPConnection) throws(AMQPError) {
        try link.declareExchange(wayBack(queue), type: "fanout")
        try link.bind(queue, to: wayBack(queue))
        try link.declareExchange(
            way(queue), type: "headers", ["alternate-exchange": .string(wayBack(queue))])
    }

    /// The hold that the arguments of such a queue say; nil for none.
    static func hold(_ told: JSONValue) -> HoldNote? {
        guard let by = told["arguments"]?["sluice-by"]?.string,
            let since = told["arguments"]?["sluice-since"]?.integer
        else { return nil }
        return HoldNote(
            by: by, since: Timestamp(milliseconds: since),
            reason: told["arguments"]?["sluice-reason"]?.string)
    }
}
