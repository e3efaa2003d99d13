package import SluiceControl
package import SluiceModel
package import SluiceTerminalUI

/// A timeline as lines of text, for a command that prints it once.
package struct TimelinePicture {
    package var width = 100
    package var glyphs = GlyphSet.unicode
    package var names = TaskNames()
    package var zone = ZoneRules.utc

    /// A picture of a usual width.
    package init() {}

    /// The lines, without blanks at their ends.
    package func lines(_ timeline: TaskTimeline) -> [String] {
        let width = max(FrameLayout.smallest.width, width)
        let clock = ScreenClock(
            now: timeline.at, format: .relative, zone: zone, ticks: true)
        let drawing = TimelineDrawing(
            timeline, nil, clock: clock, names: names, glyphs: glyphs, width: width)
        var buffer = CellBuffer(Size(width: width, height: 1), glyphs: glyphs)
        return drawing.lines.map { line in
            buffer = CellBuffer(Size(width: width, height: 1), glyphs: glyphs)
            buffer.put(line, x: 0, y: 0, maxWidth: width)
            return String((buffer.lines.first ?? "").reversed().drop { $0 == " " }.reversed())
        }
    }
}
