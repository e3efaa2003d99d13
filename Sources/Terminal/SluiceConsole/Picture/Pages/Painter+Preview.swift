import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The task under the cursor, right of the list or below it.
extension Painter {
    mutating func paintPreview() {
        var area = layout.preview
        guard !area.isEmpty else { return }
        guard let id = state.previewed else { return paintNoPreview(area) }
        paintPreviewRule(area)
        if let other = state.besidePreviewed {
            let words = state.stepping?.done == nil ? "is stepped" : "was stepped"
            buffer.put(
                "\(state.names.name(id)) \(words); the cursor is on \(state.names.name(other))",
                x: area.x, y: area.y, role: .time, maxWidth: area.width)
            area = Rect(x: area.x, y: area.y + 1, width: area.width, height: area.height - 1)
        }
        guard let text = state.detailText(DetailPlace(), width: area.width),
            text.detail.line.task.id == id
        else {
            return paintPreviewTitle(id, area)
        }
        let lines = text.preview(height: area.height).prefix(area.height)
        let hits = state.hits
        for (row, line) in lines.enumerated() {
            let marked = hits.isEmpty ? line : line.marking(hits)
            buffer.put(marked, x: area.x, y: area.y + row, maxWidth: area.width)
        }
        let height = 6
        guard area.height - lines.count > height else { return }
        paintHour(
            in: Rect(x: area.x, y: area.maxY - height, width: area.width, height: height))
    }

    /// A row of another view than the list that has no task.
    private mutating func paintNoPreview(_ area: Rect) {
        guard state.view != .inventory, let scene = state.scene else { return }
        paintPreviewRule(area)
        guard state.view != .failures || !scene.failures.isEmpty else { return }
        let words = state.view == .runners ? "it runs no task" : "no task belongs to this row"
        buffer.put(words, x: area.x, y: area.y, role: .quiet, maxWidth: area.width)
    }

    /// The known facts about a task before it loads, or after its step removed it.
    private mutating func paintPreviewTitle(_ id: TaskID, _ area: Rect) {
        let done = state.stepping?.done
        let line = state.list.line?.task
        let type = line?.id == id ? line?.type : done?.type
        let title = "\(state.names.name(id)) \(type ?? "")"
        buffer.put(
            title, x: area.x, y: area.y, role: .title, emphasis: true, maxWidth: area.width)
        if state.freeze != nil, let key = state.settings.keys.name(of: .detail) {
            let words = "the picture is frozen: \(key) reads it"
            buffer.put(words, x: area.x, y: area.y + 1, role: .quiet, maxWidth: area.width)
        }
        guard let done, done.id == id, area.height > 2 else { return }
        let words = state.names.text(AttemptText(done).sentence)
        let lines = DisplayText.wrapped(
            words, to: max(1, area.width), limit: area.height - 2, glyphs: glyphs)
        for (row, text) in lines.enumerated() {
            buffer.put(
                text, x: area.x, y: area.y + 2 + row, role: done.isSuccess ? .running : .failed,
                maxWidth: area.width)
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
