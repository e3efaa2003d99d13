import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceTerminalUI
import SluiceTransfer

/// A help topic that is not a verb: `sluice help TOPIC`.
struct HelpTopic: Hashable, Sendable {
    /// The word after `help`.
    let name: String
    /// The summary for the overview.
    let line: String
    let lines: [String]

    /// Every topic, in the order of the overview.
    static let all = [filter, handlers, report, jsonl, keys, theme]

    static func named(_ name: String) -> HelpTopic? { all.first { $0.name == name } }

    /// The error for an unknown topic, with the nearest known one.
    static func unknown(_ word: String) -> QueueError {
        let group = Action.all.compactMap(\.command?.name).filter { $0.hasPrefix("\(word) ") }
        guard group.isEmpty else {
            let names = group.map { "sluice help \($0)" }.joined(separator: ", ")
            return QueueError(
                .badValue, "\"\(word)\" alone is no verb", fix: "there is \(names)")
        }
        let near =
            Spelling.nearest(to: word, among: all.map(\.name)) ?? Action.suggestion(for: word)
        return QueueError(
            .badValue, "there is no help for \"\(word)\"",
            fix: near.map { "did you mean \"sluice help \($0)\"?" }
                ?? "sluice help lists verbs and topics")
    }

    static let filter = HelpTopic(
        name: "filter", line: "what a filter is made of", lines: TaskFilter.help)

    private static let keys = HelpTopic(
        name: "keys", line: "the keys of the console, and how to change them",
        lines: [
            "# Keys of the console, as they are. Lines that you change go into $SLUICE_KEYS,",
            "# else $XDG_CONFIG_HOME/sluice/keys, else ~/.config/sluice/keys. An action that",
            "# is named there has the keys that are given to it (none = ACTION for none), all",
            "# others keep theirs. Keys are signs, or Tab, Space, Ins, Del, F1 to F12, ^X,",
            "# M-x, C-Up, S-Up.",
            "# F6 = !COMMAND gives a key to a shell command in the terminal, F7 = !& COMMAND",
            "# to one in the background. ${id}, ${queue}, ${type} and ${payload.PATH} are",
            "# values of the task at the cursor, quoted for the shell.",
            "",
        ] + Keymap.sample.flatMap(folded))

    /// A line with its comment. A long comment continues on further comment lines.
    private static func folded(_ line: String) -> [String] {
        let mark = "# "
        let parts = line.split(separator: mark, omittingEmptySubsequences: false)
        guard let comment = parts.last, parts.count > 1 else { return [line] }
        let start = line.dropLast(comment.count)
        let blanks = String(repeating: " ", count: start.count - mark.count)
        return Help.row(String(start), String(comment), again: blanks + mark)
    }

    private static let theme = HelpTopic(
        name: "theme", line: "its colours, and how to change them",
        lines: [
            "# Colours of the console, as they are on a dark ground with 256 colours. Lines",
            "# that you change go into --theme FILE, else $SLUICE_THEME, else",
            "# $XDG_CONFIG_HOME/sluice/theme, else ~/.config/sluice/theme. COLOUR is 0 to",
            "# 255, default, red or bright-red; after it may follow: on COLOUR, bold,",
            "# underline, reverse, plain. ROLE.selection and ROLE.bar are a role on the",
            "# selected row and on the bars. Without base = dark or base = light the terminal",
            "# is asked for its background.", "",
        ] + ThemeChanges.sample)

    private static let jsonl = HelpTopic(
        name: "jsonl", line: "tasks as lines of JSON, for enqueue, export and import",
        lines: [
            "A task is a line, a JSON object. enqueue QUEUE --jsonl FILE reads lines into a",
            "queue in one commit, export FILE.jsonl writes them, import FILE.jsonl brings",
            "them in with their past; - is standard input.", "",
            #"  {"type":"send","payload":{"to":"kim"}}"#,
            #"  {"type":"send","payloadBase64":"/wD+","notBefore":"2030-01-01T00:00:00Z"}"#, "",
            "Fields of enqueue:",
        ] + TaskLines.fields.map { "  \($0)" } + [
            "",
            "type alone is required. Integers of any length keep their digits. A bad line is",
            "named by its number, and then nothing of the file comes in.",
        ])

    static let handlers = HelpTopic(
        name: "handlers", line: "the handlers file: which program runs which type",
        lines: [
            "work, step, run and the console take a handlers file by --handlers FILE. Paths",
            "in it count from its folder. * is for every type without an entry; an entry",
            #"with "queues": "chat-*" is for those queues alone."#, "",
            #"  {"handlers": {"#,
            #"    "send":   {"command": ["./send.sh", "--fast"], "timeout": "30s"},"#,
            #"    "track":  {"http": {"method": "POST","#,
            #"                        "url": "https://api.example.com/{type}","#,
            #"                        "headers": {"Authorization": "Bearer ${API_TOKEN}"}}},"#,
            #"    "resize": {"process": ["python3", "worker.py"], "copies": 4},"#,
            #"    "fetch":  {"download": {"root": "downloads"}},"#,
            #"    "store":  {"upload": {"root": "outbox"}},"#,
            #"    "*":      {"simulate": {"fail": 1, "error": "boom", "duration": "200ms"}}}}"#, "",
            "  command    a program; its standard input is the payload: sluice help reporting",
            "  process    a program that stays: a line of JSON for each task on its standard",
            "             input, and lines with progress, log and outcome on its output",
            "  http       the payload is the body; 2xx is success, 401 and 5xx pause the",
            "             queue, 408, 425 and 429 wait, any other answer gives up",
            "  upload     sends a file below root: {\"url\":…,\"source\":\"a.bin\"}",
            "  download   fetches one: {\"url\":…,\"destination\":\"a.bin\"}",
            "  simulate   runs nothing: fail attempts fail, then outcome, after duration", "",
            "A mistake in the file is refused as a whole, with type, key and line.",
        ])

    static let report = HelpTopic(
        name: "reporting", line: "a command's input, and its reports",
        lines: [
            "A command of the handlers file has the payload as its standard input, and in its",
            "environment:", "",
            "  SLUICE_TASK_ID SLUICE_QUEUE SLUICE_TYPE  the task",
            "  SLUICE_ATTEMPT                           the number of the attempt, from 1",
            "  SLUICE_IDEMPOTENCY_KEY                   the same for each attempt of the task",
            "  SLUICE_STORE SLUICE_PARENT               sluice enqueue in it makes follow-ups",
            "  SLUICE_SCHEDULE SLUICE_SCHEDULED_AT      the schedule that made it, for when",
            "  SLUICE_DUE_AT                            since when the task was due, if known",
            "  SLUICE_LAST_ERROR                        the last error, if any",
            "  SLUICE_REPORT_FD                         a descriptor that takes lines of JSON", "",
            "How it ends:", "",
            "  0    success; standard output is the result, which show prints",
            "  65   given up",
            "  69   offline: not counted",
            "  75   retry, not shown as an error: its output is in the attempt's log",
            "  76   parked until a retry by hand; not counted",
            "  77   its queue pauses for 5 minutes; not counted",
            "  else a failure by the queue's rule; the last lines of standard error are the",
            "       error, those of standard output are in the attempt's log", "",
            "Lines for the descriptor, such as:",
            #"  echo '{"log":"rendering"}' >&$SLUICE_REPORT_FD"#, "",
            #"  {"fraction":0.4,"text":"4 of 10"}  progress"#,
            #"  {"log":"rendering"}                a line of the attempt's log"#,
            #"  {"retryAfter":"30s"}               after a 75 or a failure: when it is again"#,
            #"  {"restart":false}                  after a 75 or a failure: give up"#,
            #"  {"restart":true}                   used-up attempts begin at 0 again"#,
        ])
}
