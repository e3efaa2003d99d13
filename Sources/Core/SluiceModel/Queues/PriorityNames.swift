/// The names that a queue has for priorities, which people say and are shown instead of numbers
/// (Q1).
public struct PriorityNames: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let name: String
        package let priority: Int
    }
    /// How many names a queue may have.
    package static let limit = 100

    /// The names, the one that runs first before the others.
    package let entries: [Entry]

    /// No names.
    public init() { entries = [] }

    /// Names with their priorities; nil where one could not be told from a number or from another
    /// name, or there are too many.
    public init?(_ pairs: [(name: String, priority: Int)]) {
        let entries = pairs.map { Entry(name: Names.composed($0.name), priority: $0.priority) }
        guard entries.count <= Self.limit, Set(entries.map(\.name)).count == entries.count,
            entries.allSatisfy({ Self.isName($0.name) })
        else { return nil }
        self.entries = entries.sorted { ($1.priority, $0.name) < ($0.priority, $1.name) }
    }

    /// Parses names such as `login=30,push=20`; `nil` if invalid.
    public init?(text: String) {
        var pairs: [(name: String, priority: Int)] = []
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        for part in text == "none" ? [] : parts {
            let words = part.split(separator: "=", omittingEmptySubsequences: false)
            guard words.count == 2, let priority = Int(Spelling.trimmed(words[1])) else {
                return nil
            }
            pairs.append((Spelling.trimmed(words[0]), priority))
        }
        self.init(pairs)
    }

    /// The names as `init(text:)` reads them.
    package var text: String {
        entries.isEmpty
            ? "none" : entries.map { "\($0.name)=\($0.priority)" }.joined(separator: ",")
    }

    /// The name of a priority; the first in the alphabet if it has several.
    package func name(of priority: Int) -> String? {
        entries.first { $0.priority == priority }?.name
    }

    /// A priority as people are shown it: by its name if it has one.
    package func shown(_ priority: Int) -> String { name(of: priority) ?? "\(priority)" }

    /// A priority's name with the number in parentheses.
    package func both(_ priority: Int) -> String {
        name(of: priority).map { "\($0) (\(priority))" } ?? "\(priority)"
    }

    private static func isName(_ name: String) -> Bool {
        Names.isValid(name) && Int(name) == nil && !name.contains { ",=".contains($0) }
            && name.first?.isWhitespace == false && name.last?.isWhitespace == false
    }
}

/// A priority from a user: a number, or a name that the task's queue defines.
public enum PriorityWord: Hashable, Sendable, ExpressibleByIntegerLiteral {
    case number(Int)
    case name(String)

    /// A number, or else a name.
    public init(_ text: String) {
        self = Int(text).map(PriorityWord.number) ?? .name(Names.composed(text))
    }

    /// The number that a program says.
    public init(integerLiteral value: Int) { self = .number(value) }

    /// The word as given.
    public var text: String {
        switch self {
        case .number(let number): "\(number)"
        case .name(let name): name
        }
    }
}

extension QueueSettings {
    /// The priority of a word in a queue with these settings. Throws `badValue` for an unknown
    /// name, with the nearest known name.
    package func priority(of word: PriorityWord, queue: String) throws(QueueError) -> Int {
        let name: String
        switch word {
        case .number(let number): return number
        case .name(let text): name = text
        }
        let entries = priorityNames.entries
        if let entry = entries.first(where: { $0.name == name }) { return entry.priority }
        let fix: String
        if let near = Spelling.nearest(to: name, among: entries.map(\.name)) {
            fix = "did you mean \(near)?"
        } else if entries.isEmpty {
            let command = ShellWord.command("queue set", queue, " --names NAME=N")
            fix = "a whole number, or sluice \(command) first"
        } else {
            fix = "allowed: a whole number, \(entries.map(\.name).joined(separator: ", "))"
        }
        throw QueueError(.badValue, "\(queue) has no priority named \"\(name)\"", fix: fix)
    }
}
