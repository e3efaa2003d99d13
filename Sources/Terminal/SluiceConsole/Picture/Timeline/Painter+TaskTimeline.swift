import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The timeline over the view.
extension Painter {
    mutating func paintTaskTimeline(_ page: TimelinePage) {
        let area = layout.pageRect
        guard let timeline = state.scene?.taskTimeline, timeline.scope == page.scope else {
            paintTitle("Timeline")
            let words = state.scene?.timelineTrouble ?? "reading the attempts"
            putText(words, .quiet, y: area.y)
            return
        }
        let drawing = TimelineDrawing(
            timeline, page.window(at: clock.realNow), clock: clock, names: state.names,
            glyphs: glyphs, width: area.width)
        buffer.put(drawing.headline, x: contentX, y: layout.body.y, maxWidth: contentWidth)
        guard !timeline.rows.isEmpty else {
            putText("no attempt and no task is there", .quiet, y: area.y)
            return
        }
        buffer.put(drawing.heading, x: area.x, y: area.y, maxWidth: area.width)
        let shown = timeline.rows.dropFirst(page.top).prefix(layout.timelineRows)
        var y = area.y + 1
        for row in shown {
            let isChosen = row.key == page.chosen
            if isChosen { paintSelection(y: y) }
            buffer.put(
                drawing.line(row, isChosen: isChosen), x: area.x, y: y, maxWidth: area.width)
            y += 1
        }
        paintTimelineFoot(drawing, page, y: y + (layout.isRoomy ? 1 : 0))
        if shown.count < timeline.rows.count {
            paintPlace(page.top, page.top + shown.count, of: timeline.rows.count)
        }
    }

    private mutating func paintTimelineFoot(
        _ drawing: TimelineDrawing, _ page: TimelinePage, y: Int
    ) {
        guard layout.timelineFoot > 0 else { return }
        let area = layout.pageRect
        var y = y
        let row = page.place(in: drawing.timeline.rows).map { drawing.timeline.rows[$0] }
        if layout.isRoomy {
            buffer.put(drawing.legend, x: area.x, y: y, maxWidth: area.width)
            y += 2
        }
        for line in row.map(drawing.words) ?? [] where y < area.maxY {
            buffer.put(line, x: area.x, y: y, maxWidth: area.width)
            y += 1
        }
    }
}

extension FrameLayout {
    /// The lines below the rows of a timeline: blank, legend, blank, and three of words.
    var timelineFoot: Int { isRoomy ? 6 : pageRect.height >= 6 ? 2 : 0 }

    /// The rows of a timeline, without its heading and its foot.
    var timelineRows: Int { max(1, pageRect.height - 1 - timelineFoot) }
}
