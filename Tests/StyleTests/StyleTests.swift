import SluiceControl
import SluiceSystem
import Testing

/// The house's rules as far as a program can read them.
@Suite("style")
struct StyleTests {
    @Test("the tree was found, so that the other rules look at something")
    func treeIsThere() {
        #expect(SourceTree.swift.count > 100)
    }

    @Test("files have at most 400 lines, lines at most 100 columns")
    func lengths() {
        var found: [String] = []
        for file in SourceTree.swift {
            if file.lines.count > 401 { found.append("\(file): \(file.lines.count) lines") }
            for (number, line) in file.lines.enumerated() where line.count > 100 {
                found.append("\(file):\(number + 1): \(line.count) columns")
            }
        }
        #expect(found == [])
    }

    @Test("functions have at most 50 lines")
    func functions() {
        let found = SourceTree.swift.filter { !$0.isTest }.flatMap { file in
            FunctionLength.all(in: file).filter { $0.lines > 50 }.map {
                "\(file):\($0.start): \($0.lines) lines"
            }
        }
        #expect(found == [])
    }

    @Test("no Manager, Helper or Util, and no file named after the product")
    func names() {
        let banned = ["Manager", "Helper", "Util"]
        let found = SourceTree.swift.filter { file in
            let name = file.path.split(separator: "/").last.map(String.init) ?? ""
            return banned.contains { name.contains($0) } || name == "Sluice.swift"
        }
        #expect(found.map(\.path) == [])
    }

    @Test("what the products show is what an app needs: at most 90 public types")
    func face() {
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor"]
        let found = SourceTree.swift.filter { !$0.isTest }.flatMap { file in
            file.lines.filter { line in
                let words = line.split(separator: " ")
                return words.contains("public")
                    && words.prefix { !$0.contains("(") && $0 != "{" }.contains(
                        where: kinds.contains)
                    && !words.contains("func") && !words.contains("var")
            }.map { "\(file): \($0)" }
        }
        // An app's author can read this many; one more needs one less.
        #expect((80...90).contains(found.count), "\(found.joined(separator: "\n"))")
    }

    static let bans: [(word: String, targets: Set<String>, files: Set<String>)] = [
        ("import Foundation\n", [], []),
        ("import FoundationEssentials", ["Sluice", "SluiceTesting", "LibraryTests"], []),
        (
            "import Glibc",
            ["SluiceSystem", "SluiceTestSupport", "SystemTests", "ConsoleTests"], []
        ),
        // An example is an application with a separate database.
        ("SluiceCSQLite", ["SluiceSystem", "SluiceSQL", "QueueStoreTests", "LibraryTests"], []),
        ("import SluiceCCurses", ["SluiceTerminalCurses", "SystemTests"], []),
        // The clients of databases: of their engine, of foreign queues, and of tests.
        (
            "PostgresConnection",
            [
                "SluiceSystem", "SluiceSQL", "SluiceForeignQueues", "SluiceTestSupport",
                "SluiceBenchmark", "QueueStoreTests",
            ], []
        ),
        (
            "MariaDBConnection",
            [
                "SluiceSystem", "SluiceForeignQueues", "SluiceTestSupport", "ForeignQueuesTests",
            ], []
        ),
        ("clock_gettime", ["SluiceSystem", "ProcessTests"], []),
        ("try!", [], []),
        (" as! ", [], []),
        ("TODO", [], []),
        ("FIXME", [], []),
        ("Task.sleep", [], []),
    ]

    @Test("what one target alone may say is said in that target alone", arguments: bans.indices)
    func bannedWords(index: Int) {
        let ban = Self.bans[index]
        let word = String(ban.word.split(separator: "\n")[0])
        let isWholeLine = ban.word.hasSuffix("\n")
        let found = SourceTree.swift.filter { file in
            file.target != "StyleTests" && !ban.targets.contains(file.target)
                && file.lines.contains { isWholeLine ? $0 == word : $0.contains(word) }
        }
        #expect(found.map(\.path) == [])
    }

    @Test("the rows that both databases share know neither of them")
    func sharedRows() {
        let shared = SourceTree.swift.filter { $0.path.contains("/SluiceSQL/Shared/") }
        #expect(shared.count > 40)
        let words = ["import SluiceC", "PostgresConnection", "PostgresStore", "SQLiteStore"]
        let found = shared.filter { file in
            file.lines.contains { line in
                !line.contains("//") && words.contains { line.contains($0) }
            }
        }
        #expect(found.map(\.path) == [])
    }

    @Test("the wall clock and chance are arguments of the core (principle 3)")
    func clocks() {
        let core: Set<String> = ["SluiceModel", "SluiceStore", "SluiceControl", "SluiceConsole"]
        // The name of a lock file must be new; no rule reads it.
        let allowed: Set<String> = ["Sources/Core/SluiceStore/Upkeep/Attachment.swift"]
        let words = ["nowMilliseconds()", "SystemRandom()", ".random(in", ".shuffled()"]
        let found = SourceTree.swift.filter { file in
            core.contains(file.target) && !allowed.contains(file.path)
                && file.lines.contains { line in
                    words.contains { line.contains($0) && !line.contains("using:") }
                }
        }
        #expect(found.map(\.path) == [])
    }

    @Test("a key, and a command, belongs to one action (principle 5)")
    func actionTable() {
        let keys = Action.all.compactMap(\.key)
        let commands = Action.all.compactMap { $0.command?.name }
        #expect(Set(keys).count == keys.count)
        #expect(Set(commands).count == commands.count)
        #expect(Set(Action.all.map(\.id)).count == Action.all.count)
    }
}

/// How long the functions of a file are, by their indentation.
struct FunctionLength {
    var start: Int
    var lines: Int

    static func all(in file: SourceFile) -> [FunctionLength] {
        var found: [FunctionLength] = []
        for (index, line) in file.lines.enumerated() {
            let indent = line.prefix { $0 == " " }
            let words = line.dropFirst(indent.count)
            guard words.contains("func ") || words.hasPrefix("init(") || words.contains(" init("),
                !words.hasPrefix("//")
            else { continue }
            // A signature over several lines closes with a line that begins with its bracket;
            // one without a body is a requirement of a protocol.
            let rest = file.lines[(index + 1)...]
            let close = line.hasSuffix("(") ? rest.first { $0.hasPrefix(indent + ")") } : line
            guard close?.hasSuffix("{") == true,
                let end = rest.firstIndex(where: { $0 == indent + "}" })
            else { continue }
            found.append(FunctionLength(start: index + 1, lines: end - index + 1))
        }
        return found
    }
}
