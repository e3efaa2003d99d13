import SluiceModel

/// An own command with its values, ready to run.
package struct OwnLaunch: Hashable, Sendable {
    /// How it ended, in words.
    package struct End: Hashable, Sendable {
        /// A few words.
        package var text: String
        /// Whether it failed.
        package var isFailure: Bool

        /// An end in words.
        package init(_ text: String, isFailure: Bool) {
            (self.text, self.isFailure) = (text, isFailure)
        }
    }
    let command: OwnCommand
    /// The command for `sh -c`.
    package let script: String
    /// The variables with the values, as NAME=VALUE.
    package let variables: [String]
    /// The command as a shell would take it, without variables.
    package let shown: String
    /// Whether it runs without the terminal.
    package var isBackground: Bool { command.isBackground }

    /// A longer value does not fit into a variable of a process.
    private static let limitBytes = 64 << 10

    /// Fills in the values. Throws if a value is missing or not fit for a command.
    init(
        _ command: OwnCommand, _ value: (OwnCommand.Value) -> String?
    ) throws(QueueError) {
        self.command = command
        var (script, shown, variables) = ("", "", [String]())
        for part in command.parts {
            guard case .value(let place, let inQuotes) = part else {
                if case .text(let text) = part {
                    script += text
                    shown += text
                }
                continue
            }
            let name = "SLUICE_OWN_\(variables.count + 1)"
            let text = try Self.checked(value(place), place)
            variables.append("\(name)=\(text)")
            script += inQuotes ? "${\(name)}" : "\"${\(name)}\""
            shown += inQuotes ? Self.escaped(text) : ShellWord.quoted(text)
        }
        (self.script, self.shown, self.variables) = (script, shown, variables)
    }

    private static func checked(
        _ text: String?, _ place: OwnCommand.Value
    ) throws(QueueError) -> String {
        let command = "the command was not run"
        guard let text else {
            throw QueueError(.notLegal, "it has no \(place.name)", fix: command)
        }
        guard !OwnCommand.hasControl(text) else {
            throw QueueError(.notLegal, "\(place.name) has control signs", fix: command)
        }
        guard text.utf8.count <= limitBytes else {
            throw QueueError(.notLegal, "\(place.name) has more than 64 KiB", fix: command)
        }
        return text
    }

    /// A value inside double quotes.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { line, character in
            if "\\\"$`".contains(character) { line.append("\\") }
            line.append(character)
        }
    }
}
