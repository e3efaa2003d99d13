import SluicePlatform
package import SluiceTerminalUI

/// What the person wants of the screen; what is left open the terminal is asked for.
package struct TerminalOptions: Equatable, Sendable {
    /// The theme, or nil to find out what the ground is.
    package var theme: Theme?
    /// A person's own looks over the theme.
    package var changes = ThemeChanges()
    /// At most these colours; `.mono` is `--theme mono`.
    package var maximumDepth: ColorDepth
    /// Whether the mouse is reported.
    package var mouse: Bool
    /// Whether signs beyond ASCII are shown.
    package var showsUnicode = true
    /// The value of TERM.
    package var terminal: String?
    /// The value of NO_COLOR: anything but empty means no colours.
    package var noColor: String?
    /// The value of COLORFGBG.
    package var colorForegroundBackground: String?

    /// Whether GNU screen is between the program and the person's terminal (STY is set).
    package var isInScreen = false

    /// Makes options; the variables are read from the environment of the process.
    package init(
        theme: Theme? = nil, maximumDepth: ColorDepth = .indexed, mouse: Bool = true
    ) {
        self.theme = theme
        self.maximumDepth = maximumDepth
        self.mouse = mouse
        terminal = ProcessIdentity.environment("TERM")
        isInScreen = !(ProcessIdentity.environment("STY") ?? "").isEmpty
        noColor = ProcessIdentity.environment("NO_COLOR")
        colorForegroundBackground = ProcessIdentity.environment("COLORFGBG")
    }

    /// The colours to use of those that the terminal has.
    func depth(colors: Int) -> ColorDepth {
        if let noColor, !noColor.isEmpty { return .mono }
        return min(maximumDepth, ColorDepth(colors: colors))
    }

    /// Whether the terminal should be asked for its ground.
    var asksBackground: Bool {
        guard theme == nil, changes.base == nil, maximumDepth > .mono, (noColor ?? "").isEmpty
        else { return false }
        return answers
    }

    /// Whether the terminal should be asked how it draws pictures of several scalars.
    var asksJoins: Bool { showsUnicode && answers }

    /// Whether the terminal answers what it is asked: others may print the question.
    private var answers: Bool {
        let name = terminal ?? ""
        return name == "st" || Self.answering.contains { name.hasPrefix($0) }
    }

    /// How the names of terminals begin that answer what they are asked.
    private static let answering = [
        "xterm", "tmux", "screen", "rxvt", "alacritty", "foot", "kitty", "konsole", "vte",
        "gnome", "st-", "wezterm", "contour", "ghostty", "mintty", "iterm",
    ]
}
