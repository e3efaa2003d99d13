import SluiceControl

/// An action that has a command, with that command.
struct NamedCommand: Hashable, Sendable {
    /// The action.
    let id: Action.ID
    /// The command.
    let command: Command
    /// One line of help.
    let help: String
}

extension Action {
    /// Every command of the table, by name.
    static let commandsByName: [NamedCommand] = all.compactMap { action in
        action.command.map { NamedCommand(id: action.id, command: $0, help: action.help) }
    }.sorted { $0.command.name < $1.command.name }

    /// The command that these words begin with, and how many words its name takes.
    static func command(in words: [String]) -> (command: NamedCommand, words: Int)? {
        for count in [2, 1] where words.count >= count {
            let name = Array(words.prefix(count)).joined(separator: " ")
            if let found = commandsByName.first(where: { $0.command.name == name }) {
                return (found, count)
            }
        }
        return nil
    }
}

extension Command {
    /// The line that says how the command is written.
    var usage: String {
        let rest = takesFilter ? " | --filter EXPR [--dry-run] [--yes]" : ""
        let own = options.isEmpty ? "" : " [OPTIONS]"
        return "sluice \(name)" + (arguments.isEmpty ? "" : " \(arguments)") + rest + own
    }

    /// The options that may be given more than once.
    static let repeatable: Set<String> = ["--group", "--requires", "--set"]
}

extension Command.Value {
    /// What stands after an option, for usage lines; empty for a flag.
    var placeholder: String {
        switch self {
        case .flag: ""
        case .text(let name), .bytes(let name): name
        case .choice(let words): words.joined(separator: "|")
        case .choiceOrFile(let words): words.joined(separator: "|") + "|F"
        case .duration: "D"
        case .time: "T"
        case .number: "N"
        case .size: "SIZE"
        case .file: "F"
        case .queue: "Q"
        case .task: "TASK"
        case .retryRule: "SPEC"
        }
    }
}
