import SluiceControl
import SluiceModel
import SluicePlatform

/// The filters that a person saved, which others name by `@`: a file beside that of the keys, with
/// a line `NAME = FILTER` for each and comments after `#` at the beginning of a line.
struct SavedFilters: Hashable, Sendable {
    /// The filters by their names.
    var texts: [String: String] { filters.texts }
    private var filters = NamedFilters()
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
        var known: [String: String] = [:]
        for (index, line) in lines.enumerated() {
            guard !Self.isComment(line) else { continue }
            guard let (name, text) = Self.parts(line), NamedFilters.isName(name), known[name] == nil
            else {
                throw QueueError(
                    .badValue, "\(path), line \(index + 1): \"\(line)\" is no filter of its own",
                    fix: "write NAME = FILTER, each name once")
            }
            known[name] = text
        }
        filters = NamedFilters(known)
    }

    /// Saves a filter, in place of one of the same name; it may be made with those of the store.
    /// Throws `badFilter` for what is none, `badName` for a name that is none.
    mutating func save(
        _ name: String, _ text: String, beside shared: [String: String]
    ) throws(QueueError) {
        let (bare, line) = try filters.save(name, text, beside: shared)
        remove(line: bare)
        lines.append("\(bare) = \(line)")
        try write()
    }

    /// Removes one. Throws `badName` where there is none, or where others stand on it.
    mutating func remove(
        _ name: String, beside shared: [String: String]
    ) throws(QueueError) {
        remove(line: try filters.remove(name, beside: shared))
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
}
