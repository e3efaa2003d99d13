/// The colours and the font of a cell, with `reverse` carried out.
struct Ink: Equatable {
    let foreground: PictureColor
    let background: PictureColor
    let bold: Bool
    let italic: Bool

    init(_ style: ScreenStyle, _ theme: PictureTheme) {
        let front = theme.color(style.foreground, standard: theme.foreground)
        let back = theme.color(style.background, standard: theme.background)
        foreground = style.reverse ? back : front
        background = style.reverse ? front : back
        bold = style.bold
        italic = style.italic
    }

    func looksLike(_ other: Ink) -> Bool {
        foreground == other.foreground && bold == other.bold && italic == other.italic
    }
}

/// The way to draw the text of a cell.
enum CellContent: Equatable {
    /// Not at all.
    case blank
    /// As a part of a run of text.
    case plain
    /// As lines and rectangles.
    case shape(UInt32)
    /// On its own, in the middle of its cell, since its font may have other widths.
    case other

    init(_ cell: ScreenCell) {
        let scalars = cell.text.unicodeScalars
        guard scalars.count == 1, let value = scalars.first?.value else {
            self = .other
            return
        }
        self =
            switch value {
            case 0x20: .blank
            case BoxDrawing.range, BlockElements.blocks, BlockElements.braille: .shape(value)
            case 0x21...0x7e, 0xa1...0x24f: .plain
            default: .other
            }
    }
}

/// Neighbouring characters of one look, which become one text element.
struct TextRun {
    private(set) var text = ""
    private(set) var ink: Ink?
    private(set) var column = 0
    private var blanks = 0

    /// Whether a cell fits this run. A run contains at most one blank between texts.
    func takes(_ text: String, _ ink: Ink, at column: Int) -> Bool {
        guard let own = self.ink else { return true }
        return text == " " ? blanks == 0 : own.looksLike(ink)
    }

    mutating func addBlank() {
        if ink != nil { blanks += 1 }
    }

    mutating func add(_ character: String, _ ink: Ink, at column: Int) {
        if self.ink == nil {
            self.ink = ink
            self.column = column
        }
        text += String(repeating: " ", count: blanks) + character
        blanks = 0
    }
}
