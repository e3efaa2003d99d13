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
        let shown = timeline.rows.dropFirst(page.top).prefix(layout.timelineRows)
        // The place in the list shares its line with the headline where lines are few.
        let isShared = !layout.isRoomy && shown.count < timeline.rows.count
        let room = contentWidth - (isShared ? Self.placeWidth : 0)
        buffer.put(
            drawing.headline(room: room), x: contentX, y: layout.body.y, maxWidth: contentWidth)
        guard !timeline.rows.isEmpty else {
            putText("no attempt and no task is there", .quiet, y: area.y)
            return
        }
        buffer.put(drawing.heading, x: area.x, y: area.y, maxWidth: area.width)
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

    /// The columns of `189–203 of 203` and two blanks.
    private static let placeWidth = 16

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
        let words = row.map(drawing.words) ?? []
        let whole = words.flatMap { $0.wrapped(to: area.width, indent: 2, glyphs: glyphs) }
        for line in whole.count <= area.maxY - y ? whole : words where y < area.maxY {
            buffer.put(line, x: area.x, y: y, maxWidth: area.width)
            y += 1
        }
        guard !layout.isRoomy, y < area.maxY else { return }
        buffer.put(drawing.legend, x: area.x, y: y, maxWidth: area.width)
    }
}

extension FrameLayout {
    /// The lines below the rows of a timeline: blank, legend, blank, and three of words.
    var timelineFoot: Int { isRoomy ? 6 : pageRect.height >= 6 ? 2 : 0 }

    /// The rows of a timeline, without its heading and its foot.
    var timelineRows: Int { max(1, pageRect.height - 1 - timelineFoot) }
}
