/// How a cell looks apart from its text.
public struct ScreenStyle: Hashable, Sendable {
    /// The colour of the text.
    public var foreground = ScreenColor.standard
    /// The colour behind the text.
    public var background = ScreenColor.standard
    /// Bold.
    public var bold = false
    /// Italic.
    public var italic = false
    /// Underlined, in whatever form.
    public var underline = false
    /// Foreground and background change places.
    public var reverse = false
    /// Struck through.
    public var strike = false

    /// A style without any attribute.
    public init() {}
}

/// One column of one row.
public struct ScreenCell: Hashable, Sendable {
    /// One character, a blank where nothing was written; empty in the second column of a wide one.
    public var text: String
    /// The columns it takes: 1, 2, or 0 in the second column of a wide one.
    public var width: Int
    /// Its look.
    public var style: ScreenStyle

    /// A cell.
    public init(text: String = " ", width: Int = 1, style: ScreenStyle = ScreenStyle()) {
        self.text = text
        self.width = width
        self.style = style
    }
}
