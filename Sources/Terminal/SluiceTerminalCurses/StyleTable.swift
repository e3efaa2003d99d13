import SluiceCCurses
import SluiceTerminalUI

/// The number of the style of each role before each background, with and without emphasis.
struct StyleTable {
    private var styles: [UInt16] = []

    /// Makes the styles for the open screen.
    init(theme: Theme, changes: ThemeChanges, depth: ColorDepth) {
        for role in Role.allCases {
            for background in Background.allCases {
                for emphasis in [false, true] {
                    let look = changes.look(
                        role, background: background, emphasis: emphasis, of: theme, depth: depth)
                    styles.append(Self.style(look))
                }
            }
        }
    }

    subscript(cell: Cell) -> UInt16 {
        let backgrounds = Background.allCases.count
        let row = Int(cell.role.rawValue) * backgrounds + Int(cell.background.rawValue)
        return styles[row * 2 + (cell.emphasis ? 1 : 0)]
    }

    private static func style(_ look: Look) -> UInt16 {
        var bits: Int32 = 0
        if look.bold { bits |= Int32(ccur_bold) }
        if look.underline { bits |= Int32(ccur_underline) }
        if look.reverse { bits |= Int32(ccur_reverse) }
        return ccur_style(
            look.foreground.map { Int32($0) } ?? -1, look.background.map { Int32($0) } ?? -1, bits)
    }
}
