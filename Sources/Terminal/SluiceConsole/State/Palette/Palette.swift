import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The rows above the command line: everything that its letters may mean, the best match first.
struct Palette {
    struct Entry: Hashable {
        /// The effect of Enter.
        enum Meaning: Hashable {
            /// The line runs as it is typed.
            case line
            case action(Action.ID)
            /// A command without a key. One that needs arguments is written into the line.
            case command(String, needsArguments: Bool)
            case view(ConsoleView)
            case queue(String)
            case filter(String)
            /// A filter of the help.
            case shortcut(String)
            case store(String)
            case own(OwnCommand)
        }
        var meaning: Meaning
        /// The key, or the kind of a thing without one.
        var key: String
        var title: String
        var help: String
        /// Further names that letters may match.
        var names: [String] = []
    }

    /// The rows; for an empty line the actions, in the order of their table.
    let entries: [Entry]

    init(_ state: ConsoleState, line: String) {
        let text = ConsoleState.trimmed(line)
        guard !text.isEmpty else {
            entries = Self.actions(state) + Self.own(state)
            return
        }
        let typed = Self.typed(state, text)
        guard typed == nil || !text.contains(" ") else {
            entries = typed.map { [$0] } ?? []
            return
        }
        let query = FuzzyQuery(text)
        let found = Self.all(state).enumerated().compactMap { place, entry in
            query.score(of: entry).map { (entry: entry, score: $0, place: place) }
        }.sorted { ($1.score, $0.place) < ($0.score, $1.place) }
        // The typed command has its own entry.
        let others = found.map(\.entry).filter { entry in
            guard let typed, case .command(let name, _) = entry.meaning else { return true }
            return typed.title.split(separator: " ").first.map(String.init) != name
        }
        entries = (typed.map { [$0] } ?? []) + others
    }

    /// The line itself, if its first word is a command or it names a task.
    private static func typed(_ state: ConsoleState, _ text: String) -> Entry? {
        if let id = state.namedTask(text) {
            return Entry(
                meaning: .line, key: "task", title: state.names.name(id), help: "goes there")
        }
        let words = ShellLine(text).all
        let bare = words.first == "sluice" ? Array(words.dropFirst()) : words
        if let (named, _) = Action.command(in: bare) {
            let usage = [named.command.name, named.command.arguments].filter { !$0.isEmpty }
            return Entry(
                meaning: .line, key: "$", title: usage.joined(separator: " "),
                help: help(named.action, state))
        }
        guard let word = bare.first, let help = ownWords[word] else { return nil }
        return Entry(meaning: .line, key: "$", title: text, help: help)
    }

    /// The words of the command line that are no commands of a shell.
    private static let ownWords = [
        "open": "opens another store in this console", "at": "goes to an event of a tape",
        "screenshot": "writes the screen as an SVG image",
        "q": "ends the program", "quit": "ends the program", "exit": "ends the program",
    ]

    private static func all(_ state: ConsoleState) -> [Entry] {
        actions(state) + own(state) + views + commands
            + (state.scene?.knownQueueNames ?? []).map {
                Entry(meaning: .queue($0), key: "queue", title: $0, help: "selects it")
            }
            + state.savedFilters.sorted { $0.key < $1.key }.map {
                Entry(
                    meaning: .filter($0.key), key: "/", title: "@\($0.key)", help: $0.value,
                    names: [$0.key])
            }
            + shortcuts(state)
            + state.settings.recentStores.filter { $0 != state.settings.storeName }.map {
                Entry(meaning: .store($0), key: "open", title: $0, help: "a recent store")
            }
    }

    /// Other systems keep no twins.
    private static func shortcuts(_ state: ConsoleState) -> [Entry] {
        guard state.scene?.queue?.system == nil, state.view != .fleet else { return [] }
        return FilterShortcut.all.map {
            Entry(meaning: .shortcut($0.text), key: "/", title: $0.text, help: $0.help)
        }
    }

    private static func own(_ state: ConsoleState) -> [Entry] {
        state.settings.keys.own.map { own in
            Entry(
                meaning: .own(own.command), key: own.key.name, title: own.command.text,
                help: own.command.place)
        }
    }

    private static func actions(_ state: ConsoleState) -> [Entry] {
        listed.map { action in
            Entry(
                meaning: .action(action.id), key: state.settings.keys.name(of: action.id) ?? "",
                title: action.legend, help: help(action, state),
                names: [action.id.rawValue, action.command?.name].compactMap(\.self)
                    + otherNames[action.id, default: []])
        }
    }

    private static func help(_ action: Action, _ state: ConsoleState) -> String {
        state.scene?.helps[action.id] ?? action.help
    }

    private static let views = ConsoleView.allCases.map {
        Entry(
            meaning: .view($0), key: "\($0.rawValue)", title: $0.name,
            help: "view \($0.rawValue)", names: otherViewNames[$0, default: []])
    }

    /// Words that people look for.
    private static let otherNames: [Action.ID: [String]] = [
        .screenshot: ["image", "picture", "share"], .timeline: ["gantt", "chart"],
    ]
    private static let otherViewNames: [ConsoleView: [String]] = [
        .queues: ["charts", "curves"], .flow: ["gate"], .failures: ["errors"],
    ]

    private static let commands: [Entry] = Action.all.compactMap { action in
        guard let command = action.command, !listed.contains(action) else { return nil }
        let isFree = command.arguments.isEmpty || command.arguments.hasPrefix("[")
        return Entry(
            meaning: .command(command.name, needsArguments: !isFree), key: "$",
            title: command.name, help: action.help)
    }

    /// The actions with a key, and the ones that act on a task, a queue or the store.
    private static let listed: [Action] =
        ActionMenu.entries
        + Action.all.filter {
            $0.key != nil && !ActionMenu.entries.contains($0) && !moves.contains($0.id)
        }

    private static let moves: Set<Action.ID> = [
        .actions, .commandLine, .down, .up, .left, .right, .detail,
    ]
}

/// Words whose letters a name contains in their order.
struct FuzzyQuery {
    private let words: [[Character]]

    init(_ text: String) {
        words = text.split(separator: " ").map { Array($0.lowercased()) }
    }

    /// How well all words match an entry, or `nil` if one of them does not. The help matches only
    /// as it is written.
    func score(of entry: Palette.Entry) -> Int? {
        let names = ([entry.title] + entry.names).map { Array($0.lowercased()) }
        let help = entry.help.lowercased()
        var total = 0
        for word in words {
            let best = names.enumerated().compactMap { place, name in
                Self.score(word, name).map { $0 - min(place, 1) }
            }.max()
            guard let score = best ?? (help.contains(String(word)) ? 10 : nil) else { return nil }
            total += score
        }
        return total
    }

    /// The whole name, its beginning, the beginning of a word, a part, or single letters.
    private static func score(_ word: [Character], _ name: [Character]) -> Int? {
        guard word.count <= name.count else { return nil }
        if name == word { return 400 }
        if name.starts(with: word) { return 300 }
        var part: Int?
        for start in name.indices.dropLast(word.count - 1)
        where name[start..<start + word.count].elementsEqual(word) {
            if start > 0, !name[start - 1].isLetter { return 250 }
            part = 200
        }
        return part ?? scattered(word, name)
    }

    /// Letters with gaps count less the wider they are apart; the first one begins a word.
    private static func scattered(_ word: [Character], _ name: [Character]) -> Int? {
        guard let first = word.first else { return nil }
        let starts = name.indices.filter {
            name[$0] == first && ($0 == 0 || !name[$0 - 1].isLetter)
        }
        return starts.compactMap { start -> Int? in
            var place = start
            for letter in word.dropFirst() {
                guard let next = name[(place + 1)...].firstIndex(of: letter) else { return nil }
                place = next
            }
            return max(20, 100 - (place - start - word.count + 1))
        }.max()
    }
}

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
