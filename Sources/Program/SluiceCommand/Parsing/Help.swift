import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceTerminalUI
import SluiceTransfer

/// The help of the program and of each verb, from the table of actions.
enum Help {
    /// Help for one verb, or for all.
    static func reply(_ topic: String?) -> Reply {
        if let topic, let lines = topics[topic] {
            let text = lines.joined(separator: "\n")
            return Reply(["topic": .string(topic), "text": .string(text)], lines)
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

    /// What there is help for besides the verbs.
    static let topics = [
        "keys": [
            "# Keys of the console, as they are. Lines that you change go into $SLUICE_KEYS, else",
            "# $XDG_CONFIG_HOME/sluice/keys, else ~/.config/sluice/keys. An action that is named",
            "# there has the keys that are given to it (none = ACTION for none), all others keep",
            "# theirs. Keys are signs, or Tab, Space, Ins, Del, F1 to F12, ^X, M-x, C-Up, S-Up.",
            "",
        ] + Keymap.sample,
        "theme": [
            "# Colours of the console, as they are on a dark ground with 256 colours. Lines that",
            "# you change go into --theme FILE, else $SLUICE_THEME, else $XDG_CONFIG_HOME/sluice/",
            "# theme, else ~/.config/sluice/theme. COLOUR is 0 to 255, default, red or bright-red;",
            "# behind it may stand: on COLOUR, bold, underline, reverse, plain. ROLE.selection and",
            "# ROLE.bar are a role on the selected row and on the bars. Without base = dark or",
            "# base = light the terminal is asked for its ground.", "",
        ] + ThemeChanges.sample,
    ]

    private static var overview: Reply {
        let verbs = Action.commandsByName
        let width = verbs.map(\.command.name.count).max() ?? 0
        let table = verbs.map { "  \(padded($0.command.name, width))  \($0.action.help)" }
        let list: [JSONValue] = verbs.map { verb in
            [
                "verb": .string(verb.command.name),
                "usage": .string(verb.command.usage),
                "text": .string(verb.action.help),
            ]
        }
        return Reply(["verbs": .array(list)], head + table + commonOptions + tail)
    }

    private static let head = [
        "sluice [STORE]                 opens the console",
        "sluice VERB [ARGS] [OPTIONS]   one command", "",
    ]
    private static let tail = [
        "",
        "A store is an SQLite file or postgres://…: --store, else $SLUICE_STORE, else ./sluice.db.",
        "Times: RFC 3339, +5m, 2h, now. Durations: 250ms, 30s, 15m, 3d. Sizes: 64KiB, 2MiB.",
        "sluice help VERB tells more; sluice help keys and sluice help theme, how to change them.",
    ]
    private static var commonOptions: [String] {
        ["", "Every verb takes:"] + options(Command.common)
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

    /// What the JSON of a verb holds where its shape is its own, and what else is worth saying.
    private static let notes: [String: [String]] = [
        "init": [
            #"JSON: {"store","kind","created":bool,"durability":"full|normal","journalBytes":n}"#
        ],
        "doctor": [
            "The engine's own check comes first, and reads the whole file; then what follows from",
            "the tasks. A file that is found damaged takes no change until it is mended. A repair",
            "keeps it as STORE.damaged-1, makes indexes and tables anew from the rows that can be",
            "read, and says what was lost.",
            #"JSON: {"problems":[s],"tasks":n,"damaged":bool,"repaired":bool,"done":[s],"#,
            #"  "undo":[n],"room":{"bytes","free","tables":[{"name","bytes"}]}|null}"#,
        ],
        "compact": [
            "What is in use is written once more, while whoever writes waits: of up to 64 MiB, at",
            "most about a second. More is refused without --now. Readers are not held up. A file",
            "with tables of an application is left to that application.",
            #"JSON: {"bytesBefore","bytes","freeBefore","free"}"#,
        ],
        "enqueue": [
            "A line of --jsonl is an object with some of these fields:",
            "  \(TaskLines.fields.joined(separator: " "))",
            "A bad line is named by its number, and then nothing of the file is enqueued.",
        ],
        "export": [
            "TARGET is new: a file of lines (.jsonl), a store (.db), a folder of the Customer.io",
            "SDK's (a / at the end), or - for lines on standard output. It is whole or not there.",
            "What the format does not hold is named.",
            #"JSON: {"target","format":"lines|sqlite|folder","tasks":n,"queues":[name],"#,
            #"  "notHeld":[{"what","tasks":n}],"stopped":bool}"#,
        ],
        "import": [
            "SOURCE is such a file, store or folder, or - for lines. A line is an object with the",
            "fields of enqueue --jsonl, its queue, and what an export says of its past. All is",
            "looked at first: a bad line is named by its number, and then nothing is imported.",
            "Then the tasks come in by 1,000; after a stop the same import goes on with the rest.",
            "The same import twice adds nothing, also when its tasks are done and gone since.",
            #"JSON: {"source","format","added":n,"known":n,"created":[queue],"failedCount":n,"#,
            #"  "failed":[{"line":n|null,"origin","code","error"}],"undo":n|null,"#,
            #"  "notHeld":[{"what","tasks":n}],"stopped":bool,"#,
            #"  "error":{"code","message","fix"}|null}"#,
        ],
        "copy": [
            "Queue after queue is paused, copied, compared and opened in TO; the others go on. A",
            "queue of FROM stays there, paused as moved, until queue delete forgets it. After a",
            "kill, a stop or an error the same copy goes on with the rest, and brings what came to",
            "FROM since. Settings, pauses, tasks with their past, order and, where they are free,",
            "numbers come along; the journal stays. TO is made where there is none.",
            "JSON, a line for each queue:",
            #"  {"queue","outcome":"moved|copied|movedBefore|wouldMove|skipped","tasks":n,"#,
            #"  "running":n,"renumbered":n,"late":n,"looks":n,"digest":s|null,"error"}"#,
            #"and at the end: {"from","to","moved":n,"skipped":n,"stopped":bool,"error"},"#,
            #"  where error is {"code","message","fix"} or null"#,
        ],
        "stats": [
            #"JSON: {"windowSeconds","queues":[{"name","counts","attempts","attemptsCapped","#,
            #"  "succeeded","notSucceeded","p50Milliseconds","p95Milliseconds"}]}"#,
            "It looks at the executions that ended in the last hour, 10,000 of a queue at most.",
        ],
        "watch": ["With --json each change is one line, an event as log gives it."],
        "results": [
            "Looking takes nothing: acknowledge says that a result was dealt with. failure is what",
            "is wrong with a payload as far as anybody sees who does not know its type.",
        ],
        "list": [
            "A filter is made of state:, type:, queue:, group:, session:, text: (what the payload",
            "holds, byte for byte) and id:; - negates one:",
            "  sluice list --filter 'state:failed,retrying -type:track'",
        ],
    ]
}
