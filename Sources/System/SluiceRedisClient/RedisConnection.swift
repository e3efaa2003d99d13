import SluicePlatform

/// One connection to a Redis server, used by one thread at a time.
///
/// Every wait has an end. What blocks in the server belongs on a connection of its own.
package final class RedisConnection {
    /// How long an answer may take, unless a call says otherwise.
    package static let timeoutMilliseconds = 10_000

    /// What was asked for.
    package let address: RedisAddress
    /// The server that it leads to: the address itself, or the master that a sentinel named.
    package let server: RedisAddress
    /// The names of keys that questions look for.
    package let keys = KeySurvey()
    /// The server's number of this connection, by which others can unblock it.
    package let id: Int64
    private let wire: RedisWire
    private var reader = RedisReader()
    private var isLost = false

    /// Connects, says who asks, chooses the database and names the connection.
    package init(_ address: RedisAddress, name: String = "sluice") throws(RedisError) {
        self.address = address
        let place = try RedisSentinels.server(of: address)
        var server = address
        (server.place, server.sentinelPassword) = (.server(place), nil)
        self.server = server
        wire = try RedisWire(
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
        // A role may be kept from naming its connection; what follows says what it needs.
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

    /// What to wait on until something arrives.
    package var descriptor: Int32 { wire.descriptor }

    /// Whether the connection stands, as far as is known.
    package var isOpen: Bool { !isLost && wire.descriptor >= 0 }

    /// Closes it; what was asked and not answered is given up.
    package func close() { wire.close() }

    /// Asks, and waits for the answer; throws what the server refuses.
    @discardableResult
    package func call(
        _ command: RedisCommand, timeoutMilliseconds: Int = timeoutMilliseconds
    ) throws(RedisError) -> RedisValue {
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
        // Long rows go in pieces, so that neither side waits for the other to read.
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

    /// Sends without waiting for answers.
    package func send(_ commands: [RedisCommand]) throws(RedisError) {
        try during { link throws(RedisError) in try link.send(commands) }
    }

    /// The next answer to what was sent; throws `lost` when it does not come in time.
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
        // No copy while it is read.
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
