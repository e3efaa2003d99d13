import SluiceConsole
import SluiceModel
import SluiceTerminalUI

/// The user's settings: keys, columns, filters and colours.
struct PersonalSettings: Hashable, Sendable {
    var keys = Keymap.standard
    /// The columns of the list, and the file that keeps them.
    var columns = InventoryColumns.standard
    private var columnFile: PersonalFile?
    /// Whether the panes of the console are shown, and the file that keeps this.
    var showsPanes = true
    private var paneFile: PersonalFile?
    /// Whether a condition of a queue that begins rings the bell.
    var notifies = false
    /// The saved filters by their names.
    var filters: [String: String] = [:]
    /// The theme, if one was chosen.
    var theme: Theme?
    /// Their own looks over a theme.
    var changes = ThemeChanges()
    /// Whether there are to be no colours at all.
    var isMono = false

    /// Reads the files of the person: keys from `$SLUICE_KEYS` or `keys` in the configuration
    /// folder, columns by `$SLUICE_COLUMNS` or `columns` there, panes alike, colours by `--theme`,
    /// `$SLUICE_THEME` or `theme` there. Throws `badValue` with the file and line of what is wrong.
    init(_ start: ConsoleStart, _ environment: (String) -> String?) throws(QueueError) {
        let file = PersonalFile.at("SLUICE_KEYS", "keys", environment)
        keys =
            try file?.settings { text throws(SettingsText.Problem) in try Keymap(text) }
            ?? .standard
        columnFile = PersonalFile.at("SLUICE_COLUMNS", "columns", environment)
        columnFile?.isNamed = false
        columns =
            try columnFile?.settings { text throws(SettingsText.Problem) in
                try InventoryColumns(text)
            } ?? .standard
        paneFile = PersonalFile.at("SLUICE_PANES", "panes", environment)
        paneFile?.isNamed = false
        showsPanes =
            try paneFile?.settings { text throws(SettingsText.Problem) in
                try Self.showsPanes(text)
            } ?? true
        notifies = try Self.notifies(environment)
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

    /// `on` or `off` in the file of `$SLUICE_NOTIFY`, or `notify` in the configuration folder.
    private static func notifies(_ environment: (String) -> String?) throws(QueueError) -> Bool {
        var file = PersonalFile.at("SLUICE_NOTIFY", "notify", environment)
        file?.isNamed = false
        return try file?.settings { text throws(SettingsText.Problem) -> Bool in
            switch text.split(whereSeparator: \.isWhitespace).first {
            case "on": return true
            case "off", nil: return false
            case let word?:
                throw SettingsText.Problem(
                    line: 1, message: "notices are on or off, not \(word)",
                    fix: "write one of these words")
            }
        } ?? false
    }

    /// Keeps columns for the next start; gives the path of their file. Throws `denied`, or
    /// `badValue` if there is no place for them.
    func keep(_ columns: InventoryColumns) throws(QueueError) -> String {
        guard let columnFile else {
            throw QueueError(
                .badValue, "there is no place for columns",
                fix: "set HOME, or SLUICE_COLUMNS to a file")
        }
        try columnFile.write(columns.text)
        return columnFile.path
    }

    /// Keeps whether panes are shown for the next start. Throws `denied`, or `badValue` where there
    /// is no place for it.
    func keepPanes(_ areShown: Bool) throws(QueueError) {
        guard let paneFile else {
            throw QueueError(
                .badValue, "there is no place for the choice of panes",
                fix: "set HOME, or SLUICE_PANES to a file")
        }
        try paneFile.write(areShown ? "shown\n" : "hidden\n")
    }

    private static func showsPanes(_ text: String) throws(SettingsText.Problem) -> Bool {
        switch text.split(whereSeparator: \.isNewline).first.map(String.init) {
        case "shown", nil: return true
        case "hidden": return false
        case let word?:
            throw SettingsText.Problem(
                line: 1, message: "panes are shown or hidden, not \(word)",
                fix: "write one of these words")
        }
    }

    private mutating func change(_ file: PersonalFile?) throws(QueueError) {
        changes =
            try file?.settings { text throws(SettingsText.Problem) in try ThemeChanges(text) }
            ?? ThemeChanges()
    }
}
