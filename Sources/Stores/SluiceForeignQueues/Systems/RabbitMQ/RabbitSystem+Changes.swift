import SluiceModel
import SluicePlatform

/// The verbs on single held or skipped tasks.
extension RabbitSystem {
    private static let undoLimit: Int64 = 500

    func change(
        _ reference: String, _ change: ForeignChange, by person: String
    ) throws -> ForeignAnswer {
        try check(change.verb)
        let task = try require(reference).task
        try check(change.verb, on: task)
        guard task.display == .held || task.display == .skipped else {
            throw QueueError.notLegal(
                "task \(reference) is not held: a broker gives no single message out",
                fix: "sluice \(ShellWord.command("pause", task.queue)) first")
        }
        let queue = task.queue
        let places = (
            held: RabbitPlaces.held(queue), skipped: RabbitPlaces.skipped(queue),
            from: task.display == .held ? RabbitPlaces.held(queue) : RabbitPlaces.skipped(queue)
        )
        let target: String
        switch change {
        case .skip: target = places.skipped
        case .unskip: target = try isHeld(queue) ? places.held : queue
        default: target = RabbitPlaces.undo
        }
        try prepare(queue, isSkipping: change == .skip)
        let shelf = RabbitShelf(link: try session())
        defer { try? shelf.link.closeChannel() }
        try shelf.seize(places.from)
        try shelf.link.beginTransactions()
        guard
            let found = try find(reference, of: queue, in: places.from, by: shelf, task.display)
        else { throw QueueError.notHeldAnyMore(task) }
        try perform(change, found, from: places.from, to: target, by: person, shelf)
        return ForeignAnswer(changed: [reference], consequences: consequences(change, target))
    }

    private func consequences(_ change: ForeignChange, _ target: String) -> [String] {
        switch change {
        case .skip: ["it is kept in \(target) until it is unskipped"]
        case .unskip: ["it comes last"]
        default: []
        }
    }

    /// Makes the queues that a change needs.
    private func prepare(_ queue: String, isSkipping: Bool) throws {
        let told = try told(queue) ?? told(RabbitPlaces.held(queue)) ?? [:]
        if isSkipping {
            try declareAside(RabbitPlaces.skipped(queue), told, nil, by: try session())
        }
        let link = try session()
        if try link.depth(of: RabbitPlaces.undo) == nil {
            try link.declareDurable(
                RabbitPlaces.undo, ["x-max-length": .integer(Self.undoLimit)])
        }
    }

    private func perform(
        _ change: ForeignChange, _ found: (delivery: AMQPDelivery, task: ForeignTask),
        from source: String, to target: String, by person: String, _ shelf: RabbitShelf
    ) throws {
        var random = SystemRandom()
        var entry: JSONObject = [
            "id": .string(CeleryRemote.uuid(&random)), "by": .string(person),
            "verb": .string(change.verb.rawValue),
            "task": .string(found.task.reference), "queue": .string(found.task.queue),
            "from": .string(source), "to": .string(target),
        ]
        guard change == .delete else {
            let kept = try AMQPContent(json: .object(entry))
            return try shelf.move(
                found.delivery, from: source, to: target,
                target == found.task.queue ? .back : .aside, with: kept)
        }
        let content = found.delivery.content
        entry["properties"] = .string(Base64.encode(content.properties))
        entry["body"] = .string(Base64.encode(content.body))
        let link = shelf.link
        try link.publish(
            try AMQPContent(json: .object(entry)), exchange: "", key: target, mandatory: true)
        try link.acknowledge(found.delivery.tag)
        guard try link.commit().isEmpty else {
            try link.publish(content, exchange: "", key: source, mandatory: true)
            _ = try link.commit()
            throw QueueError(
                .changed, "there is no queue \(target) any more: nothing is deleted",
                fix: "repeat the verb")
        }
    }
}
