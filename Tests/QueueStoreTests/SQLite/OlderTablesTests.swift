import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceSQL

@Suite("tables of older versions")
struct OlderTablesTests {
    @Test(
        "P4 T4 a store of an older version gets what came later", arguments: 1..<Schema.version)
    func older(version: Int) throws {
        let place = try Place()
        try Files.writeAtomically([], to: place.path)
        let app = try App(place)
        for step in Schema.history.migrations[..<version] {
            for statement in step.statements { try app.run(statement) }
        }
        try app.run(
            """
            UPDATE sluice_schema SET version = \(version);
            INSERT INTO sluice_store (identity, durability, pauses, version)
            VALUES ('i', 'full', '[]', 1);
            """)
        let before = try place.bytes()
        let refusal = #expect(throws: QueueError.self) {
            try place.open(readOnly: true, createIfMissing: false)
        }
        #expect(refusal?.code == .readOnly)
        let words = "tables have version \(version), this program reads version \(Schema.version)"
        #expect(refusal?.message.contains(words) == true, "\(refusal?.message ?? "")")
        #expect(refusal?.fix.contains("sluice queues --store") == true)
        #expect(refusal?.fix.contains("open a copy") == true)
        #expect(try place.bytes() == before)
        let store = try place.open(createIfMissing: false)
        #expect(store.upgradedFrom == version)
        try store.writeBlocking { try $0.put(QueueRecord(name: "q", createdAt: at(0))) }
        try App(place).enqueue(["a"])
        try store.writeBlocking { _ in }
        #expect(try place.waiting(store).map(\.type) == ["a"])
        #expect(try place.sql("SELECT version FROM sluice_schema") == ["\(Schema.version)"])
        store.close()
        let again = try place.open(createIfMissing: false)
        #expect(again.upgradedFrom == nil)
        again.close()
    }
}
