import SluiceModel

/// A line as a shell reads it, up to the cursor: blanks part words, quotes and backslashes keep
/// them together.
package struct ShellLine: Hashable, Sendable {
    /// The unquoted words. The last one is incomplete, and empty after a blank.
    package private(set) var words = [""]
    /// The quote still open at the end.
    package private(set) var quote: Unicode.Scalar?
    /// Whether the last word has begun.
    private var hasBegun = false
    private var isEscaped = false
    /// The number of scalars of the last word before the part that the shell replaces. An open
    /// quote or a completion break ends them.
    private var kept = 0
    private let breaks: String

    /// Reads a line. `breaks` are the characters that part words for completion (bash's
    /// `COMP_WORDBREAKS`).
    package init(_ line: String, breaks: String = "") {
        self.breaks = breaks
        for scalar in line.unicodeScalars { take(scalar) }
    }

    /// The complete words. Includes an empty word only if quoted.
    package var all: [String] { hasBegun ? words : words.dropLast() }

    private mutating func take(_ scalar: Unicode.Scalar) {
        if isEscaped {
            isEscaped = false
            let isPlain = quote == "\"" && !"\"\\$`".unicodeScalars.contains(scalar)
            if isPlain { append("\\") }
            append(scalar)
        } else if scalar == "\\", quote != "'" {
            (isEscaped, hasBegun) = (true, true)
        } else if let open = quote {
            if scalar == open { quote = nil } else { append(scalar) }
        } else if scalar == "'" || scalar == "\"" {
            (quote, hasBegun) = (scalar, true)
            kept = lastCount
        } else if scalar == " " || scalar == "\t" || scalar == "\n" {
            guard hasBegun else { return }
            words.append("")
            (hasBegun, kept) = (false, 0)
        } else {
            append(scalar)
            if breaks.unicodeScalars.contains(scalar) { kept = lastCount }
        }
    }

    private var lastCount: Int { words.last?.unicodeScalars.count ?? 0 }

    private mutating func append(_ scalar: Unicode.Scalar) {
        hasBegun = true
        words[words.count - 1].unicodeScalars.append(scalar)
    }

    /// The text that bash puts in place of the last word to get `word`, a continuation of that
    /// word.
    package func completed(_ word: String) -> String {
        let rest = word.unicodeScalars.dropFirst(kept)
        switch quote {
        case "'": return rest.map { $0 == "'" ? "'\\''" : String($0) }.joined()
        case "\"":
            return rest.map { scalar in
                switch scalar {
                case "\"", "\\", "$", "`": "\\\(scalar)"
                // A backslash before it would stay.
                case "!": "\"'!'\""
                default: String(scalar)
                }
            }.joined()
        default: return rest.map { ShellWord.isPlain($0) ? String($0) : "\\\($0)" }.joined()
        }
    }
}

extension ShellLine {
    /// The line completed with a queue, as for `:pause`, or with tasks, as for `:cancel`, in shell
    /// syntax. `nil` if the line needs no change.
    package func taking(queue: String?, tasks: [String]) -> String? {
        guard let (named, count) = Action.command(in: all),
            let arguments = try? Arguments(
                named.command, words: all.dropFirst(count).map { Word($0) }[...]),
            arguments.values.isEmpty
        else { return nil }
        let isForTasks = named.command.argumentValues == [.task] && !arguments.has("--filter")
        let isForQueue =
            [.pause, .resume, .step, .run, .setGuard].contains(named.action.id)
            && !arguments.has("--all") && !arguments.has("--task")
        let taken = isForTasks ? tasks : isForQueue ? queue.map { [ShellWord.quoted($0)] } : nil
        guard let taken, !taken.isEmpty else { return nil }
        let options = all.dropFirst(count).map(ShellWord.quoted)
        return ([named.command.name] + taken + options).joined(separator: " ")
    }
}
