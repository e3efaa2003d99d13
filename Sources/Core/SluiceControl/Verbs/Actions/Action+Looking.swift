private typealias Option = Command.Option

extension Action {
    static let looking: [Action] = [
        Action(
            .why, key: "w", .task, "why", "why it does not run, and the fix",
            Command("why", "TASK", [.task], options: [Command.atEvent])),
        Action(
            .detail, key: "Enter", .task, "open", "payload, attempts, why, group, lineage",
            Command("show", "TASK", [.task], options: [Command.atEvent])),
        Action(
            .results, .task, "results", "results that its session has not collected",
            Command(
                "results", "SESSION", [.text("SESSION")], options: [Command.atEvent])),
        Action(.mark, key: "Space", .task, "mark", "mark it for the next verb"),
        Action(.markMatching, key: "*", .view, "mark all", "mark all that match the filter"),
        Action(.filter, key: "/", .view, "filter", "show only matches"),
        Action(.nextMatch, key: "n", .view, "next match", "the next task that matches"),
        Action(.previousMatch, key: "N", .view, "previous match", "the one before"),
        Action(.down, key: "j", .view, "down", "the next row"),
        Action(.up, key: "k", .view, "up", "the row before"),
        Action(.left, key: "h", .view, "left", "to the queues; in groups: fold"),
        Action(.right, key: "l", .view, "right", "to the view; in groups: unfold"),
        Action(.top, key: "g", .view, "top", "to the first"),
        Action(.end, key: "G", .view, "end", "to the last"),
        Action(
            .previousLink, key: "[", .task, "what holds it",
            "to the start that holds it; in views 7 and 9: a shorter time"),
        Action(
            .nextLink, key: "]", .task, "what it holds",
            "to the first task that it holds; in views 7 and 9: a longer time"),
        Action(
            .olderAttempt, key: "<", .task, "older attempt",
            "in its page: compare the one before; in a timeline: the run before"),
        Action(
            .newerAttempt, key: ">", .task, "newer attempt",
            "in its page: compare the one after; in a timeline: the run after"),
        Action(
            .withOlder, key: "(", .task, "with older", "compare its page with an older attempt"),
        Action(
            .withNewer, key: ")", .task, "with newer", "compare its page with a newer attempt"),
        Action(.earlier, key: ",", .view, "earlier", "of a tape: one event back"),
        Action(.later, key: ".", .view, "later", "of a tape: one event on"),
        Action(
            .muchEarlier, key: "{", .view, "100 earlier",
            "of a tape: a hundred events back; in view 7: half the queue's rate"),
        Action(
            .muchLater, key: "}", .view, "100 later",
            "of a tape: a hundred events on; in view 7: twice the queue's rate"),
        Action(
            .timeline, key: "W", .view, "timeline",
            "when tasks of a queue, run, group, selection or worker waited and ran",
            Command(
                "timeline", "QUEUE | TASK…", [.queue],
                options: [
                    Option("--run", .number, "a run of QUEUE: 0 is the newest, 1 the one before"),
                    Option("--group", .text("G"), "a group of QUEUE"),
                    Option("--workers", .flag, "a lane for each slot of each worker"),
                    Option("--last", .duration, "only attempts that ended in this time"),
                    Option("--ascii", .flag, "draw with ASCII alone"),
                    Option("--width", .number, "columns of the picture (default: the terminal's)"),
                    Command.atEvent,
                ])),
        Action(.freeze, key: "F", .view, "freeze", "freeze the picture; the store continues"),
        Action(.timeFormat, key: "T", .view, "times", "relative, local or UTC times"),
        Action(.preview, key: "v", .view, "preview", "a preview of the task at the cursor"),
        Action(
            .panes, key: "|", .view, "panes", "hide or show the panes at the left and below"),
        Action(
            .order, key: "o", .view, "order",
            "by number, age, change, tries, duration, error, as they run"),
        Action(.columns, key: "O", .view, "columns", "which columns the list has, and their order"),
        Action(
            .detailLog, key: "L", .view, "detail",
            "in activity: also runs, their timers and begins of attempts"),
        Action(.copy, key: "y", .task, "copy", "the reference or payload to the clipboard"),
    ]

    static let program: [Action] = [
        Action(
            .actions, key: "a", .program, "actions",
            "every action, by its letters; why one is not possible"),
        Action(
            .commandLine, key: ":", .program, "command",
            "any command, action, queue, filter or #12; also ^P"),
        Action(
            .help, key: "?", .program, "help", "every key; with a verb, its options",
            Command("help", "[VERB | TOPIC]", [.text("VERB")], opensStore: false)),
        Action(
            .otherStore, key: "J", .program, "other store",
            "to the store that was shown before, and back"),
        Action(
            .screenshot, key: "I", .program, "screenshot",
            "write the screen as an SVG image, to share it"),
        Action(.nextView, key: "Tab", .program, "next view", "digits go to a view immediately"),
        Action(.back, key: "q", .program, "back", "one step back; at the end, quit"),
    ]

    static let commands: [Action] = [
        Action(
            .initialize, .store, "init", "make a store",
            Command(
                "init", "[STORE]", [.file],
                options: [
                    Option(
                        "--durability", .choice(["full", "normal"]),
                        "commits survive a power cut, or only a kill (default full)"),
                    Option("--journal", .size, "size of undo images (default 256MiB)"),
                    Option("--checkpoints", .size, "size of checkpoint images (default 256MiB)"),
                    Option(
                        "--schema-owner", .text("ROLE"),
                        "another role that may own the schema at a server"),
                ], changes: true)),
        Action(
            .demo, .store, "demo", "a store with a living scene, and the console on it",
            Command(
                "demo", "[STORE]", [.file],
                options: [
                    Option("--customer-io", .flag, "a folder in that SDK's format instead"),
                    Option("--seed", .number, "the same seed makes the same scene (default 1)"),
                    Option("--theme", .choiceOrFile(["dark", "light", "mono"]), "the colours"),
                    Option("--ascii", .flag, "draw with ASCII alone"),
                    Option("--no-mouse", .flag, "leave the mouse to the terminal"),
                ], changes: true, span: .endless)),
        Action(
            .doctor, .store, "doctor", "check the store and its file, and repair faults",
            Command(
                "doctor", "[STORE]", [.file],
                options: [
                    Option("--repair", .flag, "repair faults; a damaged file is kept"),
                    Option("--quick", .flag, "check the counts and the file's structure alone"),
                ], changes: true, takesStores: true)),
        Action(
            .compact, .store, "compact", "return unused space",
            Command(
                "compact", "", [],
                options: [
                    Option("--now", .flag, "even if writers must wait for seconds")
                ], changes: true)),
        Action(
            .export, .store, "export", "write tasks into a new file, store or folder",
            Command(
                "export", "TARGET", [.file],
                options: [
                    Option("--queue", .queue, "only this queue"),
                    Option("--filter", .text("EXPR"), "only matches"),
                    Option(
                        "--format", .choice(["lines", "sqlite", "folder", "har"]),
                        "default: by the end of the name (.jsonl, .db, .har, /)"),
                    Option("--har", .flag, "requests of http handlers, as an HTTP Archive"),
                    Option(
                        "--redact", .text("PATH"), "with --har: leave out the value at this path",
                        repeats: true),
                    Command.atEvent,
                ])),
        Action(
            .importTasks, .store, "import",
            "bring tasks in from a file, store, folder or other system",
            Command(
                "import", "SOURCE", [.file],
                options: [
                    Option("--queue", .queue, "into this queue; else into each task's own"),
                    Option("--filter", .text("EXPR"), "only matches"),
                    Option("--again", .flag, "also tasks that were imported before and removed"),
                ], changes: true)),
        Action(
            .copyStore, .store, "copy", "move queues to another store, one after the other",
            Command(
                "copy", "FROM TO", [.file, .file],
                options: [
                    Option("--queues", .text("A,B"), "only these queues"),
                    Option("--wait", .duration, "maximum wait for running tasks (default 1m)"),
                    Option("--stay", .flag, "work stays in FROM; the queues of TO are paused"),
                    Option("--again", .flag, "also tasks that were in TO before and removed"),
                    Option("--dry-run", .flag, "show the moves only"),
                ], changes: true)),
        Action(
            .completion, .program, "completion", "a script that completes words in a shell",
            Command(
                "completion", "bash | zsh | fish", [.choice(["bash", "zsh", "fish"])],
                opensStore: false)),
        Action(
            .listFilters, .program, "filters", "saved filters, yours and the store's",
            Command("filter list")),
        Action(
            .saveFilter, .program, "save filter", "save a filter as @NAME",
            Command(
                "filter save", "NAME FILTER", [.text("NAME"), .text("FILTER")],
                options: [
                    Option("--shared", .flag, "in the store, for everybody who opens it")
                ])),
        Action(
            .removeFilter, .program, "remove filter", "forget a saved filter",
            Command(
                "filter remove", "NAME", [.text("NAME")],
                options: [Option("--shared", .flag, "the store's own")])),
        Action(
            .version, .program, "version", "which Sluice this is",
            Command("version", opensStore: false)),
        Action(
            .queues, .store, "queues", "every queue at a glance",
            Command(
                "queues",
                options: [
                    Option("--chart", .flag, "curves of each queue, and charts of one"),
                    Option(
                        "--queue", .queue, "with --chart: charts of this queue (default: the first)"
                    ),
                    Option(
                        "--last", .choice(["15m", "1h"]), "with --chart: the period (default 1h)"),
                    Option("--ascii", .flag, "with --chart: draw with ASCII alone"),
                    Command.atEvent,
                ], takesStores: true)),
        Action(
            .flow, .store, "flow", "arrivals, waits and ends of each queue",
            Command(
                "flow",
                options: [
                    Option("--last", .choice(["2m", "1h"]), "how far back (2m)"),
                    Option("--ascii", .flag, "draw with ASCII alone"), Command.atEvent,
                ])),
        Action(
            .list, .queue, "list", "tasks in the running order",
            Command(
                "list", "[QUEUE]", [.queue],
                options: [
                    Option("--filter", .text("EXPR"), "only matches"),
                    Option(
                        "--state",
                        .choice([
                            "waiting", "running", "succeeded", "failed", "deleted", "all",
                        ]), "only this state"),
                    Option("--limit", .number, "maximum number of tasks (default 100)"),
                    Option("--after", .task, "begin after this one"),
                    Option("--columns", .text("A,B"), "these columns, such as id,payload.to"),
                    Option("--fields", .text("A,B"), "these fields of each task, in JSON"),
                    Command.atEvent,
                ])),
        Action(
            .forecast, .queue, "forecast",
            "the next starts, and the tasks that a failure holds back",
            Command(
                "forecast", "QUEUE", [.queue],
                options: [
                    Option("-n", .number, "maximum number of starts (default 10)"), Command.atEvent,
                ])),
        Action(
            .groups, .queue, "groups", "groups with their starts and members",
            Command("groups", "QUEUE", [.queue], options: [Command.atEvent])),
        Action(
            .timers, .store, "timers", "every countdown, the soonest first",
            Command("timers", options: [Command.atEvent])),
        Action(
            .log, .store, "log", "what happened",
            Command(
                "log", "[TASK… | QUEUE]", [.task],
                options: [
                    Option("--queue", .queue, "only this queue"),
                    Option("--since", .text("T"), "only from then on: 10m ago, or a time"),
                    Option("--script", .flag, "people's actions as a script that repeats them"),
                    Option("-n", .number, "number of lines (default 50)"),
                    Option("--follow", .flag, "continue with new lines"),
                    Option("--detail", .flag, "also runs, their timers and begins of attempts"),
                    Option("--app", .file, "a folder's app's log, joined to its tasks"),
                    Command.atEvent,
                ])),
        Action(
            .logs, .task, "logs", "output of the command that runs a task",
            Command(
                "logs", "TASK", [.task],
                options: [
                    Option("-n", .number, "number of last lines (default 50)"),
                    Option("--follow", .flag, "continue until the attempt ends"),
                    Option("-f", .flag, "the same"),
                ])),
        Action(
            .failures, .store, "failures", "current failures by similar errors",
            Command(
                "failures", "[QUEUE]", [.queue],
                options: [
                    Option("--retrying", .flag, "only tasks that wait for a retry"),
                    Option(
                        "--explain", .text("KEY"),
                        "common properties of one error's tasks, by its key in --json"),
                    Command.atEvent,
                ], takesStores: true)),
        Action(
            .runners, .store, "workers", "the attached workers",
            Command("workers", options: [Command.atEvent])),
        Action(
            .stats, .store, "stats", "counts, rates and times of each queue",
            Command("stats", options: [Command.atEvent])),
        Action(
            .metrics, .store, "metrics", "figures for a monitoring system, as OpenMetrics text",
            Command(
                "metrics",
                options: [
                    Option(
                        "--listen", .text("HOST:PORT"), "serve them there, at /metrics, until ^C"),
                    Command.atEvent,
                ])),
        Action(
            .watch, .store, "watch", "a line for each change, where there is no screen",
            Command(
                "watch",
                options: [
                    Option(
                        "--on", .text("KINDS"),
                        "only conditions that begin or end: stuck, failing, no-worker, guard"),
                    Option(
                        "--run", .text("COMMAND"),
                        "a shell command for each that begins, with its JSON as input"),
                ], span: .endless, takesStores: true)),
        Action(
            .work, .store, "work", "run tasks until told to stop",
            Command(
                "work", "", [],
                options: [
                    Option("--handlers", .file, "which program runs which type"),
                    Option("--queues", .text("A,B"), "only these queues"),
                    Option("--slots", .number, "maximum at the same time (default 8)"),
                    Option("--until-empty", .flag, "end when nothing is left to run"),
                    Option("--allow-crash", .flag, "allow faults that kill this worker"),
                    Option(
                        "--probe", .text("HOST:PORT"),
                        "an address that answers if the network works"),
                    Option(
                        "--metrics", .text("HOST:PORT"), "serve metrics there, at /metrics"),
                ], changes: true, span: .endless)),
    ]
}
