import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The heading of the list of all queues, and their row in the left pane.
extension Painter {
    /// The row above the queues, which does not scroll with them.
    mutating func paintAllRow(_ columns: Columns, _ frames: [ColumnFrame], y: Int) {
        guard let scene = state.scene else { return }
        paintQueueCursor(isSelected: state.isAll, y: y)
        let isPaused = scene.storePauses.contains { $0.direction.stopsWork }
        for frame in frames {
            let column = columns.all[frame.index]
            let text: StyledLine
            switch frame.index {
            case 0: text = StyledLine(glyphs[.all], .quiet)
            case 1: text = StyledLine("all", state.isAll ? .title : .text, emphasis: state.isAll)
            case 2: text = StyledLine(isPaused ? "paused" : "", .time)
            case 3, 4: text = StyledLine()
            default:
                let waits = scene.counts[.waiting]
                text =
                    waits == 0
                    ? StyledLine(glyphs[.dash], .faint)
                    : StyledLine(
                        Figure.text(
                            waits, width: frame.width, isAbout: scene.estimated,
                            isBound: scene.isBounded))
            }
            buffer.put(text, in: frame, alignment: column.alignment, x: 1, y: y)
        }
    }

    /// The selected row of the left pane: lit where the keys are, elsewhere marked by a sign.
    mutating func paintQueueCursor(isSelected: Bool, y: Int) {
        guard isSelected else { return }
        guard state.focus == .queues else {
            buffer.put(glyphs[.cursor], x: 0, y: y, role: .quiet)
            return
        }
        let row = Rect(x: 0, y: y, width: layout.left.width, height: 1)
        buffer.paint(row, background: .selection)
    }

    mutating func paintAllHeadline(y: Int) {
        guard let scene = state.scene else { return }
        var text: StyledLine = [Span("all queues", .title, emphasis: true)]
        if let pause = scene.storePauses.first {
            text.append("  \(glyphs[.paused]) ", .time)
            text.append("paused", .time, emphasis: true)
            text.append(pauseWords(pause), .time)
        }
        buffer.put(text, x: contentX, y: y, maxWidth: contentWidth)
        let count = scene.queueCount
        let words =
            (count == 1 ? "1 queue" : "\(NumberText.grouped(count)) queues")
            + "\(separator)by number"
        let width = DisplayText.width(words)
        if text.width + 3 + width <= contentWidth {
            buffer.put(words, x: contentX + contentWidth - width, y: y, role: .quiet)
        }
    }

    /// The queue settings for a task of the list.
    func settings(of task: QueueTask) -> QueueSettings? {
        state.list.page.settings[task.queue] ?? state.scene?.queue?.overview.queue.settings
    }
}

extension QueueWords {
    /// The counts of all queues together that are not zero, by stored state.
    static func parts(
        _ counts: QueueCounts, lost: Int, isAbout: Bool = false, isCapped: Bool = false
    ) -> [Part] {
        var parts = [
            Part(
                word: "running", count: counts[.running] - lost, role: .running, letter: "R"),
            Part(
                word: "waiting", count: counts[.waiting] + lost, role: .next, letter: "W"),
            Part(word: "failed", count: counts[.failed], role: .failed, letter: "F"),
        ].filter { $0.count > 0 }
        for index in parts.indices {
            (parts[index].isAbout, parts[index].isCapped) = (isAbout, isCapped)
        }
        return parts
    }
}
