import SluiceControl
import SluiceModel

/// The help of the program and of each verb, from the table of actions.
enum Help {
    /// Help for one verb, or for all.
    static func reply(_ topic: String?) -> Reply {
        if let topic = topic.flatMap(HelpTopic.named) {
            let text = topic.lines.joined(separator: "\n")
            return Reply(["topic": .string(topic.name), "text": .string(text)], topic.lines)
        }
        let named = topic.flatMap { name in
            Action.commandsByName.first { $0.command.name == name }
        }
        guard let named else { return overview }
        let lines = lines(named)
        let json: JSONValue = [
            "verb": .string(named.command.name),
            "usage": .string(named.command.usage),
            "text": .string(lines.joined(separator: "\n")),
        ]
        return Reply(json, lines)
    }

    private static var overview: Reply {
        let list: [JSONValue] = Action.commandsByName.map { verb in
            [
                "verb": .string(verb.command.name),
                "usage": .string(verb.command.usage),
                "text": .string(verb.action.help),
            ]
        }
        let groups = Group.allCases.flatMap { group in
            ["", group.rawValue] + table(group.verbs.map { ($0.command.name, $0.action.help) })
        }
        let topics =
            ["", "More: sluice help VERB, sluice help TOPIC"]
            + table(HelpTopic.all.map { ($0.name, $0.line) })
        return Reply(
            ["verbs": .array(list)], head + groups + commonOptions + exitCodes + values + topics)
    }

    private static func table(_ rows: [(name: String, text: String)]) -> [String] {
        let width = Action.commandsByName.map(\.command.name.count).max() ?? 0
        return rows.map { "  \(padded($0.name, width))  \($0.text)" }
    }

    /// What a verb is for: the verbs stand in the order of the table of actions.
    private enum Group: String, CaseIterable {
        case look = "Look"
        case task = "Tasks"
        case queue = "Queues"
        case store = "Store and program"

        var verbs: [Action.Named] {
            Action.all.compactMap { action in
                guard let command = action.command, Group(action, command) == self else {
                    return nil
                }
                return (action, command)
            }
        }

        private init(_ action: Action, _ command: Command) {
            if action.verb != nil || [.enqueue, .undo, .redo].contains(action.id) {
                self = .task
            } else if command.changes {
                self = action.subject == .queue || action.id == .work ? .queue : .store
            } else {
                self = action.subject == .program || action.id == .export ? .store : .look
            }
        }
    }

    private static let head = [
        "sluice [STORE]                 opens the console",
        "sluice VERB [ARGS] [OPTIONS]   one command",
    ]
    private static let exitCodes = [
        "", "Exit codes",
        "  0    done",
        "  1    refused or failed; step with nothing that could start",
        "  2    usage, configuration, the store cannot be opened, nobody can be asked",
        "  3    partly done: what was not is named",
        "  130  interrupted",
    ]
    private static let values = [
        "", "Values",
        "  store     a file or postgres://…: --store, else $SLUICE_STORE, else ./sluice.db",
        "  time      RFC 3339, +5m, 2h, now",
        "  duration  250ms, 30s, 15m, 3d",
        "  size      64KiB, 2MiB",
    ]
    private static var commonOptions: [String] {
        ["", "Every verb takes"] + options(Command.common)
    }

    private static func lines(_ named: Action.Named) -> [String] {
        let command = named.command
        var lines = [command.usage, "", "  \(named.action.help)"]
        let own = command.options + (command.takesFilter ? Command.bulk : [])
        if !own.isEmpty { lines += [""] + options(own) }
        lines += commonOptions
        let notes = named.action.verb?.notes ?? notes[command.name] ?? []
        if !notes.isEmpty { lines += [""] + notes }
        return lines
    }

    private static func options(_ options: [Command.Option]) -> [String] {
        let names = options.map { option in
            let value = option.value.placeholder
            return option.name + (value.isEmpty ? "" : " \(value)")
        }
        let width = min(34, names.map(\.count).max() ?? 0)
        return zip(names, options).map { name, option in
            "  \(padded(name, width))  \(option.help)"
                + (Command.repeatable.contains(option.name) && !option.help.contains("repeated")
                    ? "; may be repeated" : "")
        }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
