import SluiceControl
import SluiceModel

/// A page of the manual, made from the table of actions and the help.
struct ManualPage {
    /// The name of its file, such as `sluice-filter.7`.
    let file: String
    /// The page as `man` reads it.
    let lines: [String]

    /// The hidden verb that prints pages for an installation.
    static let verb = "__manual"

    static let all = [program] + VerbGroup.allCases.map(verbs) + [handlers, filter]

    /// The names of all pages, or the page of a name.
    static func reply(_ name: String?) throws(QueueError) -> Reply {
        guard let name else {
            let names = all.map(\.file)
            return Reply(JSONValue(names), names)
        }
        guard let page = all.first(where: { $0.file == name }) else {
            throw .badValue("page", name, allowed: all.map(\.file).joined(separator: ", "))
        }
        return Reply(["page": .string(page.lines.joined(separator: "\n"))], page.lines)
    }

    private init(
        _ name: String, section: Int, _ line: String, _ body: (inout Roff) -> Void
    ) {
        var roff = Roff(name, section: section, line, version: Program.versionText)
        body(&roff)
        roff.part("SEE ALSO")
        let others = Self.names.filter { $0.name != name }
        roff.text([others.map { "\($0.name)(\($0.section))" }.joined(separator: ", ")])
        file = "\(name).\(section)"
        lines = roff.lines
    }

    private static let names: [(name: String, section: Int)] =
        [("sluice", 1)] + VerbGroup.allCases.map { ($0.page, 1) }
        + [("sluice-handlers", 5), ("sluice-filter", 7)]

    private static let program = ManualPage(
        "sluice", section: 1, "a debugger for task queues in the terminal"
    ) { page in
        page.part("SYNOPSIS")
        page.command("sluice [STORE…] [OPTIONS]")
        page.command("sluice VERB [ARGUMENTS] [OPTIONS]")
        page.part("DESCRIPTION")
        page.text([
            "Without a verb the console opens on a store: its queues, its waiting tasks and why,",
            "and what happened. A key there and the verb of the same name do the same. A store is",
            "an SQLite file, a folder of the Customer.io SDK's, a PostgreSQL database, or a queue",
            "of another system such as redis://localhost:6379/0.",
        ])
        for group in VerbGroup.allCases {
            page.part("\(group.rawValue): \(group.page)(1)")
            for named in group.verbs { page.term(named.command.name, named.action.help) }
        }
        page.part("OPTIONS")
        page.subpart("Every verb takes")
        options(Command.common, &page)
        page.subpart("The console takes")
        options(CommandLineParser.consoleCommand.options, &page)
        page.part("KEYS")
        for action in Action.all {
            if let key = action.key { page.term(key, "\(action.legend): \(action.help)") }
        }
        page.part("VALUES")
        for (word, meaning) in Help.values { page.term(word, meaning) }
        page.part("ENVIRONMENT")
        for (word, meaning) in environment { page.term(word, meaning) }
        page.part("FILES")
        for (word, meaning) in files { page.term(word, meaning) }
        page.part("EXIT STATUS")
        for (code, meaning) in Help.exitCodes { page.term(code, meaning) }
    }

    private static func verbs(_ group: VerbGroup) -> ManualPage {
        ManualPage(group.page, section: 1, group.line) { page in
            page.part("SYNOPSIS")
            for named in group.verbs { page.command(named.command.usage) }
            page.part("VERBS")
            for named in group.verbs {
                page.subpart(named.command.name)
                page.command(named.command.usage)
                page.text([named.action.help.sentence])
                let command = named.command
                options(command.options + (command.takesFilter ? Command.bulk : []), &page)
                let notes = Help.notes(of: named)
                if !notes.isEmpty { page.text([""] + notes) }
            }
            page.part("OPTIONS OF EVERY VERB")
            options(Command.common, &page)
        }
    }

    private static let handlers = ManualPage(
        "sluice-handlers", section: 5, "which program runs which type of task"
    ) { page in
        page.part("DESCRIPTION")
        page.text(HelpTopic.handlers.lines)
        page.part("COMMANDS")
        page.text(HelpTopic.report.lines)
    }

    private static let filter = ManualPage(
        "sluice-filter", section: 7, "which tasks are meant"
    ) { page in
        page.part("DESCRIPTION")
        page.text(HelpTopic.filter.lines)
    }

    private static func options(_ options: [Command.Option], _ page: inout Roff) {
        for option in options { page.term(Help.spelling(of: option), Help.meaning(of: option)) }
    }

    private static let environment = [
        ("SLUICE_STORE", "the store where --store names none; else ./sluice.db"),
        ("SLUICE_USER", "who acts, for the journal; else user@host"),
        (
            "SLUICE_KEYS, SLUICE_THEME, SLUICE_COLUMNS, SLUICE_PANES",
            "files of keys, colours, columns and panes of the console"
        ),
        ("NO_COLOR", "where it is set and not empty, no colours"),
    ]

    private static let files = [
        ("./sluice.db", "the store where nothing names another"),
        ("~/.config/sluice/keys", "keys of the console that a person changed"),
        ("~/.config/sluice/columns", "columns of the list that a person chose with O"),
        ("~/.config/sluice/theme", "colours of the console that a person changed"),
    ]
}

extension String {
    /// With a full stop, and a large letter at its beginning.
    fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
