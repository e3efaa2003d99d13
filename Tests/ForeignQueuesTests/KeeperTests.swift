import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceForeignQueues

@Suite("the process that holds a queue", .enabled(if: RedisServer.isInstalled))
struct KeeperTests {
    @Test("a server that says nothing any more is gone for the process that holds")
    func silence() throws {
        let server = try RedisServer(options: ["--enable-debug-command", "yes"])
        let address = try RedisAddress(server.address())
        try server.connect().call(
            "HSET", "{rq:queue:mail}:sluice:hold", "by", "dana", "since", "1000")
        let (isHolding, ended) = (Protected(false), Protected<String?>(nil))
        let thread = try Thread(name: "keeper") {
            do {
                let keeper = try GuardPool(
                    [WorkList("rq:queue:mail", takes: .left)], at: address, guards: 32,
                    restMilliseconds: 100)
                isHolding.withLock { $0 = true }
                try keeper?.run()
                ended.withLock { $0 = "without an error" }
            } catch {
                ended.withLock { $0 = "\(error)" }
            }
        }
        try until("it holds") { isHolding.withLock { $0 } }
        // Like a vanished machine, this one closes no connection.
        let other = try server.connect()
        try other.send([RedisCommand("DEBUG", "SLEEP", "5")])
        thread.join()
        #expect(ended.withLock { $0 } == "the server says nothing any more")
    }
}
