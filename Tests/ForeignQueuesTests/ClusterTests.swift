import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("clusters of Redis", .enabled(if: RedisServer.isInstalled), .serialized)
struct ClusterTests {
    private static func open(
        _ address: String, as system: String? = nil
    ) throws -> ForeignStore {
        try ForeignStore.open(address, as: system, keepers: KeeperLauncher { _, _ in })
    }

    /// Writes a scenario of BullMQ's own library.
    private static func play(
        _ scenario: String, _ names: Fixture.Names = [:], in nodes: RedisNodes
    ) throws {
        let connections = try nodes.servers.map { try $0.connect() }
        for command in try Fixture.commands("bullmq", scenario, names) {
            for connection in connections {
                let answer = try connection.pipeline([command])[0]
                if case .refusal(let text) = answer, text.starts(with: "MOVED".utf8) { continue }
                _ = try answer.accepted()
                break
            }
        }
    }

    private static func waiting(_ queue: String, in nodes: RedisNodes) throws -> [String] {
        // A pause of a version before 6 renames the list.
        try ["wait", "paused"].flatMap { place in
            try nodes.call("LRANGE", "\(queue):\(place)", 0, -1).answer.array.compactMap(\.text)
                .reversed()
        }
    }

    @Test(
        "X1 X2 queues of BullMQ at any node are one store, are held, changed and given back there",
        arguments: [nil, "bullmq:6"] as [String?])
    func queues(version: String?) throws {
        let nodes = try RedisNodes()
        let names = ["{blue}:mail", "{bull}:mail", "{red}:mail"]
        try Self.play("braces", in: nodes)
        if let version {
            for name in names { try nodes.call(BullMQBench.version(version, of: name)) }
        }
        let places = try names.map { try nodes.call("EXISTS", "\($0):meta").node }
        #expect(places == [0, 1, 2])
        let store = try Self.open(nodes.servers[2].address())
        #expect(try store.queues().map(\.name) == names)
        #expect(try store.queues().map(\.waiting) == [3, 3, 3])
        let before = try store.stamp()
        for name in names { _ = try store.place(of: name).system.hold(name, RQBench.note) }
        #expect(try store.queues().map(\.held) == [3, 3, 3])
        #expect(try store.stamp() != before)
        let system = try store.place(of: names[0]).system
        let paused = try nodes.call("HGET", "{red}:mail:meta", "paused").answer
        #expect(paused.text == "1")
        _ = try system.change("b3", .move(.first), by: "dana")
        _ = try system.change("c3", .move(.first), by: "dana")
        _ = try system.change("a", .delete, by: "dana")
        #expect(try Self.waiting("{bull}:mail", in: nodes) == ["b3", "b", "b2"])
        #expect(try Self.waiting("{blue}:mail", in: nodes) == ["a2", "a3"])
        let undone = try (0..<3).map { _ in try system.undo(by: "dana")?.changed }
        #expect(
            undone == [["{blue}:mail:a"], ["{red}:mail:c3"], ["{bull}:mail:b3"]],
            "the last one first, in whichever slot")
        #expect(try system.undo(by: "dana") == nil)
        for name in names { _ = try store.place(of: name).system.release(name) }
        for (name, id) in zip(names, ["a", "b", "c"]) {
            #expect(try Self.waiting(name, in: nodes) == [id, "\(id)2", "\(id)3"])
        }
    }

    @Test("a slot that moves to another node while it is looked at is followed")
    func moved() throws {
        let nodes = try RedisNodes()
        try Self.play("letters", ["bull:": "{bull}:"], in: nodes)
        let store = try Self.open(nodes.servers[0].address(), as: "bullmq")
        #expect(try store.queues().map(\.waiting) == [2])
        try nodes.moveSlot(of: "{bull}:mail:meta")
        #expect(try nodes.call("EXISTS", "{bull}:mail:meta").node == 2)
        #expect(try store.queues().map(\.waiting) == [2])
        let system = try store.place(of: "{bull}:mail").system
        _ = try system.hold("{bull}:mail", RQBench.note)
        #expect(try store.queues().map(\.held) == [2])
    }

    @Test("what would lie in several slots is refused with the reason, before anything is done")
    func spread() throws {
        let nodes = try RedisNodes()
        let address = nodes.servers[0].address()
        func refusal(_ system: String?) -> QueueError? {
            #expect(throws: QueueError.self) { try Self.open(address, as: system) }
        }
        #expect(refusal(nil)?.message == "\(address) holds none of bullmq")
        #expect(refusal(nil)?.fix.contains("prefix in braces") == true)
        #expect(
            refusal("rq")?.message
                == "\(address) is a node of a cluster: the keys of rq lie in several of its slots")
        try Self.play("letters", in: nodes)
        let system = try Self.open(address).systems[0]
        #expect(try system.queues().map(\.name) == ["mail"])
        for act in [
            { _ = try system.hold("mail", RQBench.note) },
            { _ = try system.change("a", .delete, by: "dana") },
        ] {
            let error = #expect(throws: QueueError.self) { try act() }
            #expect(error?.message == "the keys of mail lie in several slots of the cluster")
        }
        #expect(try Self.waiting("bull:mail", in: nodes) == ["a", "b"])
        let lone = try RedisServer(
            options: ["--cluster-enabled", "yes", "--cluster-port", "\(RedisServer.freePort())"])
        let error = #expect(throws: QueueError.self) { try Self.open(lone.address()) }
        #expect(error?.code == .notAStore)
        #expect(error?.message.contains("a cluster that has no slots yet") == true)
    }
}
