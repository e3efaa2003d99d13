/// Several words in a sentence.
package enum WordList {
    /// `a`, `a and b`, `a, b and c`; beyond `limit` words `a, b and 5 more`.
    package static func and(_ words: [String], limit: Int = 6) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        guard words.count > limit else {
            return words.dropLast().joined(separator: ", ") + " and \(last)"
        }
        let some = words.prefix(limit - 1).joined(separator: ", ")
        return "\(some) and \(words.count - limit + 1) more"
    }
}
