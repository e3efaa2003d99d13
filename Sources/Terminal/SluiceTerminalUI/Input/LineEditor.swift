/// An input line: text, cursor, history and cut text.
package struct LineEditor: Hashable, Sendable {
    /// The effect of a key on the line.
    package enum Outcome: Hashable, Sendable {
        /// The text changed.
        case edited
        /// Only the cursor moved, or nothing at an edge.
        case moved
        case submitted
        /// Escape or Ctrl-C.
        case cancelled
        /// Tab: the editor wants completions for `wordBeforeCursor`.
        case completionRequested
        /// The key means nothing here.
        case ignored
    }

    /// A longer text is not taken.
    package static let maximumLength = 64 * 1024

    package private(set) var characters: [Character]
    /// The place of the cursor, from 0 to the count of characters.
    package private(set) var cursor: Int
    /// Former lines, the oldest first.
    private let history: [String]
    private var historyPlace: Int
    private var draft: [Character] = []
    private var killed: [Character] = []

    /// Makes a line with the cursor at its end.
    package init(_ text: String = "", history: [String] = []) {
        characters = Self.singleLine(text)
        cursor = characters.count
        self.history = history
        historyPlace = history.count
    }

    package var isRecalled: Bool { historyPlace < history.count }

    package var text: String { String(characters) }

    /// The word before the cursor. Blanks separate words.
    package var wordBeforeCursor: String {
        String(characters[wordStart(isWord: { $0 != " " }, skipsOthers: false)..<cursor])
    }

    /// Replaces the whole text and puts the cursor at its end.
    package mutating func replace(with text: String) {
        characters = Self.singleLine(text)
        cursor = characters.count
    }

    /// Inserts typed or pasted text at the cursor; breaks and tabs become blanks, other control
    /// characters are left out.
    package mutating func insert(_ text: String) {
        let added = Self.singleLine(text).prefix(max(0, Self.maximumLength - characters.count))
        characters.insert(contentsOf: added, at: cursor)
        // Marks join the character before them, so the count may have grown by less.
        let before = String(characters[..<(cursor + added.count)])
        let joined = Array(before)
        characters = joined + characters[(cursor + added.count)...]
        cursor = joined.count
    }

    /// Replaces `wordBeforeCursor` with a completion.
    package mutating func complete(with word: String) {
        let start = wordStart(isWord: { $0 != " " }, skipsOthers: false)
        characters.removeSubrange(start..<cursor)
        cursor = start
        insert(word)
    }

    /// Does what a key means to the line.
    package mutating func handle(_ key: Key) -> Outcome {
        switch key {
        case .character(let character):
            insert(String(character))
            return .edited
        case .enter: return .submitted
        case .escape, .control("c"), .control("g"): return .cancelled
        case .tab: return .completionRequested
        default: return edit(key) ?? move(key) ?? .ignored
        }
    }

    /// The part of the line that a width shows, with the column of the cursor in it.
    package func window(
        width: Int, glyphs: GlyphSet = .unicode
    ) -> (text: String, cursorColumn: Int) {
        guard width > 0 else { return ("", 0) }
        let before = characters[..<cursor].map { DisplayText.width(String($0), glyphs: glyphs) }
        var start = cursor
        var column = 0
        while start > 0, column + before[start - 1] < width {
            start -= 1
            column += before[start]
        }
        var shown = ""
        var room = width
        for character in characters[start...] {
            let text = DisplayText.sanitized(String(character), glyphs: glyphs)
            room -= DisplayText.width(text, glyphs: glyphs)
            if room < 0 { break }
            shown += text
        }
        return (shown, column)
    }

    private mutating func edit(_ key: Key) -> Outcome? {
        switch key {
        case .backspace: remove(max(0, cursor - 1)..<cursor)
        case .delete, .control("d"): remove(cursor..<min(cursor + 1, characters.count))
        case .control("w"):
            kill(wordStart(isWord: { $0 != " " })..<cursor)
        case .modified(.alt, .backspace): kill(wordStart()..<cursor)
        case .alt("d"): kill(cursor..<wordEnd())
        case .control("u"): kill(0..<cursor)
        case .control("k"): kill(cursor..<characters.count)
        case .control("y"): insert(String(killed))
        default: return nil
        }
        return .edited
    }

    private mutating func move(_ key: Key) -> Outcome? {
        switch key {
        case .left, .control("b"): cursor = max(0, cursor - 1)
        case .right, .control("f"): cursor = min(characters.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = characters.count
        case .alt("b"), .modified(.control, .left), .modified(.alt, .left): cursor = wordStart()
        case .alt("f"), .modified(.control, .right), .modified(.alt, .right): cursor = wordEnd()
        case .up, .control("p"): return recall(by: -1)
        case .down, .control("n"): return recall(by: 1)
        default: return nil
        }
        return .moved
    }

    private mutating func recall(by step: Int) -> Outcome {
        let place = historyPlace + step
        guard (0...history.count).contains(place) else { return .moved }
        if historyPlace == history.count { draft = characters }
        historyPlace = place
        characters = place == history.count ? draft : Self.singleLine(history[place])
        cursor = characters.count
        return .edited
    }

    private mutating func remove(_ range: Range<Int>) {
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    private mutating func kill(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        killed = Array(characters[range])
        remove(range)
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber
    }

    private func wordStart(
        isWord: (Character) -> Bool = LineEditor.isWord, skipsOthers: Bool = true
    ) -> Int {
        var place = cursor
        while skipsOthers, place > 0, !isWord(characters[place - 1]) { place -= 1 }
        while place > 0, isWord(characters[place - 1]) { place -= 1 }
        return place
    }

    private func wordEnd() -> Int {
        var place = cursor
        while place < characters.count, !Self.isWord(characters[place]) { place += 1 }
        while place < characters.count, Self.isWord(characters[place]) { place += 1 }
        return place
    }

    private static func singleLine(_ text: String) -> [Character] {
        text.compactMap { character in
            if character.isNewline || character == "\t" { return " " }
            let isControl = character.unicodeScalars.contains {
                $0.value < 0x20 || (0x7f..<0xa0).contains($0.value)
            }
            return isControl ? nil : character
        }
    }
}
