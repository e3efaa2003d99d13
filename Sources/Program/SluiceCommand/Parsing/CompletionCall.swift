import SluiceControl
import SluiceModel
import SluiceStore

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

/// The words that a shell asks for.
extension Program {
    /// The line that requests file names from a shell. No name begins like this.
    static let filesMark = "\tfiles"

    /// The words that fit the last one, one on each line, or `filesMark`.
    func completions(of call: CompletionCall) -> Reply {
        switch CommandCompletion.words(after: call.words) {
        case .files: return Reply([.string(Self.filesMark)], [Self.filesMark])
        case .list(let found): return reply(found, for: call)
        case .queues: return reply(queueNames(call), for: call)
        }
    }

    private func reply(_ found: [String], for call: CompletionCall) -> Reply {
        let start = CommandCompletion.optionStart(of: call.current)
        let fitting = found.map { start + $0 }.filter { $0.hasPrefix(call.current) }
        return Reply(JSONValue(fitting), fitting.map(call.answer))
    }

    /// The queues of the store, or none if it cannot be read: a shell must not see errors.
    private func queueNames(_ call: CompletionCall) -> [String] {
        var common = CommonOptions(isReadOnly: true)
        let isValue = !CommandCompletion.optionStart(of: call.current).isEmpty
        let words = CommandCompletion.parted(call.words)
        if let place = words.lastIndex(of: "--store"), place + 1 < words.count {
            common.store = words[place + 1]
        }
        let session = CommandContext(host: host, common: common)
        defer { session.close() }
        let names = try? session.read { try $0.store.queues().map(\.name) }
        // The shell would treat a name with a leading `-` as an option.
        let mayBegin = isValue || CommandCompletion.endsOptions(words.dropLast())
        // A damaged store may hold anything, and this goes to a terminal.
        return (names ?? []).filter { Names.isValid($0) && (mayBegin || !$0.hasPrefix("-")) }
    }
}
