import SluiceModel

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
