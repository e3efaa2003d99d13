import QueueControl
import QueueModel
import QueueStore

/// The words that a shell asks for.
extension Program {
    /// The words that fit the last one of `words`, one on each line, or `:files`.
    func completions(of words: [String]) -> Reply {
        switch Completion.words(after: words) {
        case .files: return Reply([":files"], [":files"])
        case .list(let found): return reply(found, for: words)
        case .queues: return reply(queueNames(words), for: words)
        }
    }

    private func reply(_ found: [String], for words: [String]) -> Reply {
        let last = words.last ?? ""
        let current = last == "=" ? "" : last
        let fitting = found.filter { $0.hasPrefix(current) }
        return Reply(JSONValue(fitting), fitting.map(SafeText.visible))
    }

    /// The queues of the store, or none where it cannot be read: a shell must not see errors.
    private func queueNames(_ words: [String]) -> [String] {
        var common = CommonOptions(isReadOnly: true)
        if let place = words.lastIndex(of: "--store"), place + 1 < words.count {
            common.store = words[place + 1]
        }
        let session = Session(host: host, common: common)
        defer { session.close() }
        let names = try? session.read { try $0.store.queues().map(\.name) }
        return names ?? []
    }
}
