import SluiceSystem

/// The table of docs/notes/scenarios.md, and what the names of the tests say of it.
struct ScenarioTable {
    /// A scenario of one of the older systems.
    struct Row {
        var id: String
        var verdict: String
        var text: String
        /// The files of tests that prove it, such as OperationTests/BatchTests.
        var tests: [String]
        var columns: Int
    }

    /// The older systems, and the number of each one's last scenario.
    static let families = [
        ("CIO", 119), ("YTQ", 21), ("IDJ", 40), ("DBX", 35), ("PN", 19), ("KKT", 28),
    ]
    static let verdicts = ["same", "mended", "not ours"]

    var rows: [Row] = []
    /// The families with a complete scenario table, according to the page.
    var complete: [String] = []

    init(_ page: String) {
        let announcement = "Complete families:"
        for line in page.split(separator: "\n") {
            if line.hasPrefix(announcement) {
                complete = line.dropFirst(announcement.count).split { ", .".contains($0) }
                    .map(String.init).filter { $0 != "none" }
            }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .dropFirst().dropLast().map { Self.trimmed($0) }
            guard let id = cells.first, Self.ids(in: id) == [id] else { continue }
            rows.append(
                Row(
                    id: id, verdict: cells.count > 1 ? cells[1] : "",
                    text: cells.count > 2 ? cells[2] : "",
                    tests: cells.count > 3
                        ? cells[3].split(separator: ",").map { Self.trimmed($0) } : [],
                    columns: cells.count))
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// Every id of a family, such as CIO-01.
    static func range(_ family: String) -> [String] {
        let last = families.first { $0.0 == family }?.1 ?? 0
        return (1...max(last, 1)).map { "\(family)-\($0 < 10 ? "0" : "")\($0)" }
    }

    /// The scenario ids in a text, such as CIO-55, without rule ids such as CIO-R37.
    static func ids(in text: String) -> Set<String> {
        var found: Set<String> = []
        for (family, _) in families {
            for piece in text.split(separator: "\(family)-", omittingEmptySubsequences: false)
                .dropFirst()
            {
                let digits = piece.prefix { $0.isNumber }
                if digits.count >= 2 { found.insert("\(family)-\(digits)") }
            }
        }
        return found
    }

    /// The files of tests by the ids that names of their tests carry.
    static func named(in files: [SourceFile]) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for file in files {
            let path = "\(file.target)/\(file.name)"
            for name in names(in: file) {
                for id in ids(in: name) { found[id, default: []].insert(path) }
            }
        }
        return found
    }

    /// The names that a file gives its tests and suites: the texts that follow `@Test(`.
    private static func names(in file: SourceFile) -> [String] {
        let text = file.lines.joined(separator: "\n")
        return ["@Test(", "@Suite("].flatMap { mark in
            text.split(separator: mark, omittingEmptySubsequences: false).dropFirst()
                .compactMap { rest in
                    let begin = rest.drop { $0 == " " || $0 == "\n" }
                    guard begin.first == "\"" else { return nil }
                    return String(begin.dropFirst().prefix { $0 != "\"" })
                }
        }
    }

    /// The errors of the rows, alone and compared with the tests.
    func faults(against files: [SourceFile]) -> [String] {
        let named = Self.named(in: files)
        var found = wordFaults()
        for row in rows {
            for test in row.tests where named[row.id]?.contains(test) != true {
                found.append("\(row.id): no test in \(test) names it")
            }
            if row.tests.isEmpty { found.append("\(row.id): no test") }
        }
        let there = Set(rows.map(\.id))
        for id in named.keys where !there.contains(id) {
            found.append("\(id): no row, but \(named[id, default: []].sorted()) names it")
        }
        for family in complete {
            if !Self.families.contains(where: { $0.0 == family }) {
                found.append("\(family): no family")
            }
            for id in Self.range(family) where !there.contains(id) {
                found.append("\(id): no row, and its family is complete")
            }
        }
        return found.sorted()
    }

    private func wordFaults() -> [String] {
        var found: [String] = []
        var seen: Set<String> = []
        for row in rows {
            if row.columns != 4 { found.append("\(row.id): \(row.columns) columns") }
            if !seen.insert(row.id).inserted { found.append("\(row.id): two rows") }
            let family = String(row.id.prefix { $0 != "-" })
            if !Self.range(family).contains(row.id) { found.append("\(row.id): no scenario") }
            switch row.verdict {
            case "same": break
            case "mended" where row.text.contains("theirs"): break
            case "not ours" where row.text.contains("nearest:"): break
            default:
                found.append("\(row.id): \(row.verdict) needs \"theirs …\" or \"nearest: …\"")
            }
        }
        return found
    }
}
