package import SluiceModel

/// Why a verb cannot be done to a task of another system, and what leads on.
package struct ForeignRefusal: Hashable, Sendable {
    /// A way to continue after a refusal.
    package enum Way: Hashable, Sendable {
        /// A verb of this program on the same task, and its effect.
        case verb(ForeignVerb, effect: String)
        /// A command of the system itself, with `{id}` in the place of the task, and its effect.
        case own(String, effect: String)
        /// Nothing but time; a sentence about it.
        case nothing(String)
    }
    /// A sentence without its subject: `runs: it cannot be skipped`.
    package var reason: String
    /// The way to continue; `nil` if the reason is enough.
    package var way: Way?
}

extension ForeignRefusal {
    /// The same as an error of a command on a task.
    package func error(_ reference: String) -> QueueError {
        let fix: String
        switch way {
        case .verb(let verb, let effect):
            fix = "sluice \(ShellWord.command(verb.rawValue, reference)) \(effect)"
        case .own(let command, let effect):
            fix = "\(Self.filled(command, reference)) \(effect)"
        case .nothing(let sentence): fix = sentence
        case nil: fix = ""
        }
        return .notLegal("task \(reference) \(reason)", fix: fix)
    }

    /// A system's own command for a task.
    package static func filled(_ command: String, _ reference: String) -> String {
        command.split(separator: "{id}", omittingEmptySubsequences: false)
            .joined(separator: ShellWord.quoted(reference))
    }
}
