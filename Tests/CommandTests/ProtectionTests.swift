import SluiceControl
import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

/// Protected stores at the command line.
@Suite("Protection commands")
struct ProtectionTests {
    private let bench = Bench()

    @Test("G8 protect says how to take it back, and unprotect asks for the name")
    func protects() {
        let set = bench("protect")
        #expect(set.exit == .done)
        #expect(
            set.output == """
                memory protected by dana
                  undo with: sluice unprotect --store-name memory

                """)
        #expect(bench("protect --json").json["protected"] == true)
        #expect(bench("log").output.contains("memory protected by dana"))
        let unnamed = bench("unprotect --json")
        #expect(unnamed.exit == .usage && unnamed.errorCode == "protected")
        let wrong = bench("unprotect --store-name other.db --json")
        #expect(wrong.exit == .usage && wrong.errorCode == "badName")
        #expect(bench("unprotect --store-name other.db").errors.contains("its name is memory"))
        let done = bench("unprotect --store-name memory")
        #expect(done.exit == .done)
        #expect(done.output.hasSuffix("  undo with: sluice protect\n"))
        #expect(bench("unprotect").output == "memory is not protected\n")
    }

    @Test("G8 faults and breakpoints without an end are refused by code and with the way out")
    func refuses() {
        _ = bench("protect")
        let fault = bench("fault type:x fail --json")
        #expect(fault.exit == .refused && fault.errorCode == "protected")
        #expect(
            bench("fault type:x fail").errors
                == "sluice: memory is protected: faults are refused there; "
                + "sluice unprotect --store-name memory allows them\n")
        #expect(bench("break type:x --for none --json").errorCode == "protected")
        #expect(bench("break type:x").exit == .done)
    }

    @Test("G8 D9 an undo that the store refuses says how another verb is undone")
    func undo() {
        for line in ["enqueue q t", "priority 1 5", "fault type:t fail", "fault remove 1"] {
            #expect(bench(line).exit == .done)
        }
        _ = bench("protect")
        let refused = bench("undo")
        #expect(refused.exit == .refused)
        #expect(refused.errors.contains("; sluice undo EVENT takes back another verb"))
        let events = bench("log --json").json["events"]?.array ?? []
        let event = events.first { $0["kind"]?.string == "priority" }?["sequence"]?.integer
        #expect(bench("undo \(event ?? 0)").exit == .done)
        _ = bench("unprotect --store-name memory")
        #expect(bench("undo").output.contains("fault"))
    }

    @Test(
        "G8 a refused restore names the store, also where it would only be counted",
        arguments: ["restore a", "restore a --dry-run", "restore a --yes"])
    func refusesRestore(line: String) {
        _ = bench("enqueue q t")
        _ = bench("checkpoint a")
        _ = bench("enqueue q t")
        _ = bench("protect")
        let refused = bench(line)
        #expect(refused.exit == .refused)
        #expect(
            refused.errors == "sluice: memory is protected: restores are refused there; "
                + "sluice unprotect --store-name memory allows them\n")
    }

    @Test(
        "G8 a script says the name, or ends with 2",
        arguments: [
            "delete 1 2", "delete --filter queue:q", "delete --filter queue:q --yes", "purge 3",
            "queue delete q --yes",
        ])
    func script(line: String) throws {
        for _ in 0..<3 { _ = bench("enqueue q t") }
        _ = bench("delete 3")
        _ = bench("protect")
        let before = try bench.contents()
        let refused = bench("\(line) --json")
        #expect(refused.exit == .usage)
        #expect(["protected", "noTerminal"].contains(refused.errorCode))
        #expect(try bench.contents() == before)
        #expect(bench("\(line) --store-name memory").exit == .done)
        #expect(try bench.contents() != before)
    }

    @Test("G8 a name is looked at in a store that is not protected too")
    func wrongStore() {
        for _ in 0..<2 { _ = bench("enqueue q t") }
        #expect(bench("delete 1 2 --store-name other.db").exit == .usage)
        #expect(bench("delete 1 2 --store-name memory").exit == .done)
    }

    @Test("G8 a person at a terminal is asked, and a console asks by itself")
    func asks() throws {
        var bench = bench
        for _ in 0..<3 { _ = bench("enqueue q t") }
        _ = bench("protect")
        bench.answers = ["memry"]
        let wrong = bench("delete 1 2")
        #expect(wrong.exit == .usage && wrong.errors.contains("memory is protected: type its name"))
        bench.answers = ["memory"]
        #expect(bench("delete --filter queue:q").exit == .done)
        bench.answers = nil
        let reply = bench.reply(inConsole: "unprotect")
        #expect(reply.exit == .done && reply.lines.isEmpty)
        #expect(reply.unconfirmedVerb == .unprotect(storeName: nil))
    }
}
