import QueueControl
import QueueModel

/// The help of the program and of each verb, from the table of actions.
enum Help {
    /// Help for one verb, or for all.
    static func reply(_ topic: String?) -> Reply {
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
        let verbs = Action.commandsByName
        let width = verbs.map(\.command.name.count).max() ?? 0
        let table = verbs.map { "  \(padded($0.command.name, width))  \($0.help)" }
        let list: [JSONValue] = verbs.map { verb in
            [
                "verb": .string(verb.command.name),
                "usage": .string(verb.command.usage),
                "text": .string(verb.help),
            ]
        }
        return Reply(["verbs": .array(list)], head + table + commonOptions + tail)
    }

    private static let head = [
        "sluice [STORE]                 opens the console",
        "sluice VERB [ARGS] [OPTIONS]   one command", "",
    ]
    private static let tail = [
        "", "A store is an SQLite file: --store, else $SLUICE_STORE, else ./sluice.db.",
        "Times: RFC 3339, +5m, 2h, now. Durations: 250ms, 30s, 15m, 3d. Sizes: 64KiB, 2MiB.",
        "sluice help VERB tells more.",
    ]
    private static var commonOptions: [String] {
        ["", "Every verb takes:"] + options(Command.common)
    }

    private static func lines(_ named: NamedCommand) -> [String] {
        let command = named.command
        var lines = [command.usage, "", "  \(named.help)"]
        let own = command.options + (command.takesFilter ? Command.bulk : [])
        if !own.isEmpty { lines += [""] + options(own) }
        lines += commonOptions
        if let note = notes[command.name] { lines += [""] + note }
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

    /// What the JSON of a verb holds where its shape is its own, and what else is worth saying.
    private static let notes: [String: [String]] = [
        "init": [#"JSON: {"store","kind","created":bool,"durability":"full|normal"}"#],
        "enqueue": [
            "A line of --jsonl is an object with some of these fields:",
            "  \(TaskLines.fields.joined(separator: " "))",
            "A bad line is named by its number, and then nothing of the file is enqueued.",
        ],
        "stats": [
            #"JSON: {"windowSeconds","queues":[{"name","counts","attempts","attemptsCapped","#,
            #"  "succeeded","notSucceeded","p50Milliseconds","p95Milliseconds"}]}"#,
            "It looks at the executions that ended in the last hour, 10,000 of a queue at most.",
        ],
        "watch": ["With --json each change is one line, an event as log gives it."],
        "purge": [
            "What is purged cannot come back. It takes failed, deleted and succeeded tasks.",
            #"JSON: {"changed":[id],"failed":[{"id","code","error"}],"consequences","undo"}"#,
        ],
        "results": [
            "Looking takes nothing: acknowledge says that a result was dealt with. failure is what",
            "is wrong with a payload as far as anybody sees who does not know its type.",
        ],
        "list": [
            "A filter is made of state:, type:, queue:, group:, session: and id:; - negates one:",
            "  sluice list --filter 'state:failed,retrying -type:track'",
        ],
    ]
}
