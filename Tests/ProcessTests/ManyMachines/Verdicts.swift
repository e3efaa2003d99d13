import SluiceSystem

/// The results, one readable line each.
final class Verdicts {
    private(set) var untrue: [String] = []

    func chapter(_ title: String) { write("\n\(title)") }

    /// Notes and prints whether a condition holds, with its figures.
    func note(_ holds: Bool, _ sentence: String) {
        write("  \(holds ? "yes" : "NO ")  \(sentence)")
        if !holds { untrue.append(sentence) }
    }

    /// Says that a list of faults is empty, or the first of them.
    func none(_ faults: [String], _ sentence: String) {
        note(faults.isEmpty, faults.isEmpty ? sentence : "\(sentence): \(faults.prefix(3))")
    }

    /// Prints a line that is no verdict.
    func say(_ text: String) { write("       \(text)") }

    /// Print immediately for a watching person.
    func write(_ line: String) { try? Standard.write(line + "\n", to: .output) }
}
