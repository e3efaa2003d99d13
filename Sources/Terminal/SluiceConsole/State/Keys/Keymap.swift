import SluiceControl
import SluiceTerminalUI

/// Which key does what: the keys of the table, or those of a person's file.
///
/// Whatever a person chose, the rest of the console knows the keys of the table alone: what is
/// pressed is translated at the door, and what is shown is translated on the way out.
package struct Keymap: Hashable, Sendable {
    /// What a pressed key means.
    enum Meaning: Hashable, Sendable {
        /// The key of the table that it stands for.
        case key(Key)
        /// An action that has no key in the table.
        case action(Action.ID)
        case nothing
    }

    /// The keys of the table.
    package static let standard = Keymap()

    /// The keys that a file gives, by action; an empty list takes its key from an action.
    var given: [Action.ID: [Key]] = [:]
    private var actions: [Key: Action.ID] = [:]

    private init() {}

    /// The keys of the table, but for those actions that are named.
    init(given: [Action.ID: [Key]]) {
        self.given = given
        for (id, keys) in given { for key in keys { actions[key] = id } }
    }

    /// What a key means that was pressed.
    func meaning(of key: Key) -> Meaning {
        if Self.fixed.contains(key) { return .key(key) }
        if let id = actions[key] {
            return Action.named(id)?.standardKey.map(Meaning.key) ?? .action(id)
        }
        // Its key was given away or taken.
        if let owner = Action.of(key: key.name), given[owner.id] != nil { return .nothing }
        return .key(key)
    }

    /// The first key of an action, as the legend writes it; nil where it has none.
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
    /// The key of an action, for sentences; where it has none, its command.
    func key(_ id: Action.ID) -> String {
        settings.keys.name(of: id) ?? ": \(Action.named(id)?.command?.name ?? id.rawValue)"
    }
}
