import SluiceControl
import SluiceModel
import SluiceTerminalUI
import SluiceTransfer
import Testing

@testable import SluiceCommand

@Suite("Help that is read")
struct HelpTests {
    private func lines(_ words: String...) -> [String] {
        let outcome = Bench().run(["help"] + words)
        #expect(outcome.exit == .done && outcome.errors.isEmpty)
        return outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    @Test("help names every exit code of the program")
    func exitCodes() {
        #expect(Help.exitCodes.map(\.0) == ExitCode.allCases.map { "\($0.rawValue)" })
    }

    @Test("help has every verb once, in groups, with the exit codes and the topics")
    func overview() throws {
        let lines = lines()
        let titles = ["Look", "Tasks", "Queues", "Store and program", "Exit codes", "Values"]
        let places = titles.compactMap { lines.firstIndex(of: $0) }
        try #require(places.count == titles.count)
        #expect(places == places.sorted())
        for named in Action.commandsByName {
            let rows = lines.indices.filter { lines[$0].hasPrefix("  \(named.command.name)  ") }
            #expect(rows.count == 1, "\(named.command.name)")
        }
        func group(of verb: String) -> String? {
            guard let row = lines.firstIndex(where: { $0.hasPrefix("  \(verb)  ") }) else {
                return nil
            }
            return titles[(places.lastIndex { $0 < row }) ?? 0]
        }
        let known = [
            "list": "Look", "why": "Look", "retry": "Tasks", "enqueue": "Tasks",
            "pause": "Queues", "queue set": "Queues", "init": "Store and program",
            "export": "Store and program", "doctor": "Store and program", "stats": "Look",
        ]
        for (verb, title) in known { #expect(group(of: verb) == title, "\(verb)") }
        for code in ["0", "1", "2", "3", "130"] {
            #expect(lines.contains { $0.hasPrefix("  \(code) ") }, "\(code)")
        }
        for topic in HelpTopic.all {
            #expect(
                lines.contains { $0.hasPrefix("  \(topic.name)  ") && $0.hasSuffix(topic.line) })
        }
    }

    @Test("every page of help fits a terminal of 80 columns")
    func fits() {
        let verbs = Action.commandsByName.map { $0.command.name.split(separator: " ") }
        let pages = [[]] + verbs.map { $0.map(String.init) } + HelpTopic.all.map { [$0.name] }
        #expect(pages.count > 70)
        for page in pages {
            let lines = Bench().run(["help"] + page).output.split(separator: "\n")
            let wide = lines.filter { DisplayText.width(String($0)) > 80 }
            #expect(!lines.isEmpty && wide == [], "\(page)")
        }
    }

    @Test("each topic can be asked for, has lines of 80 columns and is JSON too")
    func topics() {
        for topic in HelpTopic.all {
            let lines = lines(topic.name)
            #expect(lines.count > 5 && lines.allSatisfy { $0.count <= 80 }, "\(topic.name)")
            let json = Bench().run(["help", topic.name, "--json"]).json
            #expect(json["topic"] == .string(topic.name))
        }
        #expect(lines("reporting").contains { $0.contains("SLUICE_REPORT_FD") })
        #expect(lines("handlers").contains { $0.contains(#""simulate""#) })
        // The refusals of a protected store (G8), and the limits of a restore (G5).
        for word in ["Faults", "clock", "restore", "breakpoints without an end"] {
            #expect(lines("protect").joined(separator: " ").contains(word))
        }
        #expect(lines("restore").joined(separator: " ").contains("the clock"))
        #expect(lines("checkpoint").contains { $0.contains("changed counts") })
        for field in TaskLines.fields { #expect(lines("jsonl").contains("  \(field)")) }
        let near = [
            ("handelrs", "handlers"), ("lst", "list"), ("puase", "pause"), ("repotr", "report"),
        ]
        for (word, wanted) in near {
            let outcome = Bench().run(["help", word])
            #expect(outcome.exit == .usage)
            #expect(outcome.errors.contains("did you mean \"sluice help \(wanted)\"?"), "\(word)")
        }
        #expect(Bench().run(["help", "xyzzy"]).errors.contains("sluice help lists"))
    }
}
