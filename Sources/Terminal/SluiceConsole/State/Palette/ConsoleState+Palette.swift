import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The palette: the command line with the rows above it.
extension ConsoleState {
    /// The rows of the open command line. A note, such as an error, takes their room.
    var palette: Palette? {
        guard case .prompt(let prompt)? = modal, prompt.question == .command, prompt.note == nil
        else { return nil }
        return Palette(self, line: prompt.editor.text)
    }

    /// Moves the choice or does the chosen row. Returns whether the key meant that.
    mutating func handlePalette(_ prompt: Prompt, _ key: Key) -> Bool {
        let keys: [Key] = [.down, .up, .pageDown, .pageUp, .enter]
        guard keys.contains(key), let entries = palette?.entries, !entries.isEmpty else {
            return false
        }
        let page = max(1, layout.paletteRect(count: entries.count).height - 2)
        let choice: Int?
        switch key {
        case .down where !prompt.editor.isRecalled: choice = prompt.choice.map { $0 + 1 } ?? 0
        case .up where prompt.choice == 0 && prompt.editor.text.isEmpty: choice = nil
        case .up where (prompt.choice ?? 0) > 0: choice = prompt.choice.map { $0 - 1 }
        case .pageDown: choice = (prompt.choice ?? 0) + page
        case .pageUp: choice = max(0, (prompt.choice ?? 0) - page)
        case .enter:
            guard let choice = prompt.choice, entries.indices.contains(choice) else {
                return false
            }
            return run(entries[choice], in: prompt)
        default: return false
        }
        choosePaletteRow(choice, of: entries.count, in: prompt)
        return true
    }

    private mutating func choosePaletteRow(_ choice: Int?, of count: Int, in prompt: Prompt) {
        var next = prompt
        next.choice = choice.map { min(max(0, $0), count - 1) }
        modal = .prompt(next)
    }

    /// A click chooses a row; a click on the chosen one does it.
    mutating func clickPalette(_ point: Point) {
        guard case .prompt(let prompt)? = modal, let entries = palette?.entries else { return }
        let area = layout.paletteRect(count: entries.count)
        var window = ScrollWindow(total: entries.count, height: area.height)
        window.move(to: prompt.choice ?? 0)
        let row = window.visible.lowerBound + point.y - area.y
        guard area.contains(point), window.visible.contains(row) else { return }
        guard row == prompt.choice else {
            return choosePaletteRow(row, of: entries.count, in: prompt)
        }
        if !run(entries[row], in: prompt) { submit(prompt) }
    }

    /// Does an entry. Returns false for the line itself, which the prompt submits.
    private mutating func run(_ entry: Palette.Entry, in prompt: Prompt) -> Bool {
        switch entry.meaning {
        case .line: return false
        case .action(let id):
            modal = nil
            perform(id)
        case .command(let name, needsArguments: true):
            ask(Prompt(.command, text: "\(name) ", history: commandHistory))
            promptEdited()
        case .command(let name, needsArguments: false): submit(prompt.with(name))
        case .view(let view):
            modal = nil
            show(view)
        case .queue(let name):
            modal = nil
            pages = []
            select(queue: name)
        case .filter(let name): find("@\(name)")
        case .shortcut(let text): find(text)
        case .own(let command):
            modal = nil
            perform(command)
        case .store(let name): submit(prompt.with("open \(ShellWord.quoted(name))"))
        }
        return true
    }
}

extension ConsoleState {
    private mutating func find(_ filter: String) {
        modal = nil
        if view != .inventory { show(.inventory) }
        pages = []
        setFilter(try? TaskFilter(filter, saved: savedFilters))
    }
}

extension Prompt {
    fileprivate func with(_ text: String) -> Prompt {
        var prompt = self
        prompt.editor.replace(with: text)
        return prompt
    }
}
