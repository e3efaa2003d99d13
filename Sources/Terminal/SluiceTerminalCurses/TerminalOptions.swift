import SluiceSystem
package import SluiceTerminalUI

/// The person's wishes for the screen. The console queries the terminal for unset ones.
package struct TerminalOptions: Equatable, Sendable {
    /// The theme, or nil to find out what the ground is.
    package var theme: Theme?
    /// A person's own looks over the theme.
    package var changes = ThemeChanges()
    /// At most these colours; `.mono` is `--theme mono`.
    package var maximumDepth: ColorDepth
    package var mouse: Bool
    /// Whether to use characters beyond ASCII.
    package var showsUnicode = true
    /// The value of TERM.
    package var terminal: String?
    /// The value of NO_COLOR: anything but empty means no colours.
    package var noColor: String?
    /// The value of COLORFGBG.
    package var colorForegroundBackground: String?

    /// Whether GNU screen is between the program and the person's terminal (STY is set).
    package var isInScreen = false

    /// Creates options and reads the variables from the process environment.
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

    /// The colour depth to use, given the terminal's number of colours.
    func depth(colors: Int) -> ColorDepth {
        if let noColor, !noColor.isEmpty { return .mono }
        return min(maximumDepth, ColorDepth(colors: colors))
    }

    /// Whether to query the background of the terminal.
    var asksBackground: Bool {
        guard theme == nil, changes.base == nil, maximumDepth > .mono, (noColor ?? "").isEmpty
        else { return false }
        return answers
    }

    /// Whether to query how the terminal draws joined emoji.
    var asksJoins: Bool { showsUnicode && answers }

    /// Whether the terminal answers queries. Others may print them.
    private var answers: Bool {
        let name = terminal ?? ""
        return name == "st" || Self.answering.contains { name.hasPrefix($0) }
    }

    /// Name prefixes of terminals that answer queries.
    private static let answering = [
        "xterm", "tmux", "screen", "rxvt", "alacritty", "foot", "kitty", "konsole", "vte",
        "gnome", "st-", "wezterm", "contour", "ghostty", "mintty", "iterm",
    ]
}
