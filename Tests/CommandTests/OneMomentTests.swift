import SluiceControl
import SluiceModel
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("One moment for each command")
struct OneMomentTests {
    static let commands = [
        "queues", "list", "list --state all", "show 1", "why 1", "why 3", "forecast Q", "groups Q",
        "timers", "log", "runners", "network", "stats", "results s",
    ]

    /// The folder of the SDK's that the tests know, as an app left it.
    private static func fixture() throws -> String {
        let here = Files.parent(of: #filePath)
        let source = "\(here)/../QueueStoreTests/Folder/Fixtures/customer-io-v1"
        let folder = try Files.makeTemporaryDirectory(prefix: "moment-") + "/queue"
        try Files.makeDirectory("\(folder)/tasks", withParents: true)
        for name in ["inventory.json"] + (try Files.list("\(source)/tasks")).map({ "tasks/\($0)" })
        {
            let bytes = try Files.read("\(source)/\(name)", limitBytes: 1 << 20)
            try Files.writeAtomically(bytes, to: "\(folder)/\(name)")
        }
        return folder
    }

    /// The distinct answers to 200 runs of a command at one moment, with a clock that advances at
    /// each read.
    private func answers(_ bench: Bench, _ line: String) -> Set<String> {
        Set(
            (0..<200).map { round in
                bench.clock.withLock { $0 = Bench.start }
                var bench = bench
                bench.tick = Int64(round % 4)
                let outcome = bench(line)
                return "\(outcome.exit) \(outcome.output)\(outcome.errors)"
            })
    }

    @Test("a look at a store at rest has one answer", arguments: ["", " --json"])
    func atRest(_ form: String) {
        let bench = Bench()
        for line in [
            "queue set Q --start batched --batch-count 5 --batch-delay 30s", "enqueue Q t",
            "enqueue Q t --not-before +5m --group-start g", "enqueue Q t --group g",
            "enqueue other t --session s", "pause other --for 10m",
        ] {
            #expect(bench(line).exit == .done)
        }
        for command in Self.commands {
            let answers = answers(bench, command + form)
            #expect(answers.count == 1, "\(command): \(answers)")
            #expect(answers.allSatisfy { $0.hasPrefix("done") }, "\(answers)")
        }
    }

    @Test("a look at an untouched folder has one answer", arguments: ["", " --json"])
    func untouched(_ form: String) throws {
        let folder = try Self.fixture()
        defer { try? Files.removeTree(Files.parent(of: folder)) }
        var bench = Bench()
        bench.environment["SLUICE_STORE"] = folder
        let name = try #require(bench("queues --json").json["queues"]?[0]?["name"]?.string)
        for command in Self.commands {
            let line = command.replacing("Q", with: name) + form
            let answers = answers(bench, line)
            #expect(answers.count == 1, "\(line): \(answers.sorted().prefix(2))")
            #expect(answers.allSatisfy { $0.hasPrefix("done") }, "\(answers)")
        }
        #expect(try Files.list(folder) == ["inventory.json", "tasks"])
    }
}
