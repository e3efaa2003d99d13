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
    /// Whether all groups are unfolded.
    var isWhole = true

    private typealias Entry = (key: String, word: String, help: String)

    var lines: [StyledLine] {
        var lines: [StyledLine] = []
        if find.isEmpty { add("the ten keys you need", mostNeeded, &lines) }
        add(
            "own commands",
            keys.own.map { ($0.key.name, $0.command.where, $0.command.text) }, &lines)
        guard isWhole || !find.isEmpty else {
            lines += folded
            return lines
        }
        for (title, entries) in groups { add(title, entries, &lines) }
        if !find.isEmpty {
            add("words of a filter", filterWords, &lines)
            add("commands without a key", keyless, &lines)
        }
        if let place { add("this store", [("", "place", place)], &lines) }
        return lines
    }

    private var groups: [(title: String, entries: [Entry])] {
        let subjects: [(String, Action.Subject)] = [
            ("queue", .queue), ("task", .task), ("store", .store), ("view", .view),
            ("program", .program),
        ]
        let actions = subjects.map { title, subject in
            (
                title,
                Action.all.compactMap { action -> Entry? in
                    guard action.subject == subject, !Self.moves.contains(action.id) else {
                        return nil
                    }
                    return entry(action)
                }
            )
        }
        return [("move", moving)] + actions + [("signs", signs)]
    }

    private func entry(_ action: Action) -> Entry? {
        keys.name(of: action.id).map { ($0, action.legend, action.help) }
    }

    private var mostNeeded: [Entry] {
        let ids: [Action.ID] = [
            .detail, .why, .step, .pause, .resume, .retry, .undo, .filter, .commandLine,
        ]
        return [views] + ids.compactMap { Action.named($0).flatMap(entry) }
    }

    /// The words of the other groups, a line for each.
    private var folded: [StyledLine] {
        let heading: StyledLine = [
            Span("more: ", .quiet), Span("Enter", .key, emphasis: true),
            Span(" unfolds it, ", .quiet), Span("/", .key, emphasis: true),
            Span(" finds a key, an action, a command", .quiet),
        ]
        return [StyledLine(), heading]
            + groups.map { title, entries in
                let words = entries.map(\.word).joined(separator: ", ")
                let room = max(12, width - 10)
                return [
                    Span("  " + DisplayText.paddedRight(title, to: 8)),
                    Span(DisplayText.truncated(words, to: room, glyphs: glyphs), .quiet),
                ]
            }
    }

    /// Actions that only a command does.
    private var keyless: [Entry] {
        Action.all.compactMap { action in
            guard keys.name(of: action.id) == nil, let command = action.command else { return nil }
            return ("", command.name, action.help)
        }
    }

    /// The filters that are easy to miss.
    private var filterWords: [Entry] {
        guard let key = keys.name(of: .filter) else { return [] }
        return FilterShortcut.all.map { (key, $0.text, $0.help) }
    }

    private static let moves: Set<Action.ID> = [.down, .up, .left, .right]

    private var views: Entry {
        let names = ConsoleView.allCases.map(\.name).joined(separator: ", ")
        let round = keys.name(of: .nextView).map { "; \($0) goes round" } ?? ""
        return ("1-\(ConsoleView.allCases.count)", "views", "\(names)\(round)")
    }

    private var moving: [Entry] {
        func pair(_ first: Action.ID, _ second: Action.ID) -> String {
            [first, second].compactMap { keys.name(of: $0) }.joined(separator: " ")
        }
        return [
            ("0", "places", "back to all places, where the console shows several"),
            (
                pair(.down, .up), "down, up",
                "the arrows too; PgDn PgUp Home End by pages and to the ends"
            ),
            (
                pair(.left, .right), "panes",
                "left to the queues, right to the view; in groups: fold, unfold"
            ),
            views,
            ("S-Down", "range", "marks the rows that the cursor passes; S-Up upwards"),
            ("Esc", "back", "one step back: page, marks, filter"),
            ("^Z", "suspend", "fg comes back"),
        ]
    }

    private var signs: [Entry] {
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

    private func isWanted(_ entry: Entry) -> Bool {
        let wanted = find.lowercased()
        // Search for a single character among the keys.
        if find.count == 1, entry.key.split(separator: " ").contains(find[...]) { return true }
        return wanted.isEmpty || "\(entry.word) \(entry.help)".lowercased().contains(wanted)
    }

    private func add(
        _ title: String, _ entries: [Entry], _ lines: inout [StyledLine]
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
            find: find, isWhole: showsAllKeys)
    }
}
