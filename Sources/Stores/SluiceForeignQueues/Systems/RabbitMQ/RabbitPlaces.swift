import SluiceModel

/// The queues that this program makes in a virtual host.
enum RabbitPlaces {
    /// The queue of held messages; its arguments say who holds them.
    static func held(_ queue: String) -> String { heldPrefix + queue }
    /// The queue of messages that a person skipped.
    static func skipped(_ queue: String) -> String { skippedPrefix + queue }
    /// The queue of the keeper's orders, which ends with the keeper.
    static func keeper(_ queue: String) -> String { "sluice.keeper." + queue }
    /// The side queue. Workers take stepped tasks from it.
    static func side(_ queue: String) -> String { sidePrefix + queue }
    /// The exchange that leads tasks to the side queue. It stays after the hold, because a retry
    /// returns by the exchange that brought its task.
    static func way(_ queue: String) -> String { "sluice.step." + queue }
    /// The exchange that returns unroutable messages of the other one to the queue itself.
    static func wayBack(_ queue: String) -> String { "sluice.back." + queue }
    /// The exchange that brings a message to a place with the routing key that it came by: a queue
    /// of this program, or a held one.
    static func fan(_ place: String) -> String { isOwn(place) ? place : wayBack(place) }
    /// The queue whose arguments have the number of messages that slipped through.
    static func slipped(_ queue: String) -> String { "sluice.slipped." + queue }
    /// The queue of undo records.
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

    /// Whether a queue has tasks of an app.
    static func isOfApp(_ name: String) -> Bool {
        !isOwn(name) && !CeleryLayout.isControl(name)
    }

    /// The queue that owns a held queue; `nil` for other names.
    static func whose(held name: String) -> String? {
        name.hasPrefix(heldPrefix) ? String(name.dropFirst(heldPrefix.count)) : nil
    }

    /// The queue that the workers of a side queue serve; for another name, the name itself.
    static func served(_ name: String) -> String {
        name.hasPrefix(sidePrefix) ? String(name.dropFirst(sidePrefix.count)) : name
    }

    /// The arguments of a queue for held messages: a classic queue with the original queue's
    /// priorities and the hold's note. In a classic queue, reads do not count as deliveries. A
    /// queue's arguments cannot change.
    static func arguments(
        of told: JSONValue, _ note: HoldNote?, _ form: RabbitForm = .celery
    ) -> JSONObject {
        var arguments = form.arguments
        arguments["x-queue-type"] = "classic"
        if let most = told["arguments"]?["x-max-priority"]?.integer {
            arguments["x-max-priority"] = .integer(most)
        }
        guard let note else { return arguments }
        arguments["sluice-by"] = .string(note.by)
        arguments["sluice-since"] = .integer(note.since.milliseconds)
        if let reason = note.reason { arguments["sluice-reason"] = .string(reason) }
        return arguments
    }

    /// Declares the exchanges of a held queue.
    static func declareWays(of queue: String, by link: AMQPConnection) throws(AMQPError) {
        try declareFan(queue, by: link)
        try link.declareExchange(
            way(queue), type: "headers", ["alternate-exchange": .string(wayBack(queue))])
    }

    /// Declares the exchange of a place, which exists.
    static func declareFan(_ place: String, by link: AMQPConnection) throws(AMQPError) {
        try link.declareExchange(fan(place), type: "fanout")
        try link.bind(place, to: fan(place))
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
