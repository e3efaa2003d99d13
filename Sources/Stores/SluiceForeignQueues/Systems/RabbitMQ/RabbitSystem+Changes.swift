import SluiceModel
import SluiceSystem

/// The verbs on single held or skipped tasks.
extension RabbitSystem {
    private static let undoLimit: Int64 = 500

    func change(
        _ reference: String, _ change: ForeignChange, by author: ForeignAuthor
    ) throws -> ForeignAnswer {
        try check(change.verb)
        let task = try require(reference).task
        try check(change.verb, on: task)
        if change == .retry { return try retry(task, by: author) }
        let isDead = task.display == .failed
        guard isDead || task.display == .held || task.display == .skipped else {
            throw QueueError.notLegal(
                "task \(reference) is not held: a broker gives no single message out",
                fix: "sluice \(ShellWord.command("pause", task.queue)) first")
        }
        let queue = task.queue
        let (held, skipped) = (RabbitPlaces.held(queue), RabbitPlaces.skipped(queue))
        let source = isDead ? queue : task.display == .held ? held : skipped
        let target: String
        switch change {
        case .skip: target = skipped
        case .unskip: target = try isHeld(queue) ? held : queue
        case .edit: target = source
        case .priority:
            guard let told = try told(source), told["arguments"]?["x-max-priority"] != nil else {
                throw QueueError.notLegal(
                    "\(queue) has no priorities", fix: "its app gives it an x-max-priority")
            }
            target = source
        default: target = RabbitPlaces.undo
        }
        try prepare(queue, isSkipping: change == .skip)
        if target != RabbitPlaces.undo {
            try RabbitPlaces.declareFan(target, by: try session())
        }
        let (shelf, found) = try seize(source, for: reference, of: queue, task.display)
        defer { try? shelf.link.closeChannel() }
        guard let found else { throw QueueError.notHeldAnyMore(task) }
        return try perform(change, found, from: source, to: target, by: author, shelf)
    }

    /// Becomes the only reader of a queue of this program, and finds a task, or its first one.
    func seize(
        _ place: String, for reference: String?, of queue: String, _ display: ForeignTask.Display
    ) throws -> (shelf: RabbitShelf, found: (delivery: AMQPDelivery, task: ForeignTask)?) {
        func seize(
            _ ahead: UInt16
        ) throws -> (shelf: RabbitShelf, found: (delivery: AMQPDelivery, task: ForeignTask)?) {
            let shelf = RabbitShelf(link: try session())
            try shelf.seize(place, ahead: ahead)
            try shelf.link.beginTransactions()
            let found = try find(
                reference, of: queue, in: place, by: shelf, display, limit: ahead)
            return (shelf, found)
        }
        guard reference != nil else { return try seize(1) }
        let first = try seize(RabbitShelf.firstAhead)
        return first.found == nil ? try seize(RabbitShelf.ahead) : first
    }

    /// Brings a dead-lettered message back to the queue that it came from.
    private func retry(_ task: ForeignTask, by author: ForeignAuthor) throws -> ForeignAnswer {
        guard let origin = try found(task.reference)?.message.origin else {
            throw QueueError.notLegal(
                "task \(task.reference) was not dead-lettered: it waits to be executed")
        }
        guard try session().depth(of: origin.queue) != nil else {
            throw QueueError(
                .changed, "there is no queue \(origin.queue) any more, where it died",
                fix: "make it again as its app does, then repeat")
        }
        let isHeld = try isHeld(origin.queue)
        let target = isHeld ? RabbitPlaces.held(origin.queue) : origin.queue
        try prepare(task.queue, isSkipping: false)
        try RabbitPlaces.declareFan(target, by: try session())
        let shelf = RabbitShelf(link: try session())
        defer { try? shelf.link.closeChannel() }
        let source: String
        switch task.display {
        case .held: source = RabbitPlaces.held(task.queue)
        case .skipped: source = RabbitPlaces.skipped(task.queue)
        default: source = task.queue
        }
        if source == task.queue {
            try shelf.link.consume(
                source, as: RabbitPlaces.tagPrefix + "retry", ahead: RabbitShelf.ahead,
                priority: Self.priority)
        } else {
            try shelf.seize(source)
        }
        try shelf.link.beginTransactions()
        let display = task.display
        guard
            var found = try find(task.reference, of: task.queue, in: source, by: shelf, display)
        else { throw QueueError.notHeldAnyMore(task) }
        let entry = entry(.retry, found, from: source, to: target, by: author)
        found.delivery.routingKey = origin.key
        try shelf.move(
            found.delivery, from: source, to: target, isHeld ? .aside : .back,
            with: try AMQPContent(json: .object(entry)))
        return ForeignAnswer(
            changed: [task.reference],
            consequences: ["it is in \(origin.queue)\(isHeld ? ", held" : ""), and comes last"])
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

    private func entry(
        _ verb: ForeignVerb, _ found: (delivery: AMQPDelivery, task: ForeignTask),
        from source: String, to target: String, by author: ForeignAuthor
    ) -> JSONObject {
        var random = SystemRandom()
        let task = found.task
        return [
            "id": .string(CeleryRemote.uuid(&random)), "by": .string(author.person),
            "verb": .string(verb.rawValue), "task": .string(task.reference),
            "queue": .string(task.queue), "from": .string(source), "to": .string(target),
            "deed": JSONValue(author.deed), "key": .string(found.delivery.routingKey),
        ]
    }

    private func perform(
        _ change: ForeignChange, _ found: (delivery: AMQPDelivery, task: ForeignTask),
        from source: String, to target: String, by author: ForeignAuthor, _ shelf: RabbitShelf
    ) throws -> ForeignAnswer {
        let queue = found.task.queue
        var entry = entry(change.verb, found, from: source, to: target, by: author)
        var answer = ForeignAnswer(changed: [found.task.reference])
        let content = found.delivery.content
        func keep() {
            entry["properties"] = .string(Base64.encode(content.properties))
            entry["body"] = .string(Base64.encode(content.body))
        }
        let changed: AMQPContent?
        switch change {
        case .delete:
            keep()
            try delete(found.delivery, from: source, try AMQPContent(json: .object(entry)), shelf)
            return answer
        case .edit(let value): changed = try RabbitMessage.edited(content, in: queue, value)
        case .priority(let priority):
            guard let priority = UInt8(exactly: priority) else {
                throw QueueError(.badValue, "the priority \(priority) is not from 0 to 255")
            }
            changed = try content.with(priority: priority)
        case .skip:
            changed = nil
            answer.consequences = ["it is kept in \(target) until it is unskipped"]
        default:
            changed = nil
            answer.consequences = ["it comes last"]
        }
        if let changed {
            keep()
            answer.consequences = [
                change.verb == .edit ? "it comes last" : "it comes last of those with its priority"
            ]
            // An id that is made of the content changes with it.
            let id = RabbitMessage(changed, in: queue).id
            if id != RabbitMessage(content, in: queue).id {
                entry["task"] = .string(id)
                answer.changed = [id]
                answer.consequences.append("its id is \(id) now")
            }
        }
        try shelf.move(
            found.delivery, from: source, to: target, target == queue ? .back : .aside,
            as: changed, with: try AMQPContent(json: .object(entry)))
        return answer
    }

    /// Takes a message out of its queue, and keeps it for `undo`.
    private func delete(
        _ delivery: AMQPDelivery, from source: String, _ entry: AMQPContent, _ shelf: RabbitShelf
    ) throws {
        let link = shelf.link
        try link.publish(entry, exchange: "", key: RabbitPlaces.undo, mandatory: true)
        try link.acknowledge(delivery.tag)
        guard try link.commit().isEmpty else {
            try link.publish(delivery.content, exchange: "", key: source, mandatory: true)
            _ = try link.commit()
            throw QueueError(
                .changed, "there is no queue \(RabbitPlaces.undo) any more: nothing is deleted",
                fix: "repeat the verb")
        }
    }
}

/// A recorded change.
private struct RabbitEntry {
    let id, verb, task, queue, from, to: String
    let deed: String?
    /// The routing key that it came by.
    let key: String?
    /// The message as it was, deleted or changed; `nil` for a move.
    let content: AMQPContent?

    init?(_ content: AMQPContent, by person: String) {
        guard let told = try? JSONValue.parse(content.body), told["by"]?.string == person,
            let id = told["id"]?.string, let verb = told["verb"]?.string,
            let task = told["task"]?.string, let queue = told["queue"]?.string,
            let from = told["from"]?.string, let to = told["to"]?.string
        else { return nil }
        (self.id, self.verb, self.task, self.queue) = (id, verb, task, queue)
        (self.from, self.to) = (from, to)
        (deed, key) = (told["deed"]?.string, told["key"]?.string)
        let properties = told["properties"]?.string.flatMap(Base64.decode)
        let body = told["body"]?.string.flatMap(Base64.decode)
        self.content = properties.flatMap { properties in
            body.map { AMQPContent(properties: properties, body: $0) }
        }
    }
}

extension RabbitSystem {
    func undoLast(by author: ForeignAuthor) throws -> ForeignUndone? {
        guard try session().depth(of: RabbitPlaces.undo) != nil else { return nil }
        var last: RabbitEntry?
        _ = try eachAside(RabbitPlaces.undo, limit: Int(RabbitShelf.ahead)) { delivery in
            last = RabbitEntry(delivery.content, by: author.person) ?? last
            return true
        }
        guard let last, author.deed == nil || author.deed == last.deed else { return nil }
        let isThere = try session().depth(of: last.from) != nil
        // A hold that has ended gave all of it back.
        let target = isThere ? last.from : last.queue
        let isTarget = try session().depth(of: target) != nil
        if isTarget { try RabbitPlaces.declareFan(target, by: try session()) }
        let shelf = RabbitShelf(link: try session())
        defer { try? shelf.link.closeChannel() }
        var moved: AMQPDelivery?
        // Messages that were returned to the workers stay there.
        let isAside = RabbitPlaces.isOwn(last.to) && last.to != RabbitPlaces.undo
        if isAside, try session().depth(of: last.to) != nil {
            try shelf.seize(last.to)
            moved = try find(last.task, of: last.queue, in: last.to, by: shelf)?.delivery
        }
        try shelf.seize(RabbitPlaces.undo)
        try shelf.link.beginTransactions()
        let entry = try entry(last.id, by: shelf)
        guard let content = last.content ?? moved?.content, !isAside || moved != nil else {
            try shelf.link.acknowledge(entry.tag)
            _ = try shelf.link.commit()
            return ForeignUndone(last.task, last.verb, deed: last.deed, isLate: true)
        }
        try shelf.link.acknowledge(entry.tag)
        if let moved { try shelf.link.acknowledge(moved.tag) }
        try shelf.put(
            content, into: target, isBack: target == last.queue, key: isTarget ? last.key : nil)
        return ForeignUndone(
            last.task, last.verb, deed: last.deed, consequences: ["it comes last"])
    }

    private func entry(_ id: String, by shelf: RabbitShelf) throws -> AMQPDelivery {
        var found: AMQPDelivery?
        _ = try shelf.each(of: RabbitPlaces.undo) { delivery in
            let told = try? JSONValue.parse(delivery.content.body)
            if told?["id"]?.string == id { found = delivery }
            return found == nil
        }
        if let found { return found }
        throw QueueError(.changed, "another program took that change back", fix: "repeat the verb")
    }
}
