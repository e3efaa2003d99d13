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
    ///
    /// Each program does this first, so it neither sorts the table nor uses generic code, whose
    /// types the runtime would look up.
    package static func command(in words: [String]) -> (named: Named, words: Int)? {
        guard let first = words.first else { return nil }
        if words.count > 1, let found = command(named: first + " " + words[1]) {
            return (found, 2)
        }
        return command(named: first).map { ($0, 1) }
    }

    private static func command(named name: String) -> Named? {
        let own = aliases[name] ?? name
        for action in all {
            if let command = action.command, command.name == own { return (action, command) }
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
