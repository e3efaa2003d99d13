import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The rows above the command line.
extension Painter {
    mutating func paintPalette(_ palette: Palette, choice: Int?) {
        let (entries, width) = (palette.entries, layout.size.width)
        guard !entries.isEmpty else { return paintNoMatch() }
        let area = layout.paletteRect(count: entries.count)
        guard area.height > 0 else { return }
        var window = ScrollWindow(total: entries.count, height: area.height)
        window.move(to: choice ?? 0)
        let rule = Rect(x: 0, y: area.y - 1, width: width, height: 1)
        buffer.fill(rule, with: glyphs[.horizontalRule], role: .time)
        buffer.put(paletteTitle, x: 2, y: rule.y, role: .title, maxWidth: width - 4)
        buffer.fill(Rect(x: 0, y: area.y, width: width, height: layout.messageY - area.y))
        let reasons = DisabledReasons(state: state)
        let shown = entries[window.visible]
        let longest = shown.map { DisplayText.width($0.title) }.max() ?? 0
        let room = min(max(15, longest), max(15, width / 2 - 10))
        for (row, place) in window.visible.enumerated() {
            let y = area.y + row
            if place == choice {
                buffer.paint(Rect(x: 0, y: y, width: width, height: 1), background: .selection)
            }
            paint(entries[place], reasons, titleWidth: room, y: y)
        }
        paintPalettePlace(window.visible, of: entries.count, y: rule.y)
        // If the rows cut their sentences, show the chosen one in full.
        guard layout.paletteHasFoot, let choice, entries.indices.contains(choice) else { return }
        let (sentence, role) = sentence(of: entries[choice], reasons)
        buffer.put(sentence, x: 1, y: layout.messageY - 1, role: role, maxWidth: width - 2)
    }

    private mutating func paintNoMatch() {
        let line = Rect(x: 0, y: layout.messageY - 1, width: layout.size.width, height: 1)
        buffer.fill(line, role: .text)
        buffer.put(
            "no action, view, queue or command matches", x: 1, y: line.y, role: .quiet,
            maxWidth: line.width - 2)
    }

    private var paletteTitle: String {
        if !state.marks.isEmpty { return " on \(state.marks.count) marked tasks " }
        guard let task = state.selectedLine?.task else { return "" }
        return " on \(state.names.name(task.id)) \(task.type) "
    }

    private mutating func paint(
        _ entry: Palette.Entry, _ reasons: DisabledReasons, titleWidth: Int, y: Int
    ) {
        let (sentence, role) = sentence(of: entry, reasons)
        let isPossible = role == .quiet
        let key = DisplayText.truncated(entry.key, to: 5)
        buffer.put(
            key, x: 6 - DisplayText.width(key), y: y, role: isPossible ? .key : .quiet,
            emphasis: isPossible)
        buffer.put(
            entry.title, x: 8, y: y, role: isPossible ? .text : .quiet,
            maxWidth: titleWidth)
        let x = titleWidth + 10
        buffer.put(sentence, x: x, y: y, role: role, maxWidth: max(0, layout.size.width - x - 1))
    }

    private func sentence(
        of entry: Palette.Entry, _ reasons: DisabledReasons
    ) -> (text: String, role: Role) {
        if case .action(let id) = entry.meaning, let reason = reasons.reason(id) {
            return (reason, .time)
        }
        if case .own(let command) = entry.meaning, let reason = state.reason(command) {
            return (reason, .time)
        }
        return (entry.help, .quiet)
    }

    private mutating func paintPalettePlace(_ visible: Range<Int>, of count: Int, y: Int) {
        guard visible.count < count else { return }
        let dash = glyphs == .ascii ? "-" : "–"
        let text = " \(visible.lowerBound + 1)\(dash)\(visible.upperBound) of \(count) "
        buffer.put(text, x: layout.size.width - 2 - DisplayText.width(text), y: y, role: .quiet)
    }
}

extension FrameLayout {
    /// Whether the line below the rows shows the sentence of the chosen one.
    var paletteHasFoot: Bool { size.width < 76 }

    /// The rows of a palette, above the input line.
    func paletteRect(count: Int) -> Rect {
        let foot = paletteHasFoot ? 1 : 0
        let height = max(0, min(count, 16, messageY - 3 - foot))
        return Rect(x: 0, y: messageY - foot - height, width: size.width, height: height)
    }
}
