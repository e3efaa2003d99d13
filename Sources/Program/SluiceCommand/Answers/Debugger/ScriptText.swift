import SluiceControl
import SluiceModel

/// The actions of people as a shell script that repeats them (G7).
enum ScriptText {
    /// The lines of the script. Steps and runs use the handlers of `$HANDLERS` if set.
    static func lines(_ commands: [JournalEvent], of storeName: String) -> [String] {
        var lines = [
            "#!/bin/sh",
            "# The actions of people at \(SafeText.visible(storeName)), by its journal.",
            "# It acts on the store that $SLUICE_STORE names, else on ./sluice.db, and counts",
            "# times from when it runs.",
            "# Steps and runs need a worker, or a file of handlers in $HANDLERS.",
            "set -e",
        ]
        var person: String?
        // These events undo commands of this script, one line for each, so every undo line is
        // needed.
        let taking = Set(commands.compactMap(\.undoneBy))
        var undoneBefore: Set<Int64> = []
        for event in commands {
            if event.by != person {
                person = event.by
                lines += ["", "export SLUICE_USER=\(ShellWord.quoted(SafeText.visible(event.by)))"]
            }
            let moment = TimeText.rfc3339(event.at)
            guard let script = event.script else {
                let text = SafeText.visible(event.text)
                lines.append("# event \(event.sequence), \(moment), has no command: \(text)")
                continue
            }
            // A bulk from before the script is one verb there, and taken back by one command.
            if ["undo", "redo"].contains(event.kind), !taking.contains(event.sequence),
                !undoneBefore.insert(event.bulk ?? event.sequence).inserted
            {
                lines.append("# event \(event.sequence), \(moment), is done by the line before")
                continue
            }
            lines.append("# event \(event.sequence), \(moment)")
            lines.append(withHandlers(script))
        }
        return lines
    }

    /// Only what begins with such a verb is one: in other lines a payload may say the same.
    private static func withHandlers(_ line: String) -> String {
        // A step back executes nothing.
        guard !line.hasPrefix("sluice step --back") else { return line }
        for verb in ["sluice step", "sluice run"] where line.hasPrefix("\(verb) ") {
            return "\(verb) ${HANDLERS:+--handlers \"$HANDLERS\"}" + line.dropFirst(verb.count)
        }
        return line
    }
}
