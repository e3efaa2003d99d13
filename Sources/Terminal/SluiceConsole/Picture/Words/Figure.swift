import SluiceModel

/// Figures in narrow columns: never cut to another one.
enum Figure {
    /// A number in at most `width` columns: `1,204`, or rounded down with a unit: `300k`, `1.7M`.
    static func text(_ number: Int, width: Int) -> String {
        let whole = NumberText.grouped(number)
        guard whole.utf8.count > width else { return whole }
        var (unit, letter) = (1000, "k")
        for next in [(1_000_000, "M"), (1_000_000_000, "G")] where number.magnitude >= next.0 {
            (unit, letter) = next
        }
        let tenths = Int(number.magnitude) / (unit / 10)
        let sign = number < 0 ? "-" : ""
        let exact = "\(sign)\(tenths / 10).\(tenths % 10)\(letter)"
        let isFine = tenths < 100 && exact.utf8.count <= width
        return isFine ? exact : "\(sign)\(tenths / 10)\(letter)"
    }

    /// The same, with `~` before it if it is an estimate, and `+` after it if there are more.
    static func text(
        _ number: Int, width: Int, isAbout: Bool, isBound: Bool = false
    ) -> String {
        let room = width - (isAbout ? 1 : 0) - (isBound ? 1 : 0)
        return (isAbout ? "~" : "") + text(number, width: room) + (isBound ? "+" : "")
    }
}
