import SluiceConsole
import SluiceModel
import SluiceTerminalUI

/// What the person at the terminal settled for themselves: keys and colours.
struct PersonalSettings: Hashable, Sendable {
    /// Which key does what.
    var keys = Keymap.standard
    /// The saved filters by their names.
    var filters: [String: String] = [:]
    /// The theme, where it was named.
    var theme: Theme?
    /// Their own looks over a theme.
    var changes = ThemeChanges()
    /// Whether there are to be no colours at all.
    var isMono = false

    /// No settings.
    init() {}

    /// Reads the files of the person: keys from `$SLUICE_KEYS` or `keys` in the configuration
    /// folder, colours by `--theme`, `$SLUICE_THEME` or `theme` in that folder. Throws `badValue`
    /// with the file and line of what is wrong.
    init(_ start: ConsoleStart, _ environment: (String) -> String?) throws(QueueError) {
        let file = PersonalFile.at("SLUICE_KEYS", "keys", environment)
        keys =
            try file?.settings { text throws(SettingsText.Problem) in try Keymap(text) }
            ?? .standard
        filters = try SavedFilters(environment).texts
        var wanted = start.theme
        if wanted == nil, let named = environment("SLUICE_THEME"), !named.isEmpty {
            wanted = try ConsoleStart.Theme(named, of: "$SLUICE_THEME")
        }
        switch wanted {
        case .dark: theme = .dark
        case .light: theme = .light
        case .mono: isMono = true
        case .file(let path): try change(PersonalFile(path: path, isNamed: true))
        case nil: try change(PersonalFile.at("SLUICE_THEME", "theme", environment))
        }
    }

    private mutating func change(_ file: PersonalFile?) throws(QueueError) {
        changes =
            try file?.settings { text throws(SettingsText.Problem) in try ThemeChanges(text) }
            ?? ThemeChanges()
    }
}
