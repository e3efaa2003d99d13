import SluiceControl
import SluiceModel
import SluiceStore
import Testing

/// The filters that lie in a store, for everybody (F1).
@Suite("Filters of the store")
struct SharedFilterTests {
    private func filters(_ bench: Bench) throws -> [String: String] {
        try bench.read { try $0.storeRecord().filters }
    }

    @Test("F1 D9 saving and removing one is journalled, and undone", arguments: Engine.all)
    func undone(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let saved = try bench.perform(.saveFilter("type:mail", as: "@mail"))
        #expect(saved.summary == "filter @mail saved by ann: type:mail")
        #expect(try filters(bench) == ["mail": "type:mail"])
        #expect(try bench.perform(.saveFilter("type:mail", as: "mail")).undo == nil)
        try bench.perform(.removeFilter("mail"), by: "bob")
        let last = try #require(bench.events().last)
        #expect(last.kind == "filterRemove" && last.by == "bob")
        #expect(last.text == "filter @mail removed by bob")
        #expect(last.script == "sluice filter remove mail --shared")
        // A filter removed by another person since then is not undone.
        #expect(try bench.refusal(.undo(event: saved.undo)) == .changed)
        try bench.perform(.undo(event: nil), by: "bob")
        #expect(try filters(bench) == ["mail": "type:mail"])
        try bench.perform(.redo, by: "bob")
        #expect(try filters(bench) == [:])
        try bench.perform(.undo(event: nil), by: "bob")
        try bench.perform(.undo(event: saved.undo))
        #expect(try filters(bench) == [:])
    }

    @Test("F1 one on which another stands is neither removed nor taken back", arguments: Engine.all)
    func standsOn(_ engine: Engine) throws {
        let bench = try Bench(engine)
        let saved = try bench.perform(.saveFilter("type:mail", as: "mail"))
        try bench.perform(.saveFilter("@mail age>1h", as: "old"))
        #expect(try bench.refusal(.removeFilter("mail")) == .badName)
        #expect(try bench.refusal(.undo(event: saved.undo)) == .badName)
        #expect(try filters(bench).keys.sorted() == ["mail", "old"])
        #expect(try bench.refusal(.saveFilter("@none", as: "x")) == .badFilter)
        #expect(try bench.refusal(.removeFilter("none")) == .badName)
    }

    @Test("G7 a filter that begins with a minus is spelled as a shell takes it")
    func spelled() throws {
        let bench = try Bench(.memory)
        try bench.perform(.saveFilter("-type:mail", as: "rest"))
        #expect(
            try bench.events().last?.script == "sluice filter save --shared -- rest -type:mail")
    }
}
