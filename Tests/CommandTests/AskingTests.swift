import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("Who says that all tasks of a filter are meant")
struct AskingTests {
    @Test("a filter that finds none says which states it left out")
    func filtered() {
        let bench = Bench()
        #expect(bench("enqueue mail send").exit == .done)
        #expect(
            bench("list mail --filter type:other").output
                == "no such task in mail waits, runs or failed: --state all lists ended ones too\n")
        #expect(
            bench("list mail --filter type:other --state all").output == "no such tasks in mail\n")
        #expect(bench("list --filter state:failed").output == "no such tasks\n")
        #expect(bench("list mail --filter type:send").output.contains("send"))
    }

    @Test(
        "D10 without a terminal a filter is refused without --yes or --dry-run",
        arguments: [0, 1, 11])
    func unasked(count: Int) throws {
        let bench = Bench()
        _ = bench("enqueue other t")
        for _ in 0..<count { _ = bench("enqueue q t") }
        _ = bench("queue set q")
        let before = try bench.contents()
        let refused = bench("delete --filter queue:q --json")
        #expect(refused.exit == .usage && refused.errorCode == "noTerminal")
        let word = count == 1 ? "1 task matches" : "\(count) tasks match"
        #expect(bench("delete --filter queue:q").errors.contains(word))
        let trial = bench("delete --filter queue:q --dry-run")
        #expect(trial.exit == .done && trial.output.hasSuffix("nothing was changed\n"))
        let many = count == 1 ? "1 task would be deleted: " : "\(count) tasks would be deleted: "
        #expect(trial.output.hasPrefix(count == 0 ? "0 tasks would be deleted\n" : many))
        #expect(try bench.contents() == before)
        #expect(bench("delete --filter queue:q --yes").exit == .done)
        #expect(bench("list q --state deleted --json").json["tasks"]?.array?.count == count)
    }

    @Test("D10 K9 a filter in the console's command line is asked about by the console")
    func inConsole() throws {
        let bench = Bench()
        for _ in 0..<33 { _ = bench("enqueue q t") }
        let reply = bench.reply(inConsole: "skip --filter queue:q")
        #expect(reply.exit == .done && reply.lines.isEmpty)
        let verb = try #require(reply.unconfirmedVerb)
        #expect(verb.name == "skip" && verb.targets.map(\.id) == Array(1...33))
        #expect(verb.targets.allSatisfy { $0.version != nil })
        #expect(bench("list --filter state:skipped --json").json["tasks"]?.array?.count == 0)
        // A verb without a question runs immediately.
        let done = bench.reply(inConsole: "skip --filter id:1 --yes")
        #expect(done.unconfirmedVerb == nil && done.undo != nil)
    }

    @Test("D10 a person at a terminal is not asked about ten tasks")
    func atTerminal() {
        var bench = Bench()
        for _ in 0..<10 { _ = bench("enqueue q t") }
        bench.answers = []
        #expect(bench("skip --filter queue:q").exit == .done)
        #expect(bench("list --filter state:skipped --json").json["tasks"]?.array?.count == 10)
    }
}
