import SluiceSystem
import Testing

@testable import SluiceForeignQueues

@Suite("docs/foreign.md says what is possible")
struct PossibleDocumentTests {
    /// The states as the document writes them.
    private static let letters: [(letter: String, displays: Set<ForeignTask.Display>)] = [
        ("w", [.next, .due, .held]), ("t", [.delayed, .retrying]), ("s", [.skipped]),
        ("b", [.blocked]), ("r", [.taken, .running]), ("f", [.failed]), ("d", [.cancelled]),
        ("e", [.succeeded]),
    ]
    private static let verbs = ForeignVerb.allCases.filter(\.isOnTask)

    private static func document() throws -> [String] {
        let path = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let bytes = try Files.read("/\(path)/docs/foreign.md", limitBytes: 1 << 20)
        let text = String(decoding: bytes, as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func row(_ rules: SystemRules) -> String {
        let cells = verbs.map { verb in
            if rules.refusal(of: verb) != nil { return "–" }
            let taken = rules.displays(of: verb)
            return letters.filter { !$0.displays.isDisjoint(with: taken) }.map(\.letter)
                .joined(separator: " ")
        }
        return "| \(rules.title) | \(cells.joined(separator: " | ")) |"
    }

    @Test("D7 the table of verbs and states is the one that the program reads")
    func states() throws {
        let wanted =
            ["| system | \(Self.verbs.map(\.rawValue).joined(separator: " | ")) |"]
            + ["|\(String(repeating: " --- |", count: Self.verbs.count + 1))"]
            + SystemRules.all.map(Self.row)
        let lines = try Self.document()
        let start = lines.firstIndex(of: wanted[0]) ?? lines.endIndex
        let found = Array(lines[start...].prefix { $0.hasPrefix("|") })
        #expect(found == wanted, "write this:\n\(wanted.joined(separator: "\n"))")
    }

    @Test("D7 what the table of systems refuses is what the program refuses")
    func refused() throws {
        let lines = try Self.document()
        let header = try #require(lines.first { $0.hasPrefix("| system | list, payload |") })
        func cells(_ line: String) -> [String] {
            line.dropFirst(2).dropLast(2).split(separator: " | ", omittingEmptySubsequences: false)
                .map(String.init)
        }
        let verbs = cells(header).map { ForeignVerb(rawValue: $0) }
        let start = try #require(lines.firstIndex(of: header))
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("| ") }.map(cells)
        #expect(rows.count == SystemRules.all.count)
        for row in rows {
            let words = Set(row[0].split(separator: " "))
            // A title may be the beginning of another one, as Laravel is.
            let own = SystemRules.all.filter {
                words.isSuperset(of: $0.title.split(separator: " "))
            }.max { $0.title.count < $1.title.count }
            let found = try #require(own, "\(row[0])")
            for (verb, cell) in zip(verbs, row) {
                guard let verb, verb != .undo else { continue }
                #expect(
                    cell.hasPrefix("–") == (found.refusal(of: verb) != nil),
                    "\(row[0]) \(verb): \(cell)")
            }
        }
    }
}
