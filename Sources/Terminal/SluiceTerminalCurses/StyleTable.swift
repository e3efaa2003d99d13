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
                    let style = changes.style(
                        role, background: background, emphasis: emphasis, of: theme, depth: depth)
                    styles.append(Self.style(style))
                }
            }
        }
    }

    subscript(cell: Cell) -> UInt16 {
        let backgrounds = Background.allCases.count
        let row = Int(cell.role.rawValue) * backgrounds + Int(cell.background.rawValue)
        return styles[row * 2 + (cell.emphasis ? 1 : 0)]
    }

    private static func style(_ style: CellStyle) -> UInt16 {
        var bits: Int32 = 0
        if style.bold { bits |= Int32(ccur_bold) }
        if style.underline { bits |= Int32(ccur_underline) }
        if style.reverse { bits |= Int32(ccur_reverse) }
        return ccur_style(
            style.foreground.map { Int32($0) } ?? -1, style.background.map { Int32($0) } ?? -1, bits
        )
    }
}
