package import SluiceModel

/// The words of a command line after its verb, sorted into arguments and options by the table of
/// actions.
///
/// Options may occur anywhere, as `--name value` or `--name=value`; `--` ends them. A word such as
/// `-3` is a value. Only a payload and a client string may contain bytes that are not text.
package struct Arguments: Hashable, Sendable {
    /// The command that they are for.
    package let command: Command
    private var words: [Word] = []
    private var options: [String: [Word]] = [:]
    /// The saved filters that `--filter` may name.
    package var savedFilters: [String: String] = [:]
    /// Whether tasks are named by the ids of another system, which may be any text.
    package var takesForeignTasks = false

    /// Sorts `words`; throws `badValue` for an option that the command does not take, and for bytes
    /// that are no text where one is wanted.
    package init(_ command: Command, words: ArraySlice<Word>) throws(QueueError) {
        self.command = command
        let known = command.allOptions
        var rest = words
        while let word = rest.popFirst() {
            if word.text == "--" {
                self.words += rest
                break
            }
            guard Self.isOption(word.text) else {
                self.words.append(word)
                continue
            }
            let (name, given) = word.parts
            guard let option = known.first(where: { $0.name == name }) else {
                throw .unknownOption(name, of: command)
            }
            try add(option, given, from: &rest)
        }
        for (place, word) in self.words.enumerated() {
            let kinds = command.argumentValues
            let kind = kinds.indices.contains(place) ? kinds[place] : kinds.last ?? .text("word")
            try Self.check(word, as: kind, of: kind.placeholder)
        }
    }

    private mutating func add(
        _ option: Command.Option, _ given: Word?, from rest: inout ArraySlice<Word>
    ) throws(QueueError) {
        if option.value == .flag {
            guard let given else {
                options[option.name] = [Word("")]
                return
            }
            throw .badValue(option.name, given.text, allowed: "no value, it is a switch")
        }
        let isNextKnown = rest.first.map { next in
            next.text == "--" || command.allOptions.contains { $0.name == next.text }
        }
        guard let value = given ?? (isNextKnown == false ? rest.popFirst() : nil) else {
            throw .usage("\(option.name) needs a value, \(option.value.placeholder)", of: command)
        }
        guard options[option.name] == nil || option.repeats else {
            throw .usage("\(option.name) is given twice", of: command)
        }
        try Self.check(value, as: option.value, of: option.name)
        options[option.name, default: []].append(value)
    }

    private static func check(
        _ word: Word, as kind: Command.Value, of name: String
    ) throws(QueueError) {
        if word.isText { return }
        if case .bytes = kind { return }
        throw QueueError(
            .badValue, "\(name): \"\(word.text)\" is not UTF-8",
            fix: "write it in UTF-8; a payload and a client string may be any bytes")
    }

    /// Whether a word is an option: it begins with `-`, and is not `-` alone or a negative number.
    package static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
        return !(second.isASCII && second.isNumber)
    }

    /// Whether the command line has an option.
    package func has(_ name: String) -> Bool { options[name] != nil }

    /// The words that are no options, in their order.
    package var values: [String] { words.map(\.text) }

    /// The word at a place, byte for byte; nil where there are fewer.
    package func bytes(at place: Int) -> [UInt8]? {
        words.indices.contains(place) ? words[place].bytes : nil
    }

    /// The last value of an option, as typed.
    package func text(_ name: String) -> String? { options[name]?.last?.text }

    /// The command line with other arguments and the same options.
    package func line(_ values: [String]) -> String {
        let given = command.allOptions.flatMap { option in
            (options[option.name] ?? []).map { value in
                option.name + (option.value == .flag ? "" : " \(ShellWord.quoted(value.text))")
            }
        }
        return (["sluice", command.name] + values.map(ShellWord.quoted) + given)
            .joined(separator: " ")
    }

    /// The filter of `--filter`.
    package func filter() throws(QueueError) -> TaskFilter? {
        try text("--filter").map { (text) throws(QueueError) in try filter(of: text) }
    }

    /// The filter of a person's text. `@name` in it is a saved filter.
    package func filter(of text: String) throws(QueueError) -> TaskFilter {
        try TaskFilter(text, saved: savedFilters)
    }

    /// The same, byte for byte.
    package func bytes(_ name: String) -> [UInt8]? { options[name]?.last?.bytes }

    /// All values of a repeatable option.
    package func all(_ name: String) -> [String] { options[name]?.map(\.text) ?? [] }
}

extension Action {
    /// The verb in the words of its command; `nil` if the action or these words only read.
    package func read(_ words: Arguments) throws(QueueError) -> Verb? { try reads?(words) }
}
