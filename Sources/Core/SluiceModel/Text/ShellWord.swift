/// A word of a command that a person may copy into bash, zsh or fish.
package enum ShellWord {
    /// The word quoted for each of these shells, without any expansion.
    ///
    /// In fish a backslash is special within quotes too, so backslashes and quotes are outside
    /// them.
    package static func quoted(_ word: String) -> String {
        let scalars = word.unicodeScalars
        // zsh takes a word that begins with `=` for a command.
        if !scalars.isEmpty, scalars.allSatisfy(isPlain), scalars.first != "=" { return word }
        var (text, part) = ("", "")
        for scalar in scalars {
            guard scalar == "'" || scalar == "\\" else {
                part.unicodeScalars.append(scalar)
                continue
            }
            text += (part.isEmpty ? "" : "'\(part)'") + "\\\(scalar)"
            part = ""
        }
        return part.isEmpty && !text.isEmpty ? text : "\(text)'\(part)'"
    }

    /// A verb, its argument and its options. An argument with a leading `-` follows `--` at the end
    /// of the line.
    package static func command(_ verb: String, _ word: String, _ options: String = "") -> String {
        word.hasPrefix("-")
            ? "\(verb)\(options) -- \(quoted(word))" : "\(verb) \(quoted(word))\(options)"
    }

    /// Whether a character means itself in every shell.
    package static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            || "-_./:,+=@%".unicodeScalars.contains(scalar)
    }
}
