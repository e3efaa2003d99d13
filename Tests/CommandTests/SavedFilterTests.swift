import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("Saved filters")
struct SavedFilterTests {
    @Test("F1 a filter is saved under a name, which then stands for it")
    func saving() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "filters-")
        defer { try? Files.removeTree(folder) }
        var bench = Bench()
        bench.environment["XDG_CONFIG_HOME"] = folder
        _ = bench("enqueue mail welcome {} --quiet")
        _ = bench("enqueue mail digest {} --quiet")
        #expect(bench("filter list").output.contains("no filter is saved"))
        let saved = bench.run(["filter", "save", "news", "type:digest or type:letter"])
        #expect(saved.exit == .done && saved.output.contains("@news"))
        #expect(bench.run(["filter", "save", "@old", "@news attempts>=0"]).exit == .done)
        let text = try Files.read("\(folder)/sluice/filters", limitBytes: 1000)
        #expect(
            String(decoding: text, as: UTF8.self)
                == "news = type:digest or type:letter\nold = @news attempts>=0\n")
        let list = bench.run(["list", "--filter", "@old", "--json"])
        #expect(list.json["tasks"]?.array?.map { $0["id"]?.integer } == [2])
        let filters = bench("filter list --json").json["filters"]
        #expect(filters?.array?.map { $0["name"]?.string } == ["news", "old"])
        #expect(filters?[1]?["filter"]?.string == "@news attempts>=0")
        let needed = bench("filter remove news --json")
        #expect(needed.exit == .usage && needed.errors.contains("@old is made with @news"))
        #expect(bench("filter remove old").exit == .done)
        #expect(bench("filter remove @news").exit == .done)
        #expect(bench.run(["list", "--filter", "@news"]).exit == .usage)
    }

    @Test("F1 a filter that is saved with --shared lies in the store, for whoever opens it")
    func shared() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "filters-")
        defer { try? Files.removeTree(folder) }
        var bench = Bench()
        bench.environment["XDG_CONFIG_HOME"] = folder
        _ = bench("enqueue mail welcome {} --quiet")
        _ = bench("enqueue mail digest {} --quiet")
        let saved = bench.run(["filter", "save", "news", "type:digest", "--shared"])
        #expect(saved.exit == .done && saved.output.contains("@news"), "\(saved)")
        #expect(Files.kind("\(folder)/sluice/filters") == nil)
        #expect(bench.run(["filter", "save", "mine", "@news attempts>=0"]).exit == .done)
        #expect(
            bench("filter list --json").json["filters"]
                == [
                    ["name": "mine", "filter": "@news attempts>=0", "shared": false],
                    ["name": "news", "filter": "type:digest", "shared": true],
                ])
        func listed(_ filter: String) -> [Int64?]? {
            bench.run(["list", "--filter", filter, "--json"]).json["tasks"]?.array?.map {
                $0["id"]?.integer
            }
        }
        #expect(listed("@mine") == [2] && listed("-@news") == [1])
        // A person's filter overrides a shared one of the same name.
        #expect(bench.run(["filter", "save", "news", "type:welcome"]).exit == .done)
        #expect(listed("@news") == [1])
        #expect(bench("filter remove news").exit == .done)
        #expect(listed("@news") == [2])
        let refused = bench("filter remove news")
        #expect(refused.exit == .usage && refused.errors.contains("--shared"))
        let own = bench.run(["filter", "save", "other", "@mine", "--shared"])
        #expect(own.exit == .usage, "what lies in the store stands on nothing that does not")
        #expect(bench("filter remove news --shared").exit == .done)
        #expect(bench.run(["list", "--filter", "@news"]).exit == .usage)
        #expect(try bench.store.readBlocking { try $0.storeRecord().filters } == [:])
    }

    @Test("F1 D9 a filter of the store is journalled with who, and undone")
    func journalled() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "filters-")
        defer { try? Files.removeTree(folder) }
        var bench = Bench()
        bench.environment["XDG_CONFIG_HOME"] = folder
        _ = bench("enqueue mail digest {} --quiet")
        func shared() throws -> [String: String] {
            try bench.store.readBlocking { try $0.storeRecord().filters }
        }
        let saved = bench.run(["filter", "save", "news", "type:digest", "--shared"])
        #expect(saved.output.contains("undo with: sluice undo"), "\(saved.output)")
        _ = bench.run(["filter", "save", "news", "type:letter", "--shared"])
        let removed = bench("filter remove news --shared --json")
        #expect(removed.json["undo"]?.integer != nil, "\(removed.output)")
        let log = bench("log --json").json["events"]?.array ?? []
        let lines = log.filter { $0["kind"]?.string?.hasPrefix("filter") == true }
        #expect(lines.map { $0["kind"]?.string } == ["filterSave", "filterSave", "filterRemove"])
        #expect(lines.allSatisfy { $0["by"]?.string == "dana" })
        #expect(lines.first?["text"]?.string == "filter @news saved by dana: type:digest")
        #expect(
            bench("log --script").output.contains(
                "sluice filter save news type:digest --shared"), "\(bench("log --script").output)")
        #expect(bench("undo").exit == .done)
        #expect(try shared() == ["news": "type:letter"])
        #expect(bench("undo").exit == .done)
        #expect(try shared() == ["news": "type:digest"])
        #expect(bench("redo").exit == .done)
        #expect(try shared() == ["news": "type:letter"])
        #expect(bench("undo").exit == .done)
        // A person's own file is no change of the store.
        let before = bench("log --json").output
        _ = bench.run(["filter", "save", "mine", "@news"])
        _ = bench("filter remove mine")
        #expect(bench("log --json").output == before)
        #expect(bench("undo").exit == .done)
        #expect(try shared() == [:])
    }

    @Test("F1 a store that cannot be read is named, and not the filter that may lie in it")
    func unreadable() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "filters-")
        defer { try? Files.removeTree(folder) }
        var bench = Bench()
        bench.environment["XDG_CONFIG_HOME"] = folder
        let outcome = bench.run(["list", "--filter", "@news", "--store", "/tmp"])
        #expect(outcome.exit == .usage && outcome.errors.contains("/tmp"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("saved filter"))
    }

    @Test(
        "F1 what is no filter, no name or makes itself is not saved",
        arguments: [
            ["save", "news", "stat:failed"], ["save", "a b", "type:x"], ["save", "own", "@own"],
            ["save", "", "type:x"], ["save", "x"], ["remove", "nothing"], ["list", "x"],
        ])
    func refused(_ words: [String]) throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "filters-")
        defer { try? Files.removeTree(folder) }
        var bench = Bench()
        bench.environment["XDG_CONFIG_HOME"] = folder
        let outcome = bench.run(["filter"] + words)
        #expect(outcome.exit == .usage && !outcome.errors.isEmpty)
        #expect(Files.kind("\(folder)/sluice/filters") == nil)
    }

    @Test("F1 a file of filters that cannot be read says its line")
    func damaged() throws {
        let folder = try Files.makeTemporaryDirectory(prefix: "filters-")
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/mine"
        try Files.writeAtomically(Array("# mine\n\nnews type:x\n".utf8), to: path)
        var bench = Bench()
        bench.environment["SLUICE_FILTERS"] = path
        let outcome = bench("list --filter @news")
        #expect(outcome.exit == .usage && outcome.errors.contains("mine, line 3"))
    }

    @Test("F1 help filter tells the language")
    func help() {
        let outcome = Bench()("help filter")
        #expect(outcome.exit == .done && outcome.output.contains("payload.items[0].name~^A"))
    }
}
