import SluiceControl
import SluiceModel
package import SluiceTerminalUI

/// The assignment of keys: the standard table, or a person's file.
///
/// The console itself knows only the keys of the standard table. The map translates pressed keys on
/// input, and displayed keys on output.
package struct Keymap: Hashable, Sendable {
    /// The meaning of a pressed key.
    enum Meaning: Hashable, Sendable {
        /// The equivalent key of the table.
        case key(Key)
        /// An action that has no key in the table.
        case action(Action.ID)
        /// A command of the person's own.
        case own(OwnKey)
        case nothing
    }

    /// The keys of the table.
    package static let standard = Keymap()

    /// The keys that a file gives, by action; an empty list takes its key from an action.
    var given: [Action.ID: [Key]] = [:]
    /// The keys of commands of the person's own, in the order of the file.
    private(set) var own: [OwnKey] = []
    private var actions: [Key: Action.ID] = [:]

    private init() {}

    /// The keys of the table, with replacements for the named actions, and with own commands.
    init(given: [Action.ID: [Key]], own: [OwnKey] = []) {
        (self.given, self.own) = (given, own)
        for (id, keys) in given { for key in keys { actions[key] = id } }
    }

    func meaning(of key: Key) -> Meaning {
        if Self.fixed.contains(key) { return .key(key) }
        if let own = own.first(where: { $0.key == key }) { return .own(own) }
        if let id = actions[key] {
            return Action.named(id)?.standardKey.map(Meaning.key) ?? .action(id)
        }
        // The file removed or reassigned this key.
        if let owner = Action.of(key: key.name), given[owner.id] != nil { return .nothing }
        return .key(key)
    }

    /// The first key of an action, as the legend writes it; nil if it has none.
    func name(of id: Action.ID) -> String? {
        if let keys = given[id] { return keys.first?.name }
        return Action.named(id)?.key
    }

    /// How the legend writes a key of the table, or one that belongs to no action.
    func name(ofStandard name: String) -> String? {
        guard let action = Action.of(key: name) else { return name }
        return self.name(of: action.id)
    }
}

extension Action {
    var standardKey: Key? { key.flatMap { Key(name: $0) } }

    /// Whether a key of the console can do it.
    var canHaveKey: Bool { key != nil || ActionMenu.entries.contains { $0.id == id } }
}

extension ConsoleState {
    /// The key of an action, for sentences; if it has none, its command.
    func key(_ id: Action.ID) -> String {
        settings.keys.name(of: id) ?? ": \(Action.named(id)?.command?.name ?? id.rawValue)"
    }
}

extension Keymap {
    /// The fixed keys. A person who remaps the rest must be able to leave.
    static let fixed: [Key] =
        [
            .escape, .enter, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown,
            .backspace, .backTab, .control("c"), .control("z"), .control("l"),
        ] + (0...9).map { Key.character(Character("\($0)")) }

    /// The actions that lose their key if a file assigns it to another action.
    private static let yielding: Set<Action.ID> = [.preview, .order, .columns, .cancel]

    /// Parses a key file with `KEY = ACTION` and `KEY = !COMMAND` lines. A named action has only
    /// the assigned keys, and `none` removes all. Other actions keep theirs.
    package init(_ text: String) throws(SettingsText.Problem) {
        var given: [Action.ID: [Key]] = [:]
        var own: [OwnKey] = []
        var lines: [Key: SettingsText.Line] = [:]
        for line in try SettingsText(text).lines {
            let command = try OwnCommand(line)
            let action = command == nil ? try Self.action(line) : nil
            if let action { given[action.id] = given[action.id] ?? [] }
            guard line.name != "none" || command != nil else { continue }
            let key = try Self.key(line)
            if let former = lines[key] {
                throw line.problem(
                    "\(key.name) was given to \(former.value) in line \(former.number)",
                    fix: "choose another key")
            }
            lines[key] = line
            if let command { own.append(OwnKey(key: key, command: command)) }
            if let action { given[action.id]?.append(key) }
        }
        for (key, line) in lines.sorted(by: { $0.value.number < $1.value.number }) {
            guard let owner = Action.of(key: key.name), given[owner.id] == nil else { continue }
            if Self.yielding.contains(owner.id) {
                given[owner.id] = []
                continue
            }
            throw line.problem(
                "\(key.name) is the key of \(owner.id.rawValue)",
                fix: "give \(owner.id.rawValue) another key, or write none = \(owner.id.rawValue)")
        }
        self.init(given: given, own: own)
    }

    private static func action(_ line: SettingsText.Line) throws(SettingsText.Problem) -> Action {
        let able = Action.all.filter(\.canHaveKey)
        if let action = able.first(where: { $0.id.rawValue == line.value }) { return action }
        if Action.all.contains(where: { $0.id.rawValue == line.value }) {
            throw line.problem(
                "\(line.value) is a command and can have no key", fix: "take the line out")
        }
        let near = Spelling.nearest(to: line.value, among: able.map(\.id.rawValue))
        throw line.problem(
            "there is no action \"\(line.value)\"",
            fix: near.map { "did you mean \($0)?" } ?? "sluice help keys lists them")
    }

    private static func key(_ line: SettingsText.Line) throws(SettingsText.Problem) -> Key {
        guard let key = Key(name: line.name) else {
            throw line.problem(
                "there is no key \"\(line.name)\"",
                fix: "write a sign such as x, or Tab, Space, F5, ^X, M-x; none for no key")
        }
        if let sent = key.asSent, sent != key {
            throw line.problem(
                "terminals send \(sent.name) for \(key.name)", fix: "choose another key")
        }
        guard !fixed.contains(key) else {
            throw line.problem(
                "\(key.name) always means the same and is not given away",
                fix: "choose another key")
        }
        return key
    }
}

extension Key {
    /// The key that a terminal sends for Ctrl and a character; `nil` for other keys.
    fileprivate var asSent: Key? {
        guard case .control(let character) = self, let byte = character.asciiValue else {
            return nil
        }
        var decoder = InputDecoder()
        guard case .key(let key)? = (decoder.feed([byte & 0x1f]) + decoder.flush()).first else {
            return nil
        }
        return key
    }
}

extension Keymap {
    /// A file of keys that changes nothing: every action that can have a key, with the key it has.
    package static var sample: [String] {
        let actions = Action.all.filter(\.canHaveKey)
        let width = actions.map(\.id.rawValue.count).max() ?? 0
        return actions.map { action in
            let key = action.key ?? "none"
            let name = action.id.rawValue
            let isFixed = action.standardKey.map { fixed.contains($0) } ?? false
            let line = (isFixed ? "# " : "") + "\(key) = \(name)"
            let gap = String(repeating: " ", count: max(1, width + 10 - line.count))
            return "\(line)\(gap)# \(action.help)"
        }
    }
}
