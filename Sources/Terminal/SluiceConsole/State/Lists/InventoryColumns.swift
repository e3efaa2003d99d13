import SluiceControl
import SluiceModel
package import SluiceTerminalUI

/// The columns of the task list and their order. They follow a task's sign and number (K21).
package struct InventoryColumns: Hashable, Sendable {
    /// A column by its name in a file.
    enum Name: String, Hashable, Sendable, CaseIterable {
        case queue, type, group, priority, need, tries, state, took, about, age, changed
        case label, session

        /// The content of the column, and the case when it hides although chosen.
        var help: String {
            switch self {
            case .queue: "in the list of all queues"
            case .type: "what the task is"
            case .group: "where a task starts one or belongs to one"
            case .priority: "where the queue runs by it, or a task has one"
            case .need: "required or optional, where a task is required"
            case .tries: "counted attempts and their limit"
            case .state: "why it waits, or how it ended"
            case .took: "how long the last attempt took, where it has ended"
            case .about: "what its payload says first"
            case .age: "since it was made"
            case .changed: "since it changed last"
            case .label: "its label, given by the app"
            case .session: "who handed it over"
            }
        }
    }

    /// The columns of who chose none.
    package static let standard = InventoryColumns(
        names: Name.allCases, hidden: [.changed, .label, .session])

    /// Every column from left to right.
    private(set) var names: [Name]
    private(set) var hidden: Set<Name>

    private init(names: [Name], hidden: Set<Name>) {
        (self.names, self.hidden) = (names, hidden)
    }

    /// The visible columns, from left to right.
    var shown: [Name] { names.filter { !hidden.contains($0) } }

    /// Shows a column, or leaves it out.
    mutating func toggle(_ name: Name) {
        if hidden.remove(name) == nil { hidden.insert(name) }
    }

    /// Moves a column to the left (-1) or to the right (1), as far as that goes; gives its place.
    mutating func move(at place: Int, by step: Int) -> Int {
        let target = min(max(0, place + step), names.count - 1)
        names.swapAt(place, target)
        return target
    }
}

extension InventoryColumns {
    /// Parses the column names from left to right, with `#` comments. Omits unnamed columns. Throws
    /// if a name is unknown or repeated.
    package init(_ text: String) throws(SettingsText.Problem) {
        var names: [Name] = []
        for (index, line) in text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        )
        .enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0.isWhitespace || $0 == "," }
            for word in words {
                guard let name = Name(rawValue: String(word)), !names.contains(name) else {
                    throw Self.problem(String(word), line: index + 1)
                }
                names.append(name)
            }
        }
        let rest = Name.allCases.filter { !names.contains($0) }
        self.init(names: names + rest, hidden: Set(rest))
    }

    private static func problem(_ word: String, line: Int) -> SettingsText.Problem {
        let known = Name.allCases.map(\.rawValue)
        guard !known.contains(word) else {
            return SettingsText.Problem(
                line: line, message: "the column \(word) comes twice", fix: "name it once")
        }
        let near = Spelling.nearest(to: word, among: known)
        return SettingsText.Problem(
            line: line, message: "there is no column \"\(word)\"",
            fix: near.map { "did you mean \($0)?" } ?? "columns: \(known.joined(separator: " "))")
    }

    /// The text of a file that reads as these.
    package var text: String {
        "# The columns of the list from left to right; the others are left out.\n"
            + shown.map { "\($0.rawValue)\n" }.joined()
    }
}

/// The column menu. The list shows each change immediately.
struct ColumnMenu: Hashable, Sendable {
    /// The columns to restore on cancel.
    let former: InventoryColumns
    /// The column that the keys mean.
    var choice = 0
}

extension ConsoleState {
    mutating func chooseColumns() {
        message = nil
        modal = .columns(ColumnMenu(former: columns))
    }

    mutating func answer(_ menu: ColumnMenu, _ key: Key) {
        var menu = menu
        switch key {
        case .escape, .character("q"):
            columns = menu.former
            return close("the columns stay as they were")
        case .enter:
            dropModal()
            return columns == menu.former ? () : send(.keepColumns(columns))
        case .character(" "): columns.toggle(columns.names[menu.choice])
        case .character("J"): menu.choice = columns.move(at: menu.choice, by: 1)
        case .character("K"): menu.choice = columns.move(at: menu.choice, by: -1)
        case .character("r"): columns = .standard
        default:
            guard let step = Self.step(of: key) else { return }
            let last = columns.names.count - 1
            switch step {
            case .rows(let rows): menu.choice = min(max(0, menu.choice + rows), last)
            case .start: menu.choice = 0
            case .pages, .end: menu.choice = last
            }
        }
        modal = .columns(menu)
    }

    mutating func applyKept(_ result: Result<String, QueueError>) {
        message =
            switch result {
            case .success(let path): MessageLine(text: "kept in \(path)", role: .running)
            case .failure(let error): .refusal("not kept: \(error.description)")
            }
    }
}
