import SluiceControl
import SluiceModel
import SluiceSystem

/// A person's saved filters, used as `@NAME`: a file next to the keys file. Each line is
/// `NAME = FILTER`; a line that starts with `#` is a comment.
struct SavedFilters: Hashable, Sendable {
    var texts: [String: String] { filters.texts }
    private var filters = NamedFilters()
    private let path: String?
    private var lines: [String] = []

    /// Reads `$SLUICE_FILTERS`, else `filters` in the configuration folder; empty if the file does
    /// not exist. Throws `badValue` with the line of an error.
    init(_ environment: (String) -> String?) throws(QueueError) {
        path = PersonalFile.at("SLUICE_FILTERS", "filters", environment)?.path
        guard let path else { return }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Files.read(path, limitBytes: PersonalFile.limitBytes)
        } catch {
            if error.isMissing { return }
            throw QueueError(.badValue, error.sentence, fix: "fix the file, or name another")
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
                    .badValue, "\(path), line \(index + 1): \"\(line)\" is not a new NAME = FILTER",
                    fix: "write NAME = FILTER, each name once")
            }
            known[name] = text
        }
        filters = NamedFilters(known)
    }

    /// Saves a filter and replaces one with the same name. It may use the store's filters. Throws
    /// `badFilter` for an invalid filter and `badName` for an invalid name.
    mutating func save(
        _ name: String, _ text: String, beside shared: [String: String]
    ) throws(QueueError) {
        let (bare, line) = try filters.save(name, text, beside: shared)
        remove(line: bare)
        lines.append("\(bare) = \(line)")
        try write()
    }

    /// Removes a filter. Throws `badName` if it does not exist or others use it.
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
