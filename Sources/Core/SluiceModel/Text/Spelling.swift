/// Finds the known word that somebody probably meant.
public enum Spelling {
    /// The word of `words` nearest to `text`, or nil where none is near: at most a third of the
    /// letters may differ (one at least), or one is the beginning of the other.
    public static func nearest(to text: String, among words: [String]) -> String? {
        let wanted = Array(text.lowercased())
        var best: (word: String, distance: Int)?
        for word in words {
            let letters = Array(word.lowercased())
            let isPrefix = wanted.count >= 2 && letters.starts(with: wanted)
            let distance = isPrefix ? 1 : editDistance(wanted, letters)
            let limit = max(1, max(wanted.count, letters.count) / 3)
            if distance <= limit, distance < best?.distance ?? .max { best = (word, distance) }
        }
        return best?.word
    }

    private static func editDistance(_ left: [Character], _ right: [Character]) -> Int {
        guard left.count <= 64, right.count <= 64 else { return .max }
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let replaced = previous[column] + (letter == other ? 0 : 1)
                current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[right.count]
    }
}

extension Spelling {
    /// The text without white space at its ends.
    static func trimmed(_ text: Substring) -> String {
        var rest = text
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
