/// How a cell looks apart from its text.
package struct ScreenStyle: Hashable, Sendable {
    /// The colour of the text.
    package var foreground = ScreenColor.standard
    package var background = ScreenColor.standard
    package var bold = false
    package var italic = false
    /// Underlined, in any style.
    package var underline = false
    /// Foreground and background change places.
    package var reverse = false
    /// Struck through.
    package var strike = false

    /// A style without any attribute.
    package init() {}
}

/// One column of one row.
package struct ScreenCell: Hashable, Sendable {
    /// One character, a blank where nothing was written; empty in the second column of a wide one.
    package var text: String
    /// The columns it takes: 1, 2, or 0 in the second column of a wide one.
    package var width: Int
    package var style: ScreenStyle

    package init(text: String = " ", width: Int = 1, style: ScreenStyle = ScreenStyle()) {
        self.text = text
        self.width = width
        self.style = style
    }
}
