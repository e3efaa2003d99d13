import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The help screen: every key of the table, and how to move.
struct HelpText {
    let glyphs: GlyphSet
    let width: Int
    let keys: Keymap
    /// The path of the store.
    var place: String?
    /// Only entries with this in their key, word or sentence; empty for all.
    var find = ""

    var lines: [StyledLine] {
        var lines: [StyledLine] = []
        add("move", moving, &lines)
        let groups: [(String, [Action.Subject])] = [
            ("queue", [.queue]), ("task", [.task]), ("store", [.store]), ("view", [.view]),
            ("program", [.program]),
        ]
        for (title, subjects) in groups {
            let entries = Action.all.compactMap { action -> (String, String, String)? in
                guard subjects.contains(action.subject), !Self.moves.contains(action.id),
                    let key = keys.name(of: action.id)
                else { return nil }
                return (key, action.legend, action.help)
            }
            add(title, entries, &lines)
        }
        add(
            "own commands",
            keys.own.map { ($0.key.name, $0.command.where, $0.command.text) }, &lines)
        add("signs", signs, &lines)
        if let place { add("this store", [("", "place", place)], &lines) }
        return lines
    }

    private static let moves: Set<Action.ID> = [.down, .up, .left, .right]

    private var moving: [(String, String, String)] {
        func pair(_ first: Action.ID, _ second: Action.ID) -> String {
            [first, second].compactMap { keys.name(of: $0) }.joined(separator: " ")
        }
        let views = ConsoleView.allCases.map(\.name).joined(separator: ", ")
        let round = keys.name(of: .nextView).map { "; \($0) goes round" } ?? ""
        return [
            (
                pair(.down, .up), "down, up",
                "the arrows too; PgDn PgUp Home End by pages and to the ends"
            ),
            (
                pair(.left, .right), "panes",
                "left to the queues, right to the view; in groups: fold, unfold"
            ),
            ("1-\(ConsoleView.allCases.count)", "views", "\(views)\(round)"),
            ("Esc", "back", "one step back: page, marks, filter"),
            ("^Z", "suspend", "fg comes back"),
        ]
    }

    private var signs: [(String, String, String)] {
        [
            (glyphs[.next], "next", "what starts next"),
            (glyphs[.running], "running", "a worker executes it"),
            (glyphs[.paused], "paused", "a queue that is paused, a task that is parked"),
            (glyphs[.failed], "failed", "given up, or stuck"),
            (glyphs[.skipped], "skipped", "the queue continues without it"),
            (glyphs[.groupStart], "group", "its start; the members below wait for it"),
            (glyphs[.marked], "marked", "for the next verb"),
            (glyphs[.changed], "changed", "a moment ago"),
        ]
    }

    private func isWanted(_ entry: (String, String, String)) -> Bool {
        let wanted = find.lowercased()
        // Search for a single character among the keys.
        if find.count == 1, entry.0.split(separator: " ").contains(find[...]) { return true }
        return wanted.isEmpty || "\(entry.1) \(entry.2)".lowercased().contains(wanted)
    }

    private func add(
        _ title: String, _ entries: [(String, String, String)], _ lines: inout [StyledLine]
    ) {
        let entries = entries.filter(isWanted)
        guard !entries.isEmpty else { return }
        if !lines.isEmpty { lines.append(StyledLine()) }
        lines.append(StyledLine(title, .quiet))
        let indent = 24
        for (key, word, help) in entries {
            let rows = DisplayText.wrapped(
                help, to: max(12, width - indent), limit: 4, glyphs: glyphs)
            for (row, text) in rows.enumerated() {
                guard row == 0 else {
                    lines.append([Span(String(repeating: " ", count: indent)), Span(text, .quiet)])
                    continue
                }
                // Do not underline the blanks around an underlined key.
                let indent = max(0, 6 - DisplayText.width(key))
                lines.append([
                    Span(String(repeating: " ", count: indent)),
                    Span(DisplayText.truncated(key, to: 6), .key, emphasis: true), Span("  "),
                    Span(DisplayText.paddedRight(word, to: 14) + "  "), Span(text, .quiet),
                ])
            }
        }
    }
}

extension ConsoleState {
    func helpText(_ find: String, width: Int) -> HelpText {
        HelpText(
            glyphs: settings.glyphs, width: width, keys: settings.keys, place: settings.storePlace,
            find: find)
    }
}
