import QueueControl
import QueueModel

/// The words of one command line after its verb, sorted into arguments and options by the table of
/// actions.
///
/// Options stand anywhere, as `--name value` or `--name=value`; `--` ends them; a word such as `-3`
/// is a value.
struct Arguments: Hashable, Sendable {
    /// The command that they are for.
    let command: Command
    /// The words that are no options, in their order.
    private(set) var values: [String] = []
    private var options: [String: [String]] = [:]

    /// Sorts `words`; throws `badValue` for an option that the command does not take.
    init(_ command: Command, words: ArraySlice<String>) throws(QueueError) {
        self.command = command
        let known = command.allOptions
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                values += rest
                return
            }
            guard Self.isOption(word) else {
                values.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = known.first(where: { $0.name == name }) else {
                throw .unknownOption(name, of: command)
            }
            let given = parts.count == 2 ? String(parts[1]) : nil
            try add(option, given, from: &rest)
        }
    }

    private mutating func add(
        _ option: Command.Option, _ given: String?, from rest: inout ArraySlice<String>
    ) throws(QueueError) {
        if option.value == .flag {
            guard let given else {
                options[option.name] = [""]
                return
            }
            throw .badValue(option.name, given, allowed: "no value, it is a switch")
        }
        let isNextKnown = rest.first.map { next in
            next == "--" || command.allOptions.contains { $0.name == next }
        }
        guard let value = given ?? (isNextKnown == false ? rest.popFirst() : nil) else {
            throw .usage("\(option.name) needs a value, \(option.value.placeholder)", of: command)
        }
        guard options[option.name] == nil || Command.repeatable.contains(option.name) else {
            throw .usage("\(option.name) is given twice", of: command)
        }
        options[option.name, default: []].append(value)
    }

    /// Whether a word is meant as an option: it begins with `-`, and is neither `-` alone nor a
    /// negative number.
    static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let second = word.dropFirst().first else { return false }
        return !(second.isASCII && second.isNumber)
    }

    /// Whether a switch is given.
    func has(_ name: String) -> Bool { options[name] != nil }

    /// The value of an option, as it was written.
    func text(_ name: String) -> String? { options[name]?.last }

    /// Every value of an option that may be repeated.
    func all(_ name: String) -> [String] { options[name] ?? [] }
}
