package import SluiceSystem

/// A Redis cluster for tests: three masters at the loopback address, each with a third of the
/// slots. It goes with this value, or with this process, however that ends.
package final class RedisNodes: Sendable {
    /// The masters, in the order of their slots.
    package let servers: [RedisServer]

    /// Makes one and waits until every node knows all slots.
    package init() throws {
        let buses = try (0..<3).map { _ in try RedisServer.freePort() }
        servers = try buses.map { bus in
            try RedisServer(options: ["--cluster-enabled", "yes", "--cluster-port", "\(bus)"])
        }
        for (number, server) in servers.enumerated() {
            let redis = try server.connect()
            let first = number * 5462
            try redis.call("CLUSTER", "ADDSLOTSRANGE", first, min(first + 5461, 16_383))
            guard number > 0 else { continue }
            try redis.call("CLUSTER", "MEET", "127.0.0.1", Int(servers[0].port), Int(buses[0]))
        }
        for _ in 0..<1200 {
            let isReady = try servers.allSatisfy { server in
                let redis = try server.connect()
                return try redis.call("CLUSTER", "INFO").text?.contains("cluster_state:ok") == true
                    && redis.call("CLUSTER", "SLOTS").array.count == 3
            }
            if isReady { return }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 50)
        }
        throw ServerFailure("the nodes do not become a cluster")
    }

    /// Asks the node that has the slot of a key; gives its number too.
    @discardableResult
    package func call(
        _ name: String, _ key: String, _ words: any RedisWord...
    ) throws -> (node: Int, answer: RedisValue) {
        try call(RedisCommand(name, words: [Array(key.utf8)] + words.map(\.redisBytes)))
    }

    /// The same with a whole command, whose first word after its name is the key.
    @discardableResult
    package func call(_ command: RedisCommand) throws -> (node: Int, answer: RedisValue) {
        for (number, server) in servers.enumerated() {
            let answer = try server.connect().pipeline([command])[0]
            if case .refusal(let text) = answer, text.starts(with: "MOVED".utf8) { continue }
            return (number, try answer.accepted())
        }
        throw ServerFailure("no node has the slot of \(command.words[1])")
    }

    /// Moves the slot of a key with its content to the next node.
    package func moveSlot(of key: String) throws {
        let number = try call("EXISTS", key).node
        let target = (number + 1) % servers.count
        let redis = try servers.map { try $0.connect() }
        let slot = try redis[0].call("CLUSTER", "KEYSLOT", key).integer ?? 0
        let ids = try redis.map { try $0.call("CLUSTER", "MYID").text ?? "" }
        try redis[target].call("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[number])
        try redis[number].call("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[target])
        let keys = try redis[number].call("CLUSTER", "GETKEYSINSLOT", slot, 1000)
        try redis[number].call(
            RedisCommand(
                "MIGRATE",
                words: ["127.0.0.1", "\(servers[target].port)", "", "0", "5000", "KEYS"]
                    .map(\.redisBytes) + keys.array.compactMap(\.bytes)))
        for place in [target, number] + redis.indices.filter({ ![target, number].contains($0) }) {
            try redis[place].call("CLUSTER", "SETSLOT", slot, "NODE", ids[target])
        }
    }
}
