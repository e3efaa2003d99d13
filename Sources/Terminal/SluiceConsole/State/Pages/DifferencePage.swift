import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The page of a difference: its lines, with the cursor on what came, went or changed.
struct DifferencePage: Hashable, Sendable {
    let title: String
    let difference: StoreDifference
    let lines: [StoreDifference.Line]
    /// The first line of each item: the tasks first, in the order of the difference.
    let heads: [Int]
    var choice = 0
    /// The first visible line.
    var top = 0

    init(_ difference: StoreDifference, title: String, _ names: TaskNames) {
        (self.title, self.difference) = (title, difference)
        let lines = difference.lines(names)
        self.lines = lines
        heads = lines.indices.filter { lines[$0].change != nil }
    }

    /// The task at the cursor; nil on a queue.
    var chosen: ChangedTask? {
        guard difference.tasks.indices.contains(choice) else { return nil }
        return ChangedTask(
            change: difference.tasks[choice], from: difference.from, to: difference.to)
    }

    /// The index of the item in a line of the screen.
    func choice(atLine line: Int) -> Int? { heads.firstIndex(of: top + line) }

    /// Moves the cursor, and scrolls after the last item.
    mutating func move(_ step: ConsoleState.Step, height: Int) {
        let lastTop = max(0, lines.count - height)
        switch step {
        case .rows(let rows):
            let next = min(max(0, choice + rows), max(0, heads.count - 1))
            if next == choice {
                top = min(max(0, top + rows), lastTop)
            } else {
                choice = next
                showChoice(height: height)
            }
        case .pages(let pages):
            top = min(max(0, top + pages * max(1, height - 1)), lastTop)
            choice = heads.firstIndex { $0 >= top } ?? max(0, heads.count - 1)
        case .start: (choice, top) = (0, 0)
        case .end: (choice, top) = (max(0, heads.count - 1), lastTop)
        }
    }

    /// Brings what the cursor is on into sight, as far as it has room.
    private mutating func showChoice(height: Int) {
        guard heads.indices.contains(choice) else { return }
        let first = heads[choice]
        let end = choice + 1 < heads.count ? heads[choice + 1] : first + 1
        if end > top + height { top = end - height }
        if first < top { top = choice == 0 ? 0 : first }
    }
}

/// A task at two moments, for comparison.
struct ChangedTask: Hashable, Sendable {
    let change: StoreDifference.TaskChange
    /// The names of the two moments.
    let from: String
    let to: String

    func title(_ names: TaskNames) -> String {
        "\(names.name(change.task.id)) \(change.task.type) in \(change.task.queue)"
    }
}

extension Page {
    /// The page of what a command printed, its lines broken to fit the columns; nil where it has
    /// room in the message line.
    init?(of report: CommandReport, _ command: String, _ names: TaskNames, columns: Int) {
        if let difference = report.difference, !difference.isEmpty {
            self = .difference(DifferencePage(difference, title: command, names))
        } else if report.lines.count > 2 {
            let lines = report.lines.flatMap { Self.broken($0, to: columns) }
            self = .text(title: command, lines: lines, top: 0)
        } else {
            return nil
        }
    }

    /// A line that is too long as several, indented alike.
    private static func broken(_ line: String, to columns: Int) -> [String] {
        guard line.utf8.count > columns, DisplayText.width(line) > columns else { return [line] }
        let indent = line.prefix { $0 == " " }
        guard indent.count < columns / 2 else { return [line] }
        return DisplayText.wrapped(
            String(line.dropFirst(indent.count)), to: columns - indent.count
        ).map { indent + $0 }
    }
}

extension ConsoleState {
    /// Whether the page of a difference took the key.
    mutating func handleDifference(_ page: DifferencePage, _ key: Key) -> Bool {
        if key == .enter {
            guard let task = page.chosen else {
                message = .refusal("only a task is opened: the lines tell what changed in a queue")
                return true
            }
            open(.changed(task, top: 0))
            return true
        }
        if key == .character("/") {
            ask(Prompt(.findInText, text: wordInText))
            return true
        }
        guard let step = Self.step(of: key) else { return false }
        var page = page
        page.move(step, height: layout.pageRect.height)
        pages[pages.count - 1] = .difference(page)
        return true
    }

    mutating func openChanged(_ task: ChangedTask) {
        guard let id = task.change.after?.id else {
            let name = names.name(task.change.task.id)
            message = .refusal("\(name) was removed: it has no page any more")
            return
        }
        open(.detail(id, DetailPlace()))
    }
}
