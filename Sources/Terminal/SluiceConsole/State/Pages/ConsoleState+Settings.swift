import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The form of a queue's settings: moving in it, and changing one of them in one commit.
extension ConsoleState {
    mutating func handleSettings(_ queue: String, _ choice: QueueSetting, _ key: Key) -> Bool {
        guard let form = scene?.form(of: queue) else { return false }
        let row = form.index(of: choice)
        if let step = Self.step(of: key) {
            let wanted: Int
            switch step {
            case .rows(let rows): wanted = row + rows
            case .pages(let pages): wanted = row + pages * max(1, layout.settingsHeight - 1)
            case .start: wanted = 0
            case .end: wanted = form.rows.count - 1
            }
            let bounded = min(max(0, wanted), form.rows.count - 1)
            pages[pages.count - 1] = .settings(queue, form.rows[bounded].setting)
            return true
        }
        guard key == .enter || key == .right else { return false }
        change(form.rows[row], in: form)
        return true
    }

    private mutating func change(_ row: SettingsForm.Row, in form: SettingsForm) {
        if let reason = DisabledReasons(state: self).readOnlyReason {
            message = .refusal(reason)
            return
        }
        if row.value == nil {
            message = .refusal(
                "\(form.queue) is \(form.settings.start.name), so it has no \(row.setting.name)")
            return
        }
        let text = row.setting == .preset ? form.settings.preset ?? "" : row.value ?? ""
        ask(Prompt(.setting(form.queue, row.setting), text: text))
    }

    /// Takes the value that was typed: checked as the command checks it, asked about where it
    /// changes more than itself.
    mutating func submit(
        _ queue: String, _ setting: QueueSetting, _ text: String
    ) throws(QueueError) {
        guard let form = scene?.form(of: queue) else {
            throw QueueError(.unknownQueue, "\(queue) was removed", fix: "Esc leaves")
        }
        let change = try setting.change(text)
        let after = try form.settings.changed(change)
        modal = nil
        guard after != form.settings else {
            message = .note("\(setting.name) stays \(text)")
            return
        }
        let verb = Verb.setQueue(queue, [change])
        guard setting == .preset else { return start(verb) }
        message = nil
        modal = .confirm(
            Confirmation(
                verb: verb, title: "preset \(text) for \(queue)?",
                lines: presetLines(form.changes(by: after)), answer: .key))
    }

    private func presetLines(_ rows: [SettingsForm.Row]) -> [StyledLine] {
        guard !rows.isEmpty else { return [StyledLine("no value changes", .quiet)] }
        let glyphs = settings.glyphs
        let width = rows.map { $0.setting.name.count }.max() ?? 0
        let old = rows.map { DisplayText.width($0.ground ?? glyphs[.dash]) }.max() ?? 0
        return rows.map { row in
            [
                Span(DisplayText.paddedRight(row.setting.name, to: width) + "  "),
                Span(
                    DisplayText.paddedRight(row.ground ?? glyphs[.dash], to: old), .quiet),
                Span(" \(glyphs[.arrow]) ", .quiet), Span(row.value ?? glyphs[.dash]),
            ]
        }
    }

    /// Closes a form whose queue was removed, and reports it.
    mutating func closeLostForm() {
        guard case .settings(let queue, _)? = page, scene?.form(of: queue) == nil else { return }
        pages.removeLast()
        if case .prompt(let prompt)? = modal, case .setting = prompt.question { dropModal() }
        message = .refusal("the queue \(queue) was removed")
    }
}
