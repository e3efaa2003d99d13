import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The task under the cursor, beside the list or below it.
extension Painter {
    mutating func paintPreview() {
        let area = layout.preview
        guard !area.isEmpty, let line = state.list.line else { return }
        paintPreviewRule(area)
        let id = line.task.id
        guard let text = state.detailText(DetailPlace(), width: area.width),
            text.detail.line.task.id == id
        else {
            let title = "\(state.names.name(id)) \(line.task.type)"
            buffer.put(
                title, x: area.x, y: area.y, role: .title, emphasis: true, maxWidth: area.width)
            if state.freeze != nil, let key = state.settings.keys.name(of: .detail) {
                let words = "the picture stands still: \(key) reads it"
                buffer.put(
                    words, x: area.x, y: area.y + 1, role: .quiet, maxWidth: area.width)
            }
            return
        }
        for (row, line) in text.preview(height: area.height).prefix(area.height).enumerated() {
            buffer.put(line, x: area.x, y: area.y + row, maxWidth: area.width)
        }
    }

    private mutating func paintPreviewRule(_ area: Rect) {
        if area.y > layout.body.y {
            let rule = Rect(x: area.x, y: area.y - 1, width: area.width, height: 1)
            return buffer.fill(rule, with: glyphs[.horizontalRule], role: .faint)
        }
        for y in layout.body.y..<layout.body.maxY {
            buffer.put(glyphs[.verticalRule], x: area.x - 2, y: y, role: .faint)
        }
        if let y = layout.ruleY {
            buffer.put(glyphs[.ruleJoin], x: area.x - 2, y: y, role: .faint)
        }
    }
}
