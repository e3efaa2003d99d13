import SluiceModel
import SluiceStore
import SluiceTestSupport
import Testing

@testable import SluiceSQL

@Suite("A pooler in transaction mode", .enabled(if: PostgresPooler.isInstalled))
struct PoolerTests {
    @Test("P7 a store behind a pooler works, and says what it does without")
    func pooled() throws {
        let server = try PostgresServer.shared()
        let pooler = try PostgresPooler(before: server)
        let place = try ServerPlace()
        let direct = try place.open()
        defer { direct.close() }
        #expect(direct.lack == nil)
        #expect(direct.shownKind == "postgresql")
        try direct.makeQueue("q")
        let store = try PostgresStore.open(
            address: pooler.address, schema: place.schema, machineFolder: "\(server.folder)/locks")
        defer { store.close() }
        #expect(store.shownKind == "postgresql, pooled")
        #expect(store.lack?.sentence.contains("once a second") == true)
        // One transaction after another, in any server process.
        for name in ["r", "s", "t"] { try store.makeQueue(name) }
        #expect(try store.queueNames() == ["q", "r", "s", "t"])
        #expect(try direct.queueNames() == ["q", "r", "s", "t"])
    }
}
