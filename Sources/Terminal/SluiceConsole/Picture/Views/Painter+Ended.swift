import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The fold below the list.
extension Painter {
    /// `▸ ended and kept: 240 succeeded · 12 deleted`.
    mutating func paintFold() {
        guard let ended = state.ended, let y = state.foldY(layout) else { return }
        if state.isOnFold { paintCursor(y: y) }
        var parts: [String] = []
        if ended.succeeded > 0 { parts.append("\(NumberText.grouped(ended.succeeded)) succeeded") }
        if ended.deleted > 0 { parts.append("\(NumberText.grouped(ended.deleted)) deleted") }
        let glyph = glyphs[state.showsEnded ? .expanded : .collapsed]
        var line: StyledLine = [
            Span("\(glyph) ended and kept: \(parts.joined(separator: separator))", .quiet)
        ]
        if state.isOnFold {
            line.append("  \(glyphs.enter)", .key)
            line.append(state.showsEnded ? " hides them" : " shows them", .quiet)
        }
        buffer.put(line, x: contentX, y: y, maxWidth: contentWidth)
    }
}
