import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceSystem
import SluiceTerminalUI
import Testing

/// The documents' promises about the code.
@Suite("documents")
struct DocumentTests {
    private static let tests = SourceTree.swift.filter { $0.isTest && $0.target != "StyleTests" }

    @Test("scenarios.md has one row for every scenario that a test names, and no other")
    func scenarioTable() throws {
        let table = ScenarioTable(try SourceTree.text("docs/notes/scenarios.md"))
        #expect(table.rows.count > 40)
        #expect(table.faults(against: Self.tests) == [])
        let counts = ScenarioTable.verdicts.map { verdict in
            "\(table.rows.count { $0.verdict == verdict }) \(verdict)"
        }
        let complete = table.complete.isEmpty ? "none" : table.complete.joined(separator: ", ")
        print("scenarios: \(counts.joined(separator: ", ")); complete families: \(complete)")
    }

    @Test("a row that is missing, has no test, or claims what it may not is found")
    func scenarioFaults() {
        let page = """
            Complete families: KKT.
            | CIO-01 | same | one | A/B |
            | CIO-02 | mended | two (theirs did not) | A/B, A/C |
            | CIO-03 | mended | three | A/B |
            | CIO-04 | not ours | four | A/B |
            | CIO-05 | same | five | |
            | CIO-05 | odd | five | A/B |
            | CIO-999 | same | none | A/B |
            """
        let file = SourceFile(
            path: "Tests/A/B.swift",
            lines: [
                "    @Test(\"CIO-01 CIO-02 CIO-03 CIO-04 CIO-05 CIO-999 K1 a\")",
                "    @Test(", "        \"CIO-06 b\", arguments: 1)", "    // CIO-07",
            ])
        let faults = ScenarioTable(page).faults(against: [file])
            .filter { !$0.hasPrefix("KKT-") }
        #expect(
            faults == [
                "CIO-02: no test in A/C names it",
                "CIO-03: mended needs \"theirs …\" or \"nearest: …\"",
                "CIO-04: not ours needs \"theirs …\" or \"nearest: …\"", "CIO-05: no test",
                "CIO-05: odd needs \"theirs …\" or \"nearest: …\"", "CIO-05: two rows",
                "CIO-06: no row, but [\"A/B\"] names it", "CIO-999: no scenario",
            ])
        let missing = ScenarioTable(page).faults(against: []).filter { $0.hasPrefix("KKT-") }
        #expect(missing.count == 28)
    }

    @Test("the table of keys is the one that the table of actions gives")
    func keyTable() throws {
        let page = try SourceTree.text("docs/keys.md")
        let rows = Action.all.compactMap { action -> String? in
            guard let key = action.key else { return nil }
            let command = action.command.map { "`\($0.name)`" } ?? ""
            return "| `\(key == "|" ? "\\|" : key)` | \(action.help) | \(command) |"
        }
        let missing = rows.filter { !page.contains($0) }
        #expect(missing == [])
    }

    @Test("the table of commands is the one that the table of actions gives")
    func commandTable() throws {
        let page = try SourceTree.text("docs/commands.md")
        let rows = Action.all.compactMap { action -> String? in
            guard let command = action.command else { return nil }
            let words = [command.name, command.arguments].filter { !$0.isEmpty }
            let call = words.joined(separator: " ").replacing("|", with: "\\|")
            return "| `\(call)` | \(action.help) |"
        }
        #expect(rows.count > 30)
        let missing = rows.filter { !page.contains($0) }
        #expect(missing == [])
    }

    @Test("the page of commands has every kind of a blocker")
    func blockers() throws {
        let page = try SourceTree.text("docs/commands.md")
        let part = try #require(page.components(after: "BLOCKER   {\"kind\":\"").last)
        let found = part.prefix { $0 != "\"" }.split { "| \n".contains($0) }.map(String.init)
        #expect(Set(found) == Set(Blocker.Kind.allCases.map(\.rawValue)))
    }

    @Test("the page of commands has every code of an error")
    func codes() throws {
        let page = try SourceTree.text("docs/commands.md")
        let part = try #require(page.components(after: "\nCodes: ").last)
        let missing = QueueError.Code.allCases.filter { !part.contains("`\($0.rawValue)`") }
        #expect(missing == [])
    }

    @Test("the README is read in two minutes, and its links lead somewhere")
    func readmeLength() throws {
        let readme = try SourceTree.text("README.md")
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
        let links = readme.matches(of: /\]\(([^):]+)\)/).map { String($0.output.1) }
        #expect(links.count > 15)
        #expect(links.filter { !SourceTree.exists($0) } == [])
    }

    @Test("pages have lines of 100 columns, but for tables and code")
    func pageColumns() throws {
        let pages = try SourceTree.pages()
        #expect(pages.count > 12)
        for page in pages {
            var isCode = false
            let long = try SourceTree.text(page).split(separator: "\n").filter { line in
                if line.hasPrefix("```") { isCode.toggle() }
                return line.count > 100 && !line.hasPrefix("|") && !isCode
            }
            #expect(long == [], "\(page)")
        }
    }

    @Test("the links of a page lead to a file, and to a heading of it")
    func links() throws {
        for folder in ["docs", "docs/foreign", "docs/notes"] {
            let names = try Files.list("\(SourceTree.root)/\(folder)")
            for page in names.filter({ $0.hasSuffix(".md") }).map({ "\(folder)/\($0)" }) {
                let links = try SourceTree.text(page).matches(of: /\]\(([^):\s]+)\)/)
                for link in links.map({ $0.output.1 }) {
                    let parts = link.split(separator: "#", omittingEmptySubsequences: false)
                    let path = parts[0].isEmpty ? page : "\(folder)/\(parts[0])"
                    #expect(SourceTree.exists(path), "\(page): \(link)")
                    guard parts.count > 1, SourceTree.exists(path) else { continue }
                    let anchors = Self.anchors(in: try SourceTree.text(path))
                    #expect(anchors.contains(String(parts[1])), "\(page): \(link)")
                }
            }
        }
    }

    /// The anchors of a page's headings, as GitHub makes them.
    private static func anchors(in page: String) -> [String] {
        page.split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
            let title = line.drop { $0 == "#" || $0 == " " }.lowercased()
            return String(
                title.compactMap { character -> Character? in
                    if character == " " { return "-" }
                    let isKept =
                        character.isLetter || character.isNumber || "-_".contains(character)
                    return isKept ? character : nil
                })
        }
    }

    @Test("the example files of keys and colours can be read")
    func ownFiles() throws {
        let page = try SourceTree.text("docs/keys.md")
        let section = try #require(page.components(after: "## Keys and colours").last)
        let blocks = section.components(after: "```\n").dropFirst().map { block in
            block.components(after: "```")[0]
        }
        try #require(blocks.count >= 2)
        #expect(try Keymap(blocks[0]) != .standard)
        #expect(try ThemeChanges(blocks[2]) != ThemeChanges())
    }

    @Test("the library page's order of an app's own is the one that the tests run")
    func ownOrder() throws {
        let page = try SourceTree.text("docs/library.md")
        let names = [
            "OwnOrderExample", "StatusExample", "TypeDefaultsExample", "QueueScreenExample",
            "HeadersExample",
        ]
        for name in names {
            let program = try SourceTree.text("Tests/LibraryTests/Examples/\(name).swift")
            #expect(page.contains("```swift\n\(program)```"), "\(name)")
        }
    }

    @Test("the page about an app's tests has the example that the tests run")
    func testingPage() throws {
        let page = try SourceTree.text("docs/library.md")
        let program = try SourceTree.text("Tests/LibraryTests/Examples/RetryWeekExample.swift")
        #expect(page.contains("```swift\n\(program)```"))
    }

    @Test("the code of the library's articles is compiled")
    func articles() throws {
        let (library, servers) = ("Tests/LibraryTests", "Tests/QueueStoreTests/Postgres")
        for (product, name, tests) in [
            ("Sluice", "FirstQueue", library), ("Sluice", "GroupsAndRuns", library),
            ("Sluice", "Sessions", library), ("SluiceTesting", "TestingAnApp", library),
            ("SluicePostgres", "AStoreAtAServer", servers),
        ] {
            let program = try SourceTree.text("\(tests)/Articles/\(name).swift")
            let page = try SourceTree.text(
                "Sources/Library/\(product)/\(product).docc/\(name).md")
            let blocks = page.components(after: "```swift\n").dropFirst().map {
                $0.components(after: "```")[0]
            }
            #expect(blocks.count >= 2)
            let declarations = blocks.flatMap { $0.components(after: "}\n\n") }
            for declaration in declarations { #expect(program.contains(declaration), "\(name)") }
        }
    }

    @Test("the README's program is the one that the tests run")
    func readmeProgram() throws {
        let readme = try SourceTree.text("README.md")
        let program = try SourceTree.text("Tests/LibraryTests/GreetingExample.swift")
        #expect(readme.contains("```swift\n\(program)```"))
    }
}

extension String {
    /// The pieces between occurrences of a mark.
    fileprivate func components(after mark: String) -> [String] {
        var (pieces, rest) = ([String](), self[...])
        while let place = rest.indices.first(where: { rest[$0...].hasPrefix(mark) }) {
            pieces.append(String(rest[..<place]))
            rest = rest[place...].dropFirst(mark.count)
        }
        return pieces + [String(rest)]
    }

    @Test("the kept counts of instructions name every fixed work, and make compares with them")
    func keptInstructions() throws {
        let kept = try JSONValue.parse(Array(SourceTree.text(".ci/instructions.json").utf8))
        let titles = (kept["figures"]?.array ?? []).compactMap { figure in
            figure["value"]?.double ?? 0 > 0 ? figure["title"]?.string : nil
        }
        let work = try #require(SourceTree.swift.first { $0.name == "InstructionWork" })
        let named = work.lines.filter { $0.hasPrefix("        case .") }
            .filter { $0.contains(": \"") }.compactMap {
                $0.split(separator: "\"").dropFirst().first
            }
        #expect(titles == named.map { "instructions: \($0)" })
        #expect(titles.count == 4)
        let makefile = try SourceTree.text("Makefile")
        #expect(makefile.contains("--instructions --compare .ci/instructions.json"))
    }
}
