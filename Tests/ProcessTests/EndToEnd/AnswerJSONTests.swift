import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceCommand

/// Each field of the JSON of each answer is held against what the commands that read say then.
@Suite("Answers as JSON", .serialized)
struct AnswerJSONTests {
    enum Engine: String, CaseIterable, Sendable {
        case sqlite, postgres

        static let here = allCases.filter { $0 == .sqlite || PostgresServer.isInstalled }
    }

    /// Seeds of each engine, and verbs of each seed: more with `SLUICE_ANSWERS`.
    private static let (seeds, turns) =
        ProcessIdentity.environment("SLUICE_ANSWERS").flatMap { Int($0) }.map { ($0, 120) }
        ?? (1, 60)

    @Test(
        "T5 every field of an answer's JSON agrees with a read after the verb",
        arguments: Engine.here)
    func agree(engine: Engine) throws {
        let first = ProcessIdentity.environment("SLUICE_SEED").flatMap { Int($0) } ?? 46
        var (verbs, refused, fields) = (0, 0, 0)
        for seed in first..<(first + Self.seeds) {
            let folder = try Files.makeTemporaryDirectory(prefix: "answers")
            defer { try? Files.removeTree(folder) }
            var address = "\(folder)/app.db"
            if engine == .postgres {
                let server = try PostgresServer.shared()
                let name = "answers_\(server.newName())"
                try server.run("CREATE DATABASE \(name)")
                address = server.address(name)
            }
            let world = try AnswerWorld(at: address, folder, seed: seed)
            for turn in 0..<Self.turns {
                let (words, code, wrong) = try world.next()
                #expect(wrong.isEmpty, "seed \(seed), turn \(turn), \(words): \(wrong)")
                guard wrong.isEmpty else { return }
                verbs += 1
                refused += code == 0 || code == 3 ? 0 : 1
            }
            fields += world.compared
        }
        print(
            "answers as JSON: \(engine), seeds from \(first), \(Self.seeds) stores, \(verbs) verbs "
                + "(\(refused) refused), \(fields) fields compared")
        #expect(fields > verbs * 2 && refused < verbs / 2)
    }
}
