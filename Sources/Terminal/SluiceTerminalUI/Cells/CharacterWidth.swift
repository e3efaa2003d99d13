import SluiceC

/// The width of a scalar in columns.
///
/// Uses glibc's table because curses does. Another table would disagree with the cursor position.
package enum CharacterWidth {
    private static let hasLocale = csys_set_locale() == 1

    /// 0 for a mark that joins its neighbour, 1 or 2 for one that takes room, nil for one that
    /// cannot be shown.
    package static func of(_ scalar: Unicode.Scalar) -> Int? {
        if scalar.value >= 0x20, scalar.value < 0x7f { return 1 }
        guard hasLocale else { return nil }
        let width = Int(csys_wcwidth(scalar.value))
        return (0...2).contains(width) ? width : nil
    }
}
