package import SluiceModel

/// The words of a command line after its verb, sorted into arguments and options by the table of
/// actions.
///
/// Options may occur anywhere, as `--name value` or `--name=value`; `--` ends them. A word such as
/// `-3` is a value. Only a payload and a client string may contain bytes that are not text.
package struct Arguments: Hashable, Sendable {
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

/// Parsed values of options and arguments. Each throws `badValue` with the option, the value and
/// the allowed values.
extension Arguments {
    package func number(
        _ name: String, in range: ClosedRange<Int64> = .min ... .max
    ) throws(QueueError) -> Int64? {
        guard let text = text(name) else { return nil }
        return try Self.number(text, of: name, in: range)
    }

    /// A count: a whole number of at least `least`.
    package func count(_ name: String, atLeast least: Int = 1) throws(QueueError) -> Int? {
        try number(name, in: Int64(least)...Int64(Int32.max)).map(Int.init)
    }

    /// A whole number in a range, read from any text.
    package static func number(
        _ text: String, of name: String, in range: ClosedRange<Int64> = .min ... .max
    ) throws(QueueError) -> Int64 {
        if let number = Int64(text), range.contains(number) { return number }
        let excess = NumberText.excess(of: text)
        let namesLeast = range.lowerBound > .min || excess == "too small"
        let least = namesLeast ? " of at least \(range.lowerBound)" : ""
        let namesMost = range.upperBound < Int64(Int32.max) || excess == "too large"
        let most = namesMost ? "\(least.isEmpty ? "" : " and") at most \(range.upperBound)" : ""
        throw .badValue(name, text, allowed: "a whole number" + least + most)
    }

    /// A priority: a whole number, or a name that only the queue knows.
    package static func priority(_ text: String, of name: String) throws(QueueError) -> PriorityWord
    {
        if case .number(let number) = PriorityWord(text) { return .number(number) }
        // Text that begins like a number is an invalid or too large number.
        let isNumeric = text.first.map { "+-0123456789".contains($0) } ?? true
        guard !isNumeric else {
            throw .badValue(name, text, allowed: "a whole number, or a name that the queue has")
        }
        try Names.check(text, of: "priority")
        return PriorityWord(text)
    }

    /// Milliseconds, written as a duration.
    package func milliseconds(_ name: String) throws(QueueError) -> Int64? {
        guard let text = text(name) else { return nil }
        return try Self.milliseconds(text, of: name)
    }

    /// Milliseconds from any text.
    package static func milliseconds(_ text: String, of name: String) throws(QueueError) -> Int64 {
        if let milliseconds = DurationText.milliseconds(text) { return milliseconds }
        throw .badValue(name, text, allowed: "a duration such as 250ms, 30s, 15m, 2h, 3d")
    }

    /// A size in bytes, such as `64MiB`.
    package func bytes(_ name: String) throws(QueueError) -> Int64? {
        guard let text = text(name) else { return nil }
        guard let bytes = SizeText.bytes(text) else {
            throw .badValue(name, text, allowed: "a size such as 64KiB or 2MiB")
        }
        return Int64(bytes)
    }

    /// A moment, written as a time or a duration from now.
    package func moment(_ name: String) throws(QueueError) -> Moment? {
        guard let text = text(name) else { return nil }
        return try Self.moment(text, of: name)
    }

    package static func moment(_ text: String, of name: String) throws(QueueError) -> Moment {
        if let moment = Moment(text) { return moment }
        throw .badValue(
            name, text, allowed: "now, +5m, 2h, or RFC 3339 such as 2026-01-31T14:03:22Z")
    }

    /// One of the words of an enumeration.
    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, as type: Choice.Type = Choice.self
    ) throws(QueueError) -> Choice? where Choice.RawValue == String {
        guard let text = text(name) else { return nil }
        return try Self.choice(text, of: name)
    }

    /// One of the words of an enumeration, from any text.
    package static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, of name: String
    ) throws(QueueError) -> Choice where Choice.RawValue == String {
        if let choice = Choice(rawValue: text) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        throw .badValue(name, text, allowed: words.joined(separator: ", "))
    }

    package func task(_ name: String) throws(QueueError) -> TaskReference? {
        guard let text = text(name) else { return nil }
        return try task(text, of: name)
    }

    package func task(_ text: String, of name: String) throws(QueueError) -> TaskReference {
        if takesForeignTasks { return .foreign(text) }
        if let reference = try? TaskReference(text) { return reference }
        throw .badValue(
            name, text, allowed: "#1042, 1042, or 4 or more characters of its UUID in a folder")
    }

    /// A name of a queue, type, group or unique key; throws `badName`.
    package func name(_ option: String, of what: String) throws(QueueError) -> String? {
        guard let text = text(option) else { return nil }
        try Names.check(text, of: what)
        return text
    }
}

/// Words that several verbs read alike.
extension Arguments {
    /// A whole number sorts as one; anything else as text.
    package static func sortKey(_ text: String) -> SortKey {
        Int64(text).map(SortKey.integer) ?? .text(text)
    }

    package static func requirements(
        _ names: [String], of option: String
    ) throws(QueueError) -> Set<Requirement> {
        var requirements: Set<Requirement> = []
        for name in names { requirements.insert(try choice(name, of: option)) }
        return requirements
    }

    /// A count of at least 1, or nil for `none`.
    static func countOrNone(_ text: String, of name: String) throws(QueueError) -> Int? {
        if text == "none" { return nil }
        guard let count = Int32(text), count > 0 else {
            throw .badValue(name, text, allowed: "none, or a whole number of at least 1")
        }
        return Int(count)
    }

    /// `yes` or `no`.
    static func yesOrNo(_ text: String, of name: String) throws(QueueError) -> Bool {
        switch text {
        case "yes", "true": return true
        case "no", "false": return false
        default: throw .badValue(name, text, allowed: "yes, no")
        }
    }
}

/// The words that are no options.
extension Arguments {
    /// The one argument, checked as a queue's name.
    package func oneQueue() throws(QueueError) -> String {
        let name = try one("QUEUE")
        try Names.check(name, of: "queue")
        return name
    }

    package func one(_ what: String) throws(QueueError) -> String {
        guard let value = values.first else { throw .usage("\(what) is missing", of: command) }
        try refuseMore(than: 1)
        return value
    }

    package func atMostOne() throws(QueueError) -> String? {
        try refuseMore(than: 1)
        return values.first
    }

    /// Throws for more than `count` arguments.
    package func refuseMore(than count: Int) throws(QueueError) {
        guard values.count > count else { return }
        throw .usage(tooMany(count), of: command)
    }

    /// The same where an argument is a filter or another text that has blanks: it is shown in
    /// quotes. Of two arguments `isSecond` knows the second.
    package func refuseUnquoted(
        than count: Int, isSecond: (String) -> Bool = { _ in false }
    ) throws(QueueError) {
        guard values.count > count else { return }
        let rest = values.count - count + 1
        func joined(_ begin: Int, _ end: Int) -> String {
            values[begin..<end].joined(separator: " ")
        }
        var texts = Array(values[..<(count - 1)]) + [joined(count - 1, values.count)]
        if count == 2, let size = (1...rest).first(where: { isSecond(joined($0, values.count)) }) {
            texts = [joined(0, size), joined(size, values.count)]
        }
        throw QueueError(
            .badValue, "\(command.name): \(tooMany(count))",
            fix: "quote arguments with blanks: \(line(texts))")
    }

    private func tooMany(_ count: Int) -> String {
        "\"\(values[count])\" is one argument too many"
    }
}
