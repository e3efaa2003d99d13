import SluiceControl
import SluiceModel
import SluicePlatform

/// The filters that a person saved, which others name by `@`: a file beside that of the keys, with
/// a line `NAME = FILTER` for each and comments after `#` at the beginning of a line.
struct SavedFilters: Hashable, Sendable {
    /// The filters by their names.
    private(set) var texts: [String: String] = [:]
    private let path: String?
    private var lines: [String] = []

    /// Reads `$SLUICE_FILTERS`, else `filters` in the configuration folder; none where the file is
    /// not there. Throws `badValue` with the line of what is wrong in it.
    init(_ environment: (String) -> String?) throws(QueueError) {
        path = PersonalFile.at("SLUICE_FILTERS", "filters", environment)?.path
        guard let path else { return }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(path, limitBytes: PersonalFile.limitBytes)
        } catch {
            if error.isMissing { return }
            throw QueueError(.badValue, error.sentence, fix: "mend the file, or name another")
        }
        lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        while lines.last == "" { lines.removeLast() }
        for (index, line) in lines.enumerated() {
            guard !Self.isComment(line) else { continue }
            guard let (name, text) = Self.parts(line), Self.isName(name), texts[name] == nil else {
                throw QueueError(
                    .badValue, "\(path), line \(index + 1): \"\(line)\" is no filter of its own",
                    fix: "write NAME = FILTER, each name once")
            }
            texts[name] = text
        }
    }

    /// Saves a filter, in place of one of the same name. Throws `badFilter` for what is none.
    mutating func save(_ name: String, _ text: String) throws(QueueError) {
        let bare = name.hasPrefix("@") ? String(name.dropFirst()) : name
        guard Self.isName(bare) else {
            throw QueueError(
                .badName, "\"\(name)\" names no filter", fix: "use letters, digits, - and _")
        }
        let line = text.split { $0.isNewline }.joined(separator: " ")
        var known = texts
        known[bare] = line
        _ = try TaskFilter("@\(bare)", saved: known)
        remove(line: bare)
        lines.append("\(bare) = \(line)")
        texts[bare] = line
        try write()
    }

    /// Removes one. Throws `badName` where there is none, or where others stand on it.
    mutating func remove(_ name: String) throws(QueueError) {
        let bare = name.hasPrefix("@") ? String(name.dropFirst()) : name
        guard texts[bare] != nil else {
            let near = Spelling.nearest(to: bare, among: texts.keys.sorted())
            throw QueueError(
                .badName, "there is no saved filter \"\(bare)\"",
                fix: near.map { "did you mean \($0)?" } ?? "sluice filter list shows them")
        }
        var rest = texts
        rest[bare] = nil
        for other in rest.keys.sorted() {
            guard (try? TaskFilter("@\(other)", saved: texts)) != nil,
                (try? TaskFilter("@\(other)", saved: rest)) == nil
            else { continue }
            throw QueueError(
                .badName, "@\(other) is made with @\(bare)", fix: "remove or save @\(other) first")
        }
        remove(line: bare)
        texts = rest
        try write()
    }

    private mutating func remove(line name: String) {
        lines.removeAll { !Self.isComment($0) && Self.parts($0)?.name == name }
    }

    private func write() throws(QueueError) {
        guard let path else {
            throw QueueError(
                .badValue, "there is no place for saved filters",
                fix: "set HOME, or SLUICE_FILTERS to a file")
        }
        try PersonalFile(path: path, isNamed: true).write(lines.map { $0 + "\n" }.joined())
    }

    private static func isComment(_ line: String) -> Bool {
        let text = line.drop { $0 == " " || $0 == "\t" }
        return text.isEmpty || text.first == "#"
    }

    private static func parts(_ line: String) -> (name: String, text: String)? {
        guard let mark = line.firstIndex(of: "=") else { return nil }
        func trimmed(_ text: Substring) -> String {
            let isBlank = { (letter: Character) in letter == " " || letter == "\t" }
            var rest = text.drop(while: isBlank)
            while rest.last.map(isBlank) ?? false { rest.removeLast() }
            return String(rest)
        }
        let (name, text) = (trimmed(line[..<mark]), trimmed(line[line.index(after: mark)...]))
        return text.isEmpty ? nil : (name, text)
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }
}

/// `filter list`, `filter save` and `filter remove`.
enum FilterCall: Hashable, Sendable {
    case list
    case save(name: String, filter: String)
    case remove(name: String)

    /// Does it, and says what is saved then.
    func reply(_ environment: (String) -> String?) throws(QueueError) -> Reply {
        var saved = try SavedFilters(environment)
        var lines: [String] = []
        switch self {
        case .list:
            let width = saved.texts.keys.map(\.count).max() ?? 0
            lines = saved.texts.sorted { $0.key < $1.key }.map { name, text in
                "@\(name)\(String(repeating: " ", count: width - name.count))  \(text)"
            }
            if lines.isEmpty {
                lines = ["no filter is saved: sluice filter save NAME 'FILTER' saves one"]
            }
        case .save(let name, let filter):
            try saved.save(name, filter)
            let bare = name.hasPrefix("@") ? name : "@\(name)"
            lines = ["\(bare) is saved: sluice list --filter \(bare)"]
        case .remove(let name):
            try saved.remove(name)
            lines = ["\(name.hasPrefix("@") ? name : "@\(name)") is removed"]
        }
        let filters = saved.texts.sorted { $0.key < $1.key }.map { name, text -> JSONValue in
            ["name": .string(name), "filter": .string(text), "shared": .bool(false)]
        }
        var reply = Reply(["filters": .array(filters)], lines)
        reply.isConfirmation = self != .list
        return reply
    }
}
