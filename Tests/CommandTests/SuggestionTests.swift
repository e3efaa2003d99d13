import SluiceControl
import SluiceModel
import Testing

@testable import SluiceCommand

@Suite("What is suggested for a word that is none")
struct SuggestionTests {
    static let verbs: [(written: String, suggested: String?)] = [
        ("puase", "pause"), ("lsit", "list"), ("resumee", "resume"), ("enque", "enqueue"),
        ("queue", "queues"), ("stop", "pause"), ("start", "resume"), ("rerun", "retry"),
        ("STOP", "pause"), ("ls", "list"), ("purg", "purge"), ("delet", "delete"),
        ("queue delet", "queue delete"), ("xyzzy", nil), ("restart", "resume"),
        ("errors", "failures"), ("kill", "cancel"), ("drop", "delete"), ("queue list", "queues"),
        ("queue rm", "queue delete"), ("queue remove", "queue delete"), ("WORKERS", "workers"),
    ]

    @Test("a verb is suggested that is near in spelling or in meaning", arguments: verbs)
    func verb(written: String, suggested: String?) throws {
        let outcome = Bench().run(written.split(separator: " ").map(String.init))
        #expect(outcome.exit == .usage)
        let offer = outcome.errors.split(separator: "did you mean \"sluice ").dropFirst().first
        #expect(offer?.prefix { $0 != "\"" }.description == suggested, "\(outcome.errors)")
    }

    @Test("another name of a command is that command", arguments: [[], ["--json"], ["--help"]])
    func alias(options: [String]) {
        let bench = Bench()
        _ = bench.run(["enqueue", "mail", "send"])
        let (alias, own) = (bench.run(["runners"] + options), bench.run(["workers"] + options))
        #expect(alias.exit == .done && alias.output == own.output && !own.output.isEmpty)
        #expect(alias.errors == own.errors)
        #expect(bench.run(["help", "workers"]).output == bench.run(["help", "runners"]).output)
        #expect(bench.run(["runners", "--josn"]).errors.contains("workers has no option"))
    }

    @Test("of several that are near what takes something away is never the one")
    func harmless() {
        let taking = ["delete", "purge", "queue delete", "cancel"]
        for named in Action.commandsByName where !taking.contains(named.command.name) {
            for word in Self.slips(of: named.command.name) {
                let offer = Action.suggestion(for: word)
                #expect(offer.map { !taking.contains($0) } ?? true, "\(word): \(offer ?? "")")
            }
        }
    }

    /// A word without one of its letters, and with two of them in each other's place.
    private static func slips(of word: String) -> [String] {
        let letters = Array(word)
        guard letters.count > 3 else { return [] }
        return letters.indices.flatMap { place -> [String] in
            var (short, swapped) = (letters, letters)
            short.remove(at: place)
            if place > 0 { swapped.swapAt(place - 1, place) }
            return [String(short), String(swapped)]
        }
    }

    @Test("what a meaning leads to is there")
    func meanings() throws {
        for word in ["stop", "tail", "repair", "settings", "ack", "migrate"] {
            let words = try #require(Action.suggestion(for: word)).split(separator: " ")
            #expect(Action.command(in: words.map(String.init)) != nil, "\(word)")
        }
    }

    @Test(
        "a verb behind options, or behind its store, is told in its right order",
        arguments: [
            (
                ["--store", "m db", "enqueue", "mail", "send", "{}"],
                "sluice enqueue mail send '{}' --store 'm db'"
            ),
            (["--json", "queues"], "sluice queues --json"),
            (["--store=m.db", "queue", "set", "mail"], "sluice queue set mail --store=m.db"),
            (["m.db", "list", "mail", "--limit", "3"], "sluice list mail --limit 3 --store m.db"),
            (["--filter", "list", "list"], "sluice list --filter list"),
        ])
    func order(_ words: [String], _ right: String) {
        let outcome = Bench().run(words)
        #expect(outcome.exit == .usage)
        #expect((outcome.errors + outcome.output).contains(right), "\(outcome.errors)")
    }

    @Test("of a verb behind an option that it does not take that is said")
    func strayOption() {
        let outcome = Bench().run(["--theme", "light", "list"])
        #expect(outcome.errors.contains("list has no option --theme"), "\(outcome.errors)")
    }

    @Test("an option by the name of an argument says that the argument is written without one")
    func argumentAsOption() {
        let bench = Bench()
        let errors = bench("enqueue mail send --payload x").errors
        #expect(
            errors.contains(
                "PAYLOAD is written without an option: sluice enqueue QUEUE TYPE [PAYLOAD]"),
            "\(errors)")
        #expect(
            bench("list --queue mail").errors.contains("QUEUE is written without an option"))
        #expect(bench("enqueue mail send --tag x").errors.contains("did you mean --label?"))
    }

    @Test("an option is near by its letters, and not by its dashes")
    func option() {
        let bench = Bench()
        #expect(bench("list --sort x").errors.contains("usage: sluice list"))
        #expect(bench("list --stat failed").errors.contains("did you mean --state?"))
        #expect(bench("list --lmiit 3").errors.contains("did you mean --limit?"))
    }

    @Test(
        "an option is near in meaning as well, where the verb has that one",
        arguments: [
            ("enqueue q t", "--delay 5m", "--not-before"),
            ("enqueue q t", "--delay=5m", "--not-before"),
            ("enqueue q t", "--at 14:00", "--not-before"),
            ("enqueue q t", "--in 5m", "--not-before"),
            ("enqueue q t", "--after 5m", "--not-before"),
            ("enqueue q t", "--ttl 1h", "--expires"),
            ("list", "--where type:mail", "--filter"), ("work", "--concurrency 4", "--slots"),
            ("list", "--delay 5m", nil),
        ] as [(String, String, String?)])
    func optionInMeaning(verb: String, option: String, meant: String?) {
        let outcome = Bench()("\(verb) \(option)")
        #expect(outcome.exit == .usage)
        let offer = outcome.errors.split(separator: "did you mean ").dropFirst().first
        #expect(offer?.prefix { $0 != "?" }.description == meant, "\(outcome.errors)")
    }

    @Test("F5 where states are listed every word is told that a filter takes")
    func states() {
        let bench = Bench()
        for filter in ["state:", "state:none", "state:,"] {
            let outcome = bench("list --filter \(filter)")
            #expect(outcome.exit == .usage)
            for state in TaskFilter.State.allCases {
                #expect(outcome.errors.contains(state.rawValue), "\(filter): \(outcome.errors)")
            }
        }
    }

    @Test("a suggested command is quoted for a shell")
    func quoted() {
        let bench = Bench()
        let made = bench.run(["enqueue", "my mail", "send"])
        #expect(made.output.contains("sluice queue set 'my mail' changes them"))
        _ = bench.run(["pause", "my mail"])
        #expect(bench("why 1").output.contains("(sluice resume 'my mail')"))
        for _ in 0..<2 { _ = bench.run(["enqueue", "my mail", "send"]) }
        #expect(bench("list --limit 1").output.contains("more: --after 1, or"))
    }
}
