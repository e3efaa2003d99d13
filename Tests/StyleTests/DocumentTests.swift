import QueueControl
import Testing

/// What the documents promise about the code.
@Suite("documents")
struct DocumentTests {
    private static let families = ["CIO", "YTQ", "IDJ", "DBX", "KKT", "PN"]

    /// The ids of scenarios in a text, such as CIO-55.
    private func scenarios(in text: String) -> Set<String> {
        var found: Set<String> = []
        for family in Self.families {
            for piece in text.split(separator: "\(family)-").dropFirst() {
                let digits = piece.prefix { $0.isNumber }
                if digits.count >= 2 { found.insert("\(family)-\(digits)") }
            }
        }
        return found
    }

    @Test("scenarios.md has one line for every scenario that a test names, and no other")
    func scenarioTable() throws {
        let named = SourceTree.swift.filter { $0.isTest && $0.room != "StyleTests" }
            .reduce(into: Set<String>()) {
                $0.formUnion(scenarios(in: $1.lines.joined(separator: "\n")))
            }
        let rows = try SourceTree.text("docs/scenarios.md").split(separator: "\n")
            .filter { $0.hasPrefix("| ") }
            .reduce(into: Set<String>()) {
                $0.formUnion(scenarios(in: String($1.prefix { $0 != "·" })))
            }
        #expect(named.subtracting(rows).sorted() == [])
        #expect(rows.subtracting(named).sorted() == [])
    }

    @Test("the README's table of keys is the one that the table of actions gives")
    func keyTable() throws {
        let readme = try SourceTree.text("README.md")
        let rows = Action.all.compactMap { action -> String? in
            guard let key = action.key else { return nil }
            let command = action.command.map { "`\($0.name)`" } ?? ""
            return "| `\(key == "|" ? "\\|" : key)` | \(action.help) | \(command) |"
        }
        let missing = rows.filter { !readme.contains($0) }
        #expect(missing == [])
    }

    @Test("the README's program is the one that the tests run")
    func readmeProgram() throws {
        let readme = try SourceTree.text("README.md")
        let program = try SourceTree.text("Tests/LibraryTests/GreetingExample.swift")
        #expect(readme.contains("```swift\n\(program)```"))
    }
}
