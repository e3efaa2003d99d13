import SluiceTerminalUI

extension StyledLine {
    /// The line in rows of so many columns, broken at blanks. Rows after the first begin with
    /// `indent` blanks. A word that is longer than a row is broken.
    func wrapped(to columns: Int, indent: Int = 0, glyphs: GlyphSet) -> [StyledLine] {
        guard width > columns, columns > indent + 4 else { return [self] }
        let lead = Span(String(repeating: " ", count: indent))
        var rows: [StyledLine] = []
        var (row, rowWidth) = (StyledLine(), 0)
        func start() {
            rows.append(row)
            (row, rowWidth) = (StyledLine([lead]), indent)
        }
        for word in words {
            if rowWidth + word.width > columns, rowWidth > indent { start() }
            if word.isBlank, !rows.isEmpty, rowWidth == indent { continue }
            for piece in word.pieces(columns: columns - indent, glyphs) {
                if rowWidth + piece.width > columns { start() }
                row.spans += piece.spans
                rowWidth += piece.width
            }
        }
        return rows + (rowWidth > indent || rows.isEmpty ? [row] : [])
    }

    /// Its words and the blanks between them; a word may have spans of several roles.
    private var words: [StyledLine] {
        var words: [StyledLine] = []
        for span in spans {
            for part in span.text.split(at: " ") {
                let piece = Span(part, span.role, emphasis: span.emphasis)
                if let last = words.last, !last.isBlank, !part.hasPrefix(" ") {
                    words[words.count - 1].spans.append(piece)
                } else {
                    words.append(StyledLine([piece]))
                }
            }
        }
        return words
    }

    private var isBlank: Bool { text.allSatisfy { $0 == " " } }

    /// A word that is too long, in parts.
    private func pieces(columns: Int, _ glyphs: GlyphSet) -> [StyledLine] {
        guard width > columns else { return [self] }
        return spans.flatMap { span in
            DisplayText.wrapped(span.text, to: columns, glyphs: glyphs).map {
                StyledLine($0, span.role, emphasis: span.emphasis)
            }
        }
    }
}

extension String {
    /// Runs of blanks and of other characters, in their order.
    fileprivate func split(at blank: Character) -> [String] {
        var parts: [String] = []
        for character in self {
            if let last = parts.last?.last, (last == blank) == (character == blank) {
                parts[parts.count - 1].append(character)
            } else {
                parts.append(String(character))
            }
        }
        return parts
    }
}
