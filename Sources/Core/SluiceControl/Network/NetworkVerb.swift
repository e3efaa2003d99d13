import SluiceModel
import SluiceStore

/// Forces the network of a queue, or of the whole store, on or off (B6).
struct NetworkVerb: StoreVerb {
    /// On, off, or nil for measured.
    let forced: Bool?
    let queue: String?

    var verbName: String { "network" }

    func command(in text: CommandText) -> String {
        "network \(forced.map { $0 ? "on" : "off" } ?? "measured")"
            + (queue.map { " --queue \(ShellWord.quoted($0))" } ?? "")
    }

    func perform(in context: VerbContext) throws {
        if let queue { try force(of: queue, in: context) } else { try force(in: context) }
    }

    private func force(in context: VerbContext) throws {
        var record = try context.store.storeRecord()
        record.forcedNetwork = forced
        record.version += 1
        try context.store.put(record)
        let word = Self.word(forced)
        try context.journal(
            "network", queue: nil, "the network is \(word) by \(context.person)", undo: nil)
    }

    /// Forces the network of one queue, whatever the store's is (B6).
    private func force(of name: String, in context: VerbContext) throws {
        let queue = try context.mutation.queue(name)
        try context.mutation.changeQueue(queue.name) { $0.settings.forcedNetwork = forced }
        if forced == nil, let isOn = try context.store.storeRecord().forcedNetwork {
            context.answer.consequences.append(
                "it is forced \(isOn ? "on" : "off") for every queue")
        }
        let word = forced == nil ? "that of the store again" : Self.word(forced)
        try context.journal(
            "network", queue: queue.name,
            "the network of \(queue.name) is \(word) by \(context.person)",
            undo: try context.mutation.undoRecord(withQueue: queue.name))
    }

    private static func word(_ forced: Bool?) -> String {
        forced.map { $0 ? "forced on" : "forced off" } ?? "measured again"
    }
}

extension NetworkVerb {
    /// Reads the words of `network`.
    fileprivate init(_ arguments: Arguments) throws(QueueError) {
        let word = try arguments.one("on, off or measured")
        switch word {
        case "on": forced = true
        case "off": forced = false
        case "measured": forced = nil
        default: throw .badValue("network", word, allowed: "on, off, measured")
        }
        queue = try arguments.name("--queue", of: "queue")
    }
}

extension Verb {
    /// Forces the network of a queue, or of the whole store, on or off; nil measures it again.
    public static func network(forced: Bool?, queue: String? = nil) -> Verb {
        Verb(NetworkVerb(forced: forced, queue: queue))
    }
}

extension Action.ID {
    package static let network = Self("network")
}

extension Action {
    static let network = Action(
        .network, .store, "network",
        "force the network on or off for every worker, or one queue",
        Command(
            "network", "[on | off | measured]", [.choice(["on", "off", "measured"])],
            options: [Command.Option("--queue", .queue, "only for this queue")], changes: true)
    ) { words throws(QueueError) in
        Verb(try NetworkVerb(words))
    }
}
