/// A connection and its unparsed input.
struct RedisLink {
    let wire: ServerWire
    var reader: RedisReader

    func send(_ commands: [RedisCommand]) throws(RedisError) {
        var bytes: [UInt8] = []
        for command in commands { command.write(to: &bytes) }
        do {
            try wire.writeAll(bytes, timeoutMilliseconds: RedisConnection.timeoutMilliseconds)
        } catch {
            throw RedisError(.lost, "the server has gone: \(error.sentence)")
        }
    }

    mutating func receive(_ timeoutMilliseconds: Int) throws(RedisError) -> RedisValue {
        let deadline = SystemClock.monotonicMilliseconds() + Int64(timeoutMilliseconds)
        while true {
            if let value = try reader.next() { return value }
            let rest = deadline - SystemClock.monotonicMilliseconds()
            guard rest > 0 else {
                throw RedisError(
                    .lost, "the server does not answer within \(timeoutMilliseconds / 1000) s")
            }
            do {
                _ = try Poll.wait(
                    fds: [PollInterest(wire.descriptor)], timeoutMilliseconds: Int(rest))
            } catch {
                throw RedisError(.lost, error.sentence)
            }
            try take()
        }
    }

    mutating func arrived() throws(RedisError) -> [RedisValue] {
        try take()
        var found: [RedisValue] = []
        while let value = try reader.next() { found.append(value) }
        return found
    }

    private mutating func take() throws(RedisError) {
        do {
            switch try wire.read() {
            case .bytes(let bytes): reader.add(bytes)
            case .nothingYet: break
            case .end: throw RedisError(.lost, "the server ended the connection")
            }
        } catch let error as RedisError {
            throw error
        } catch let error as SystemError {
            throw RedisError(.lost, "the server has gone: \(error.sentence)")
        } catch {
            throw RedisError(.lost, "\(error)")
        }
    }
}
