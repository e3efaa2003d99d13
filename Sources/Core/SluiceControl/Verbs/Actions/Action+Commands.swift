extension Action {
    /// An action, and the command that it has.
    package typealias Named = (action: Action, command: Command)

    /// Every command of the table, by name.
    package static let commandsByName: [Named] = all.compactMap { action in
        action.command.map { (action, $0) }
    }.sorted { $0.command.name < $1.command.name }

    /// Other names of commands.
    private static let aliases = ["runners": "workers"]

    /// The command that these words begin with, and how many words its name takes.
    package static func command(in words: [String]) -> (named: Named, words: Int)? {
        for count in [2, 1] where words.count >= count {
            let name = Array(words.prefix(count)).joined(separator: " ")
            let own = aliases[name] ?? name
            if let found = commandsByName.first(where: { $0.command.name == own }) {
                return (found, count)
            }
        }
        return nil
    }
}

extension Command {
    /// The usage line.
    package var usage: String {
        let rest = takesFilter ? " | --filter EXPR [--dry-run] [--yes]" : ""
        let own = options.isEmpty ? "" : " [OPTIONS]"
        return "sluice \(name)" + (arguments.isEmpty ? "" : " \(arguments)") + rest + own
    }
}

extension Command.Value {
    /// The placeholder of an option's value in usage lines; empty for a flag.
    package var placeholder: String {
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
