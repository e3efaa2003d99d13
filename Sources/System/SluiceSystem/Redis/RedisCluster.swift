/// The masters of a Redis cluster; each serves the keys of its slots. If a node refuses a command
/// because the slot moved, it is sent again to the slot's new node.
final class RedisCluster {
    private let address: RedisAddress
    private let name: String
    /// The slots of each master, in their order.
    private var parts: [(slots: ClosedRange<Int>, master: HostPort)] = []
    private var connections: [HostPort: RedisConnection] = [:]

    /// Asks a node who the masters are.
    init(_ node: RedisConnection, name: String) throws(RedisError) {
        address = node.server
        self.name = name
        try read(try node.call("CLUSTER", "SLOTS"))
    }

    /// The masters, each once.
    private var masters: [HostPort] {
        var seen: Set<HostPort> = []
        return parts.map(\.master).filter { seen.insert($0).inserted }
    }

    private func read(_ answer: RedisValue) throws(RedisError) {
        parts = answer.array.compactMap { part in
            let words = part.array
            guard words.count > 2, let first = words[0].integer, let last = words[1].integer,
                first <= last, let port = words[2].array.dropFirst().first?.integer,
                let port = UInt16(exactly: port)
            else { return nil }
            // A node without a name has the queried address.
            var host = words[2].array[0].text ?? ""
            if host.isEmpty, case .server(.address(let own, _)) = address.place { host = own }
            return (Int(first)...Int(last), HostPort(host: host, port: port))
        }.sorted { $0.slots.lowerBound < $1.slots.lowerBound }
        guard !parts.isEmpty else {
            throw RedisError(.unexpected, "it is a node of a cluster that has no slots yet")
        }
    }

    private func connection(to master: HostPort) throws(RedisError) -> RedisConnection {
        if let there = connections[master] { return there }
        var own = address
        own.place = .server(.address(host: master.host, port: master.port))
        let made = try RedisConnection(own, name: name)
        connections[master] = made
        return made
    }

    /// Sends several commands, each to the node of its key; the nodes one after the other.
    func pipeline(_ commands: [RedisCommand]) throws(RedisError) -> [RedisValue] {
        var answers = try ask(commands)
        let moved = answers.indices.filter { answers[$0].isMoved }
        guard let first = moved.first, let key = commands[first].key else { return answers }
        try read(try connection(to: try master(of: key)).call("CLUSTER", "SLOTS"))
        for (place, answer) in zip(moved, try ask(moved.map { commands[$0] })) {
            answers[place] = answer
        }
        return answers
    }

    private func master(of key: [UInt8]) throws(RedisError) -> HostPort {
        let slot = RedisSlot.of(key)
        guard let part = parts.first(where: { $0.slots.contains(slot) }) else {
            throw RedisError(
                .refused(word: "CLUSTERDOWN"), "no node of the cluster has the slot \(slot)")
        }
        return part.master
    }

    private func ask(_ commands: [RedisCommand]) throws(RedisError) -> [RedisValue] {
        var answers = [RedisValue](repeating: .none, count: commands.count)
        var places: [HostPort: [Int]] = [:]
        for (place, command) in commands.enumerated() {
            if let key = command.key {
                places[try master(of: key), default: []].append(place)
            } else {
                answers[place] = try everywhere(command)
            }
        }
        for (master, own) in places {
            let said = try connection(to: master).pipeline(own.map { commands[$0] })
            for (place, answer) in zip(own, said) { answers[place] = answer }
        }
        return answers
    }

    /// The combined responses of all masters: their texts joined by line, otherwise the first
    /// response.
    private func everywhere(_ command: RedisCommand) throws(RedisError) -> RedisValue {
        var all: [RedisValue] = []
        for master in masters {
            all += try connection(to: master).pipeline([command])
        }
        let texts = all.compactMap(\.bytes)
        guard texts.count == all.count else { return all[0] }
        return .bytes(Array(texts.joined(separator: [UInt8(ascii: "\n")])))
    }

    /// A part of the names of all masters: a place is the number of a master and its own cursor.
    func scan(
        from cursor: String, count: Int, type: String?
    ) throws(RedisError) -> (next: String, names: [[UInt8]]) {
        let words = cursor.split(separator: ":")
        let number = words.count == 2 ? Int(words[0]) ?? 0 : 0
        let all = masters
        guard number < all.count else { return ("0", []) }
        let (next, names) = try connection(to: all[number]).scan(
            from: words.count == 2 ? String(words[1]) : cursor, count: count, type: type)
        if next != "0" { return ("\(number):\(next)", names) }
        return (number + 1 < all.count ? "\(number + 1):0" : "0", names)
    }
}

extension RedisValue {
    fileprivate var isMoved: Bool {
        if case .refusal(let text) = self { return text.starts(with: "MOVED ".utf8) }
        return false
    }
}
