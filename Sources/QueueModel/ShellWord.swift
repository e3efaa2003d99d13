/// A word of a command that a person may copy.
public enum ShellWord {
    /// The word as a shell takes it.
    public static func quoted(_ word: String) -> String {
        let plain = word.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "-_./:,+=@%".unicodeScalars.contains(scalar)
        }
        if plain, !word.isEmpty { return word }
        let escaped = word.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + escaped.joined(separator: "'\\''") + "'"
    }
}
