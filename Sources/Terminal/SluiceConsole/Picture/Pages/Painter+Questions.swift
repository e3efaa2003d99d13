import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Questions that take more than a line: yes or no, and what to stop.
extension Painter {
    mutating func paintConfirmation(_ confirmation: Confirmation) {
        let room = max(1, layout.size.height / 2 - 2)
        let all = confirmation.lines.flatMap { wrapped($0, width: layout.size.width - 4) }
        let lines = all.prefix(room)
        let cut = all.count - lines.count
        let isTyped = state.modalField != nil
        let width = layout.size.width
        let top = paintPanel(height: lines.count + 2 + (isTyped ? 1 : 0))
        let answers: StyledLine =
            isTyped ? [] : [Span("  y", .key, emphasis: true), Span("/n", .key)]
        buffer.put(
            [Span(confirmation.title, .title, emphasis: true)] + answers, x: 1, y: top + 1,
            maxWidth: width - 2)
        for (row, line) in lines.enumerated() {
            let more = row == lines.count - 1 && cut > 0 ? " (\(cut) more lines)" : ""
            buffer.put(
                line + StyledLine(more, .quiet), x: 3, y: top + 2 + row, maxWidth: width - 4)
        }
        paintField(hint: "Esc: change nothing")
    }

    /// Wraps a sentence. A line with several colours stays on one line.
    private func wrapped(_ line: StyledLine, width: Int) -> [StyledLine] {
        guard line.spans.count == 1, let span = line.spans.first, line.width > width else {
            return [line]
        }
        return DisplayText.wrapped(span.text, to: max(1, width), limit: 6, glyphs: glyphs).map {
            [Span($0, span.role, emphasis: span.emphasis)]
        }
    }

    /// Clears a panel above the legend, below a rule; returns its first row.
    private mutating func paintPanel(height: Int) -> Int {
        let top = max(1, layout.legendY - height)
        let width = layout.size.width
        buffer.fill(Rect(x: 0, y: top, width: width, height: layout.legendY - top))
        buffer.fill(
            Rect(x: 0, y: top, width: width, height: 1), with: glyphs[.horizontalRule],
            role: .time)
        return top
    }

    mutating func paintStopMenu(_ menu: StopMenu) {
        let top = paintPanel(height: menu.entries.count + 2)
        let width = layout.size.width
        let end = buffer.put("stop", x: 1, y: top + 1, role: .title, emphasis: true)
        if let queue = menu.queue {
            buffer.put("this queue is \(queue)", x: end + 2, y: top + 1, role: .quiet)
        }
        let room = menu.entries.map { DisplayText.width($0.words) }.max() ?? 0
        for (row, entry) in menu.entries.enumerated() where top + 2 + row < layout.legendY {
            let y = top + 2 + row
            if row == menu.choice {
                buffer.paint(Rect(x: 0, y: y, width: width, height: 1), background: .selection)
            }
            let words: StyledLine = [
                Span("\(row + 1)", .key, emphasis: true),
                Span("  \(DisplayText.paddedRight(entry.words, to: room))  "),
                Span(entry.help, .quiet),
            ]
            buffer.put(words, x: 3, y: y, maxWidth: width - 4)
        }
    }

    mutating func paintColumnMenu(_ menu: ColumnMenu) {
        let names = state.columns.names
        let room = min(names.count, max(3, layout.legendY - 9))
        let top = paintPanel(height: room + 2)
        let width = layout.size.width
        let end = buffer.put("columns", x: 1, y: top + 1, role: .title, emphasis: true)
        buffer.put(
            "from left to right, after a task's sign and number", x: end + 2, y: top + 1,
            role: .quiet, maxWidth: width - end - 3)
        var window = ScrollWindow(total: names.count, height: room)
        window.move(to: menu.choice)
        let wide = names.map(\.rawValue.count).max() ?? 0
        let left = inventoryTable.withoutRoom
        for (row, place) in window.visible.enumerated() {
            let (name, y) = (names[place], top + 2 + row)
            if place == menu.choice {
                buffer.paint(Rect(x: 0, y: y, width: width, height: 1), background: .selection)
            }
            let isShown = !state.columns.hidden.contains(name)
            let words: StyledLine = [
                Span(isShown ? "[x] " : "[ ] ", .key, emphasis: isShown),
                Span(
                    DisplayText.paddedRight(name.rawValue, to: wide), isShown ? .text : .quiet),
                Span("  \(name.help)", .quiet),
                Span(left.contains(name) ? "  (no room)" : "", .time),
            ]
            buffer.put(words, x: 3, y: y, maxWidth: width - 4)
        }
    }
}
