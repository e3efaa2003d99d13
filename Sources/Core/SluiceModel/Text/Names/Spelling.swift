/// Finds the known word that a user probably meant.
package enum Spelling {
    /// The word of `words` nearest to `text`, or nil if none is near: at most a third of the
    /// letters may differ (one at least), or it is the beginning of the word. Letters that changed
    /// places count as one difference.
    package static func nearest(to text: String, among words: [String]) -> String? {
        near(text, among: words).first?.word
    }

    /// The words near to `text` with how many letters differ, the nearest first.
    package static func near(
        _ text: String, among words: [String]
    ) -> [(word: String, distance: Int)] {
        let wanted = letters(of: text)
        var found: [(word: String, distance: Int)] = []
        for word in words {
            let letters = letters(of: word)
            let isPrefix = wanted.count >= 2 && letters.starts(with: wanted)
            let distance = isPrefix ? 1 : editDistance(wanted, letters)
            let limit = max(1, max(wanted.count, letters.count) / 3)
            if distance <= limit { found.append((word, distance)) }
        }
        // The order of words that are equally near stays.
        return found.enumerated().sorted {
            ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset)
        }.map(\.element)
    }

    /// The letters that tell words apart: the dashes before an option are no part of its name.
    private static func letters(of text: String) -> [Character] {
        Array(text.lowercased().drop { $0 == "-" })
    }

    private static func editDistance(_ left: [Character], _ right: [Character]) -> Int {
        guard left.count <= 64, right.count <= 64 else { return .max }
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let replaced = previous[column] + (left[row] == right[column] ? 0 : 1)
                var least = min(replaced, previous[column + 1] + 1, current[column] + 1)
                let isSwapped =
                    row > 0 && column > 0 && left[row] == right[column - 1]
                    && left[row - 1] == right[column]
                if isSwapped { least = min(least, before[column - 1] + 1) }
                current.append(least)
            }
            (before, previous) = (previous, current)
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
