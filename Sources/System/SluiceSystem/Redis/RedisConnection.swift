/// One connection to a Redis server, used by one thread at a time.
///
/// Every wait has a limit. Commands that block in the server need a separate connection. After it
/// has joined a cluster, commands go to the nodes of their keys. Commands sent without a response,
/// and its number, concern only its own server.
package final class RedisConnection {
    /// How long an answer may take, unless a call says otherwise.
    package static let timeoutMilliseconds = 10_000

    package let address: RedisAddress
    /// The server that it leads to: the address itself, or the master that a sentinel named.
    package let server: RedisAddress
    /// The names of keys that questions look for.
    package let keys = KeySurvey()
    /// The same, of sorted sets alone.
    package let sortedSets = KeySurvey(type: "zset")
    package let lists = KeySurvey(type: "list")
    package let streams = KeySurvey(type: "stream")
    /// Whether this connection has tried every command for changes without a refusal.
    package var mayChange = false
    /// The server's number of this connection, used by others to unblock it.
    package let id: Int64
    private let wire: ServerWire
    private let name: String
    private var reader = RedisReader()
    private var cluster: RedisCluster?
    private var isLost = false

    /// Connects, authenticates, chooses the database and names the connection.
    package init(_ address: RedisAddress, name: String = "sluice") throws(RedisError) {
        self.address = address
        self.name = name
        let place = try RedisSentinels.server(of: address)
        var server = address
        (server.place, server.sentinelPassword) = (.server(place), nil)
        self.server = server
        wire = try ServerWire(
            to: place, address.tls, timeoutMilliseconds: Self.timeoutMilliseconds)
        var greeting: [RedisCommand] = []
        if let password = address.password {
            greeting.append(
                address.user.map { RedisCommand("AUTH", $0, password) }
                    ?? RedisCommand("AUTH", password))
        }
        if address.database != 0 { greeting.append(RedisCommand("SELECT", address.database)) }
        if server != address { greeting.append(RedisCommand("ROLE")) }
        greeting.append(RedisCommand("CLIENT", "SETNAME", name))
        greeting.append(RedisCommand("CLIENT", "ID"))
        var link = RedisLink(wire: wire, reader: RedisReader())
        try link.send(greeting)
        var answers: [RedisValue] = []
        for _ in greeting { answers.append(try link.receive(Self.timeoutMilliseconds)) }
        // A role may lack the right to name its connection; later replies show missing rights that
        // matter.
        for (command, answer) in zip(greeting, answers)
        where command.words[0] != Array("CLIENT".utf8) {
            let said = try answer.accepted()
            // Sentinels name the old one until all of them have heard of the new.
            if command.words[0] == Array("ROLE".utf8), said.array.first?.text != "master" {
                wire.close()
                throw RedisError(
                    .connecting, "\(server.name) is not the master: a new one is being chosen")
            }
        }
        if case .refusal(let text) = answers[greeting.count - 1],
            text.starts(with: "NOAUTH".utf8)
        {
            throw RedisError(refusal: text)
        }
        id = answers.last?.integer ?? 0
        reader = link.reader
    }

    /// The descriptor to poll for arriving data.
    package var descriptor: Int32 { wire.descriptor }

    /// Whether the connection is open, as far as known.
    package var isOpen: Bool { !isLost && wire.descriptor >= 0 }

    /// Closes it and drops outstanding commands.
    package func close() { wire.close() }

    /// Whether the keys lie at several servers.
    package var isCluster: Bool { cluster != nil }

    /// Asks the other nodes of its cluster too from now on, each for the keys that it has.
    package func joinCluster() throws(RedisError) {
        cluster = try RedisCluster(self, name: name)
    }

    /// Asks, and waits for the answer; throws what the server refuses.
    @discardableResult
    package func call(
        _ command: RedisCommand, timeoutMilliseconds: Int = timeoutMilliseconds
    ) throws(RedisError) -> RedisValue {
        if let cluster { return try cluster.pipeline([command])[0].accepted() }
        try send([command])
        return try receive(timeoutMilliseconds: timeoutMilliseconds).accepted()
    }

    /// Asks, and waits for the answer; throws what the server refuses.
    @discardableResult
    package func call(_ words: any RedisWord...) throws(RedisError) -> RedisValue {
        try call(RedisCommand("", words: []).replaced(by: words.map(\.redisBytes)))
    }

    /// Asks several things in one round trip; a refusal is an answer like others.
    package func pipeline(_ commands: [RedisCommand]) throws(RedisError) -> [RedisValue] {
        if let cluster { return try cluster.pipeline(commands) }
        // Long lists go in pieces, so that no side blocks the other while writing.
        var answers: [RedisValue] = []
        var rest = commands[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1000)
            rest = rest.dropFirst(piece.count)
            try send(Array(piece))
            for _ in piece { answers.append(try receive()) }
        }
        return answers
    }

    /// The names of a part of all keys, optionally of one type, and the cursor of the next part;
    /// `0` is the start and the end.
    package func scan(
        from cursor: String, count: Int, type: String? = nil
    ) throws(RedisError) -> (next: String, names: [[UInt8]]) {
        if let cluster { return try cluster.scan(from: cursor, count: count, type: type) }
        let words = [cursor, "COUNT", String(count)] + (type.map { ["TYPE", $0] } ?? [])
        let answer = try call(RedisCommand("SCAN", words: words.map(\.redisBytes))).array
        guard answer.count == 2 else { return ("0", []) }
        return (answer[0].text ?? "0", answer[1].array.compactMap(\.bytes))
    }

    /// Sends without waiting for answers.
    package func send(_ commands: [RedisCommand]) throws(RedisError) {
        try during { link throws(RedisError) in try link.send(commands) }
    }

    /// The next response; throws `lost` if it does not arrive in time.
    package func receive(
        timeoutMilliseconds: Int = timeoutMilliseconds
    ) throws(RedisError) -> RedisValue {
        try during { link throws(RedisError) in try link.receive(timeoutMilliseconds) }
    }

    /// The answers that have arrived; never waits.
    package func arrived() throws(RedisError) -> [RedisValue] {
        try during { link throws(RedisError) in try link.arrived() }
    }

    private func during<Value>(
        _ body: (inout RedisLink) throws(RedisError) -> Value
    ) throws(RedisError) -> Value {
        guard isOpen else { throw RedisError(.lost, "the connection has ended") }
        var link = RedisLink(wire: wire, reader: reader)
        // Avoids a copy during the read.
        reader = RedisReader()
        defer { reader = link.reader }
        do {
            return try body(&link)
        } catch {
            if error.refusal == nil { isLost = true }
            throw error
        }
    }
}

extension RedisCommand {
    fileprivate func replaced(by words: [[UInt8]]) -> RedisCommand {
        var command = self
        command.words = words
        return command
    }
}
