import SluiceControl
import Testing

@testable import SluiceCommand

@Suite("Manual")
struct ManualTests {
    private func page(_ name: String) -> [String] {
        let outcome = Bench().run(["__manual", name])
        #expect(outcome.exit == .done && outcome.errors.isEmpty)
        return outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    private var names: [String] {
        Bench().run(["__manual"]).output.split(separator: "\n").map(String.init)
    }

    @Test("the manual has a page for the program, each group of verbs, handlers and filters")
    func pages() {
        #expect(
            names == [
                "sluice.1", "sluice-look.1", "sluice-tasks.1", "sluice-queues.1",
                "sluice-debugger.1", "sluice-store.1", "sluice-handlers.5", "sluice-filter.7",
            ])
        let outcome = Bench().run(["__manual", "sluice.9"])
        #expect(outcome.exit == .usage && outcome.errors.contains("sluice-filter.7"))
    }

    @Test("each verb stands on one page, with every option that is its own")
    func verbs() {
        let pages = names.filter { $0.hasSuffix(".1") && $0 != "sluice.1" }.map(page)
        for named in Action.commandsByName {
            let heading = ".SS \"\(Roff.escaped(named.command.name))\""
            let found = pages.filter { $0.contains(heading) }
            #expect(found.count == 1, "\(named.command.name)")
            guard let page = found.first, let start = page.firstIndex(of: heading) else { continue }
            let text = page[(start + 1)...].prefix { !$0.hasPrefix(".S") }
            for option in named.command.options {
                let term = Roff.escaped(Help.spelling(of: option))
                #expect(
                    text.contains { $0.hasPrefix(".B \"") && $0.contains(term) },
                    "\(named.command.name) \(option.name)")
            }
        }
        let overview = page("sluice.1").joined(separator: "\n")
        for named in Action.commandsByName {
            #expect(overview.contains(".B \"\(Roff.escaped(named.command.name))\""))
        }
    }

    @Test("a page is ASCII, and nothing of a text is taken for the language of manuals")
    func letters() {
        #expect(Roff.escaped(".x") == "\\&.x")
        #expect(Roff.escaped("a\\b 'c' --d \u{2026}") == "a\\eb \\(aqc\\(aq \\-\\-d \\[u2026]")
        let requests = ["TH", "ad", "nh", "SH", "SS", "TP", "B", "br", "EX", "EE", "PP"]
        for name in names {
            for line in page(name) {
                let isPlain = line.utf8.allSatisfy { $0 < 0x80 }
                #expect(isPlain, "\(name): \(line)")
                guard line.hasPrefix(".") || line.hasPrefix("'") else { continue }
                #expect(
                    requests.contains { line == ".\($0)" || line.hasPrefix(".\($0) ") }, "\(line)")
            }
        }
    }
}
