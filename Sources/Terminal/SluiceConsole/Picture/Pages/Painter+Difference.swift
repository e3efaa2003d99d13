import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The difference between two moments of the store, and one task in both columns (G5).
extension Painter {
    mutating func paintDifference(_ page: DifferencePage) {
        paintTitle("sluice \(page.title)")
        let area = layout.pageRect
        if page.heads.indices.contains(page.choice) {
            let row = page.heads[page.choice] - page.top
            if (0..<area.height).contains(row) { paintSelection(y: area.y + row) }
        }
        paintLines(
            page.lines.lazy.map(Self.styled), top: page.top, marking: state.lettersInText)
    }

    /// A line of a difference: what came, went or changed in its colour.
    private static func styled(_ line: StoreDifference.Line) -> StyledLine {
        switch line.change {
        case .added: StyledLine(line.text, .running)
        case .removed: StyledLine(line.text, .failed)
        case .changed: StyledLine(line.text, .time)
        case nil: StyledLine(line.text, line.text.hasPrefix("    ") ? .text : .quiet)
        }
    }
}

extension ConsoleState {
    /// The lines of a task next to its former values.
    func lines(of task: ChangedTask, width: Int) -> [StyledLine] {
        TaskDifference(task: task, glyphs: settings.glyphs, width: width).lines
    }
}

/// A task at two moments in two columns: first the differences, then the rest.
struct TaskDifference {
    let task: ChangedTask
    let glyphs: GlyphSet
    let width: Int

    var lines: [StyledLine] {
        let columns = SideBySide(labelWidth: 14, width: width, glyphs: glyphs)
        let change = task.change
        var lines = [columns.row("", moment(task.from), moment(task.to), .quiet, .quiet)]
        switch (change.before, change.after) {
        case (nil, let came?):
            lines.append(columns.row("", "was not there", "came", .quiet, .running))
            lines += Self.told(came.comparedFields).flatMap { name, value in
                columns.rows(name, "", value, .text, .text)
            }
            return lines
        case (let went?, nil):
            lines.append(columns.row("", "was there", "removed", .quiet, .failed))
            lines += Self.told(went.comparedFields).flatMap { name, value in
                columns.rows(name, value, "", .text, .text)
            }
            return lines
        default: break
        }
        for field in change.fields where field.name != "payload" {
            lines += columns.rows(
                field.name, FieldDifference.words(field.from), FieldDifference.words(field.to),
                .text, .time)
        }
        if let payload = change.fields.first(where: { $0.name == "payload" }) {
            lines.append(StyledLine("payload", .quiet))
            lines += PayloadDifference(
                before: Array((payload.from.string ?? "").utf8),
                after: Array((payload.to.string ?? "").utf8)
            ).lines(limit: 200, glyphs: glyphs).map { [Span("  ")] + $0 }
        }
        return lines + unchanged(columns)
    }

    private func moment(_ name: String) -> String {
        name == Reading.present ? name : "at \(name)"
    }

    /// The unchanged facts, with their values.
    private func unchanged(_ columns: SideBySide) -> [StyledLine] {
        let changed = Set(task.change.fields.map(\.name))
        let same = Self.told(task.change.task.comparedFields.filter { !changed.contains($0.name) })
            .map { "\($0.name) \($0.value)" }
        guard !same.isEmpty else { return [] }
        let text = same.joined(separator: glyphs == .ascii ? " - " : " · ")
        let room = max(8, width - columns.labelWidth - 1)
        let wrapped = DisplayText.wrapped(text, to: room, limit: 12, glyphs: glyphs)
        return wrapped.enumerated().map { index, line in
            [Span(columns.padded(index == 0 ? "as before" : ""), .quiet), Span(line, .quiet)]
        }
    }

    /// Fields that say something, in words.
    private static func told(
        _ fields: [(name: String, value: JSONValue)]
    ) -> [(name: String, value: String)] {
        fields.compactMap { name, value in
            let words = FieldDifference.words(value)
            return ["none", "no", "0", ""].contains(words) ? nil : (name, words)
        }
    }
}
