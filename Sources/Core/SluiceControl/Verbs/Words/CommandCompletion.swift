/// Completion at the cursor of a command line, from the table of actions.
package enum CommandCompletion {
    package enum Words: Hashable, Sendable {
        case list([String])
        case files
        /// The name of a queue of the store.
        case queues
    }

    /// Completions for the last of `words`, which may be empty.
    package static func words(after words: [String]) -> Words {
        let line = parted(words)
        let current = line.last ?? ""
        let before = Array(line.dropLast())
        guard let (named, count) = Action.command(in: before) else {
            return verbs(before, current)
        }
        let command = named.command
        if let value = openValue(before, command) {
            return candidates(for: value, current)
        }
        if current.hasPrefix("-"), !endsOptions(before) {
            return .list(command.allOptions.map(\.name))
        }
        let place = before.count - count - optionWords(before[count...], command)
        guard !command.argumentValues.isEmpty else { return .list([]) }
        let repeats = command.arguments.contains("…")
        guard place < command.argumentValues.count || repeats else { return .list([]) }
        let value = command.argumentValues[min(place, command.argumentValues.count - 1)]
        return candidates(for: value, current)
    }

    /// The words with each `--name=value` as two.
    package static func parted(_ words: [String]) -> [String] {
        words.flatMap { word in
            let start = optionStart(of: word)
            return start.isEmpty
                ? [word] : [String(start.dropLast()), String(word.dropFirst(start.count))]
        }
    }

    /// The part of `--name=value` up to the `=`; empty for any other word.
    package static func optionStart(of word: String) -> String {
        guard word.hasPrefix("--"), let end = word.firstIndex(of: "=") else { return "" }
        return String(word[...end])
    }

    /// Whether `--` has ended the options.
    package static func endsOptions(_ words: [String]) -> Bool { words.contains("--") }

    private static func verbs(_ before: [String], _ current: String) -> Words {
        let names = Action.commandsByName.map(\.command.name)
        let begin = before.joined(separator: " ") + (before.isEmpty ? "" : " ")
        let fitting = names.filter { $0.hasPrefix(begin) }.compactMap {
            $0.dropFirst(begin.count).split(separator: " ").first.map(String.init)
        }
        let unique = Set(fitting).sorted()
        if before.isEmpty, !unique.contains(where: { $0.hasPrefix(current) }) { return .files }
        return .list(unique)
    }

    /// The type of the value at the cursor, if it follows an option.
    private static func openValue(_ before: [String], _ command: Command) -> Command.Value? {
        guard let name = before.last,
            let option = command.allOptions.first(where: { $0.name == name }),
            option.value != .flag
        else { return nil }
        return option.value
    }

    private static func optionWords(_ words: ArraySlice<String>, _ command: Command) -> Int {
        var count = 0
        var isValue = false
        for word in words {
            if isValue || word.hasPrefix("-") { count += 1 }
            let option = isValue ? nil : command.allOptions.first { $0.name == word }
            isValue = option.map { $0.value != .flag } ?? false
        }
        return count
    }

    private static func candidates(for value: Command.Value, _ current: String) -> Words {
        switch value {
        case .choice(let words): .list(words)
        case .choiceOrFile(let words):
            words.contains { $0.hasPrefix(current) } ? .list(words) : .files
        case .file: .files
        case .queue: .queues
        case .flag, .text, .bytes, .duration, .time, .number, .size, .task, .retryRule: .list([])
        }
    }
}
