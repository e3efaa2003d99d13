import SluiceControl
import SluiceTerminalUI

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

    /// The meaning of a pressed key.
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
    /// Its key in the table.
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
