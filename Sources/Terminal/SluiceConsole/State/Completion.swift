import SluiceControl
import SluiceModel

/// What Tab makes of a line: the word to put there, and the choices when there are several.
struct Completion: Hashable {
    var word: String?
    var choices: [String]

    /// Completes the last word of a command from the table of actions; behind `open` one of the
    /// stores that were shown.
    init(command line: String, queues: [String], stores: [String] = []) {
        let words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        let isNewWord = line.isEmpty || line.hasSuffix(" ")
        let word = isNewWord ? "" : words.last ?? ""
        let before = isNewWord ? words : Array(words.dropLast())
        guard before.first != "open" else {
            self.init(word, among: before.count == 1 ? stores : [])
            return
        }
        let own = before.isEmpty && !word.isEmpty ? ["open"] : []
        self.init(word, among: Self.candidates(after: before, word, queues: queues) + own)
    }

    /// Completes a word of a filter.
    init(filter word: String, queues: [String], types: [String]) {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            self.init(word, among: TaskFilter.keys.map { $0 + ":" }, suffix: "")
            return
        }
        let key = String(parts[0])
        let values: [String]
        switch key {
        case "state": values = TaskFilter.State.allCases.map(\.rawValue)
        case "queue": values = queues
        case "type": values = types
        default: values = []
        }
        self.init(word, among: values.map { "\(key):\($0)" })
    }

    private init(_ word: String, among candidates: [String], suffix: String = " ") {
        choices = candidates.filter { $0.hasPrefix(word) }
        if choices.count == 1, let only = choices.first {
            self.word = only + suffix
        } else {
            let common = Self.commonPrefix(choices)
            self.word = common.count > word.count ? common : nil
        }
    }

    private static func candidates(
        after before: [String], _ word: String, queues: [String]
    ) -> [String] {
        switch CommandCompletion.words(after: before + [word]) {
        case .list(let words): word.hasPrefix("-") ? words.sorted() : words
        case .queues: queues
        case .files: []
        }
    }

    private static func commonPrefix(_ words: [String]) -> String {
        guard var prefix = words.first else { return "" }
        for word in words { while !word.hasPrefix(prefix) { prefix.removeLast() } }
        return prefix
    }
}
