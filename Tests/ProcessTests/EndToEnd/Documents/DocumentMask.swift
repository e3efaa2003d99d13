/// The differences between two runs of the same commands.
///
/// Ignores job notices of the shell, line breaks and column widths. Masks times, durations, process
/// numbers, queue rates, and counts of events and decisions. Task numbers, undo numbers, names,
/// states and all other words must match.
enum DocumentMask {
    /// The words of a text, with a mask for each that another run prints otherwise.
    static func words(_ text: String) -> [String] {
        let time = text.replacing(/(?m)^\[\d+\][+-]? .*$/, with: "")
            .replacing(/\d{4}-\d\d-\d\dT[0-9:.]+Z/, with: "TIME")
            .replacing(/\d\d:\d\d(:\d\d)?( UTC)?/, with: "TIME")
        let long = time.replacing(
            /<?\d+(\.\d+)?\x20?(ms|s|m|h|d)\b(\x20\d+(ms|s|m|h)\b)*/, with: "LONG")
        let counts = long.replacing(/\d+ (events|decisions)\b/) { "N \($0.output.1)" }
            .replacing(/pid \d+/, with: "pid N")
            .replacing(/held after LONG/, with: "held")
            .replacing(/\d+\/min.*/, with: "RATES")
            .replacing(/[▁▂▃▄▅▆▇█]+/, with: "BAR")
        return counts.split { $0 == " " || $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
            .map(String.init)
    }

    /// Whether a text is what a document shows; "…" in the document is any words.
    static func holds(_ found: String, as shown: String) -> Bool {
        var rest = words(found)[...]
        let parts = words(shown).split(separator: "…", omittingEmptySubsequences: false)
        for (number, part) in parts.enumerated() {
            let places = number == 0 ? 0...0 : 0...max(0, rest.count - part.count)
            let place =
                (number > 0 && number == parts.count - 1 ? Array(places.reversed()) : Array(places))
                .first { rest.dropFirst($0).starts(with: part) }
            guard let place else { return false }
            rest = rest.dropFirst(place + part.count)
        }
        return rest.isEmpty || parts.last?.isEmpty == true
    }
}
