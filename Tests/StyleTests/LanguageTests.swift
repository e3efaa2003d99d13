import Testing

/// The language rules of docs/contributing.md that a test can hold.
@Suite("language")
struct LanguageTests {
    /// Phrases of the table "Plain words", and the impersonal forms that the rules exclude.
    private static let phrases = [
        "beside", "behind", "stands", "tells", "lies", "is none", "whoever", "nobody", "somebody",
        "goes on", "for good", "at once", "meanwhile", "what is asked for", "of which",
    ]
    private static let openings = ["What", "Whoever", "Where", "So many", "Of", "That"]

    @Test("pages use plain words")
    func pages() throws {
        for page in try SourceTree.pages() {
            let prose = Self.prose(of: try SourceTree.text(page))
            let found = prose.flatMap(Self.phrases(in:))
            #expect(found == [], "\(page)")
        }
    }

    @Test("a comment begins with its subject and uses plain words")
    func comments() throws {
        for file in SourceTree.swift {
            #expect(Self.openings(in: file) == [], "\(file.path)")
            let comments = file.lines.filter { $0.drop { $0 == " " }.hasPrefix("//") }
            let found = Self.prose(of: comments.joined(separator: "\n")).flatMap(Self.phrases(in:))
            #expect(found == [] || file.path.hasSuffix("LanguageTests.swift"), "\(file.path)")
        }
    }

    @Test("a phrase is found as a whole word, a quoted one is not")
    func examples() {
        #expect(Self.phrases(in: "It stands beside a bystander.") == ["beside", "stands"])
        #expect(Self.prose(of: "a\n```\nbeside\n```\n| beside |\n`beside` b") == ["a", "` b"])
        #expect(Self.isOpening("Where it is") && !Self.isOpening("Whereas"))
    }

    /// The lines of a page without code, tables, headings and pictures.
    private static func prose(of page: String) -> [String] {
        var isCode = false
        return page.split(separator: "\n").compactMap { line in
            if line.hasPrefix("```") { isCode.toggle() }
            if isCode || ["```", "|", "#", "!["].contains(where: line.hasPrefix) { return nil }
            let pieces = line.split(separator: "`", omittingEmptySubsequences: false)
            return stride(from: 0, to: pieces.count, by: 2).map { String(pieces[$0]) }
                .joined(separator: "`")
        }
    }

    private static func phrases(in line: String) -> [String] {
        let words = line.lowercased().split { !$0.isLetter && $0 != "`" }
        return phrases.flatMap { phrase in
            let wanted = phrase.split(separator: " ")
            let count = words.indices.count { words[$0...].starts(with: wanted) }
            return [String](repeating: phrase, count: count)
        }
    }

    private static func isOpening(_ text: String) -> Bool {
        openings.contains { opening in
            text.hasPrefix(opening) && text.dropFirst(opening.count).first?.isLetter != true
        }
    }

    /// The first lines of doc comments that begin with an excluded word.
    private static func openings(in file: SourceFile) -> [String] {
        zip([""] + file.lines, file.lines).compactMap { before, line in
            let comment = line.drop { $0 == " " }
            let isFirst = !before.drop { $0 == " " }.hasPrefix("///")
            guard comment.hasPrefix("/// "), isFirst, isOpening(String(comment.dropFirst(4)))
            else { return nil }
            return "\(file.path): \(comment)"
        }
    }
}
