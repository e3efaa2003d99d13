import SluiceControl
import SluiceModel
import SluiceTerminalUI

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
        let groups = VerbGroup.allCases.flatMap { group in
            ["", group.rawValue] + table(group.verbs.map { ($0.command.name, $0.action.help) })
        }
        let topics =
            ["", "More: sluice help VERB, sluice help TOPIC"]
            + table(HelpTopic.all.map { ($0.name, $0.line) })
        return Reply(
            ["verbs": .array(list)],
            head + groups + commonOptions + section("Exit codes", exitCodes)
                + section("Values", values) + topics)
    }

    private static func section(_ title: String, _ rows: [(String, String)]) -> [String] {
        let width = rows.map(\.0.count).max() ?? 0
        return ["", title] + rows.flatMap { row("  \(padded($0.0, width))  ", $0.1) }
    }

    private static func table(_ rows: [(name: String, text: String)]) -> [String] {
        let width = Action.commandsByName.map(\.command.name.count).max() ?? 0
        return rows.flatMap { row("  \(padded($0.name, width))  ", $0.text) }
    }

    private static let head = [
        "sluice [STORE…]                opens the console, on several stores too",
        "sluice VERB [ARGS] [OPTIONS]   one command",
    ]
    static let exitCodes = [
        ("0", "done"),
        ("1", "refused or failed; step with nothing that could start"),
        ("2", "usage, configuration, the store cannot be opened, no terminal to ask"),
        ("3", "partly done: the rest is named; record, where a redaction never applied"),
        ("4", "an expectation did not hold"),
        ("5", "the answer could not be written; the message says whether it was done"),
        ("130", "interrupted"),
    ]
    static let values = [
        (
            "store",
            "a file, postgres://…, mysql://…, redis://…, tape: --store, $SLUICE_STORE, ./sluice.db"
        ),
        ("time", "RFC 3339, +5m, 2h, now"),
        ("duration", "250ms, 30s, 15m, 3d"),
        ("size", "64KiB, 2MiB"),
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
        let notes = notes(of: named)
        if !notes.isEmpty { lines += [""] + notes }
        return lines
    }

    private static func options(_ options: [Command.Option]) -> [String] {
        let names = options.map(spelling)
        let width = min(34, names.map(\.count).max() ?? 0)
        return zip(names, options).flatMap { name, option in
            // A name longer than the column gets a separate line.
            let isLong = name.count > width
            let lines = row("  \(padded(isLong ? "" : name, width))  ", meaning(of: option))
            return (isLong ? ["  \(name)"] : []) + lines
        }
    }

    static func spelling(of option: Command.Option) -> String {
        let value = option.value.placeholder
        return option.name + (value.isEmpty ? "" : " \(value)")
    }

    static func meaning(of option: Command.Option) -> String {
        option.help + (option.repeats ? "; may be repeated" : "")
    }

    /// Additional notes about a verb.
    static func notes(of named: Action.Named) -> [String] {
        named.action.verb?.notes ?? notes[named.command.name] ?? []
    }

    /// How wide a page is at most.
    static let columns = 80

    /// A text after `start`, wrapped. The following lines begin with `again`, or with spaces.
    static func row(_ start: String, _ text: String, again: String? = nil) -> [String] {
        let again = again ?? String(repeating: " ", count: start.count)
        let lines = DisplayText.wrapped(text, to: columns - start.count)
        return lines.enumerated().map { ($0 == 0 ? start : again) + $1 }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
