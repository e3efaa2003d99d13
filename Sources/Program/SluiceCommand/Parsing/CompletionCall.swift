import SluiceControl

/// What a shell asks for at its cursor: `__complete -- WORD…` where it takes quotes away and puts
/// them by itself, `__complete bash BREAKS LINE` where it does neither.
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

    /// The word that is being written.
    var current: String { words.last ?? "" }

    /// What the shell is answered so that the last word becomes this one.
    func answer(_ word: String) -> String { line?.completed(word) ?? word }
}
