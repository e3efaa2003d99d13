import SluiceControl

/// A completion request: `__complete -- WORD…` from shells that handle quotes themselves, and
/// `__complete bash BREAKS LINE` from bash, which does not.
struct CompletionCall: Hashable, Sendable {
    /// The words after `sluice`; the last one is being written, and may be empty.
    let words: [String]
    private let line: ShellLine?

    /// The call of these words.
    init(_ words: ArraySlice<String>) {
        let words = Array(words)
        if words.count == 3, words[0] == Shell.bash.rawValue {
            let line = ShellLine(words[2], breaks: words[1])
            self.line = line
            self.words = Array(line.words.dropFirst())
        } else {
            line = nil
            self.words = words.first == "--" ? Array(words.dropFirst()) : words
        }
    }

    /// The incomplete word.
    var current: String { words.last ?? "" }

    /// The answer that makes the shell complete the last word to `word`.
    func answer(_ word: String) -> String { line?.completed(word) ?? word }
}
