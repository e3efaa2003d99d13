import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The form of a queue's settings.
extension Painter {
    mutating func paintSettings(_ queue: String, _ choice: QueueSetting) {
        guard let form = state.scene?.form(of: queue) else { return }
        let area = layout.pageRect
        let title = "Settings of \(queue)"
        buffer.put(
            title, x: contentX, y: layout.body.y, role: .title, emphasis: true,
            maxWidth: contentWidth)
        let types = form.settings.types.count
        let own = types == 1 ? "1 type has its own" : "\(types) types have their own"
        let status = sentence(form) + (types > 0 ? "; \(own)" : "")
        let x = contentX + contentWidth - DisplayText.width(status)
        if x > contentX + DisplayText.width(title) + 2 {
            buffer.put(status, x: x, y: layout.body.y, role: .quiet)
        }
        let columns = settingsColumns(form)
        let frames = columns.layout(width: contentWidth)
        buffer.putHeadings(columns, frames, x: contentX, y: area.y)
        let chosen = form.index(of: choice)
        let first = layout.firstSetting(chosen, of: form.rows.count)
        let shown = form.rows.indices.dropFirst(first).prefix(layout.settingsHeight)
        for index in shown {
            let y = area.y + 1 + index - first
            if index == chosen { paintSelection(y: y) }
            for frame in frames {
                buffer.put(
                    cell(frame.index, form.rows[index]), in: frame,
                    alignment: columns.all[frame.index].alignment, x: contentX, y: y)
            }
        }
        if layout.isRoomy {
            paintPlace(first, first + shown.count, of: form.rows.count)
        }
        paintAllowed(
            form.rows[chosen].setting, saysHelp: !frames.contains { $0.index == 4 },
            y: area.maxY - 1)
    }

    private func sentence(_ form: SettingsForm) -> String {
        let count = form.differing == 0 ? "none" : "\(form.differing)"
        let verb = form.differing < 2 ? "differs" : "differ"
        guard let preset = form.settings.preset else {
            return "no preset; \(count) \(verb) from a new queue's"
        }
        return "preset \(preset); \(count) \(verb)"
    }

    private func settingsColumns(_ form: SettingsForm) -> Columns {
        func width(_ texts: [String?]) -> Int {
            texts.map { DisplayText.width($0 ?? "-") }.max() ?? 1
        }
        let value = width(form.rows.map(\.value))
        let ground = max(width(form.rows.map(\.ground)), DisplayText.width(form.groundName))
        return Columns(
            [
                Column("", minimum: 1, priority: 20),
                Column("setting", minimum: 16, priority: 19),
                Column("value", minimum: 10, ideal: max(12, value), maximum: 60, priority: 18),
                Column(form.groundName, minimum: 8, ideal: ground, maximum: 60, priority: 17),
                Column("meaning", minimum: 41, maximum: 41, priority: 5),
            ], gap: contentWidth >= 50 ? 2 : 1)
    }

    private func cell(_ column: Int, _ row: SettingsForm.Row) -> StyledLine {
        switch column {
        case 0: return StyledLine(row.differs ? glyphs[.differs] : " ", emphasis: true)
        case 1: return StyledLine(row.setting.name)
        case 2:
            guard let value = row.value else { return StyledLine(glyphs[.dash], .faint) }
            return StyledLine(value, row.differs ? .title : .text, emphasis: row.differs)
        case 3:
            guard row.setting != .preset else { return StyledLine() }
            guard let ground = row.ground else { return StyledLine(glyphs[.dash], .faint) }
            return StyledLine(ground, .quiet)
        default: return StyledLine(row.setting.help, .quiet)
        }
    }

    /// The allowed values of the chosen setting.
    private mutating func paintAllowed(_ setting: QueueSetting, saysHelp: Bool, y: Int) {
        guard y > layout.pageRect.y + 1 else { return }
        var line: StyledLine = [Span("\(setting.name)  ", .text, emphasis: true)]
        let help = "\(setting.help)\(separator)"
        // The allowed values are more useful than the explanation.
        let room = contentWidth - line.width - DisplayText.width(setting.allowed)
        if saysHelp, DisplayText.width(help) <= room { line.append(help, .quiet) }
        line.append(setting.allowed, .quiet)
        buffer.put(line, x: contentX, y: y, maxWidth: contentWidth)
    }
}

extension FrameLayout {
    /// The number of visible settings, between the headings and the line below.
    var settingsHeight: Int { max(1, pageRect.height - 2) }

    /// The index of the first visible setting.
    func firstSetting(_ chosen: Int, of count: Int) -> Int {
        min(max(0, chosen - settingsHeight / 2), max(0, count - settingsHeight))
    }
}
