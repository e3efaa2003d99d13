/// A person's changes to a theme (K5).
///
/// The theme replaces unavailable colours. Without colours only the attributes apply.
package struct ThemeChanges: Hashable, Sendable {
    /// A colour: one of the palette, or the default of the terminal.
    package enum Color: Hashable, Sendable {
        case standard
        case palette(UInt8)
    }
    /// The changes in a line; `nil` keeps the theme's value.
    struct Change: Hashable, Sendable {
        var foreground: Color?
        var background: Color?
        var bold = false
        var underline = false
        var reverse = false
        /// No attribute of the theme's either.
        var isPlain = false
    }
    /// A role before a ground; nil for every ground.
    struct Place: Hashable, Sendable {
        var role: Role
        var background: Background?
    }

    /// The theme that the rest is from; nil finds out which one fits the terminal.
    package var base: Theme?
    var changes: [Place: Change] = [:]
    var grounds: [Background: Color] = [:]

    /// No changes.
    package init() {}

    /// The style of a role before a background, as `Theme.style` gives it, with the changes.
    package func style(
        _ role: Role, background: Background = .none, emphasis: Bool = false, of theme: Theme,
        depth: ColorDepth
    ) -> CellStyle {
        var style = theme.style(role, background: background, emphasis: emphasis, depth: depth)
        if let ground = grounds[background] { ground.apply(to: &style.background, depth) }
        var found = changes(of: role, before: background)
        // A bar uses the colour of failures unless it has a separate one.
        if role == .failedBar {
            found = changes(of: .failed, before: background).map(\.ofBar) + found
        }
        for change in found { change.apply(to: &style, depth) }
        return style
    }

    private func changes(of role: Role, before background: Background) -> [Change] {
        [Place(role: role), Place(role: role, background: background)].compactMap { changes[$0] }
    }
}

extension ThemeChanges.Change {
    /// The same for the signs of a bar, which are all colour: that which one sees.
    fileprivate var ofBar: Self {
        var bar = Self()
        bar.foreground = reverse ? foreground : background ?? foreground
        return bar
    }

    fileprivate func apply(to style: inout CellStyle, _ depth: ColorDepth) {
        if isPlain { (style.bold, style.underline, style.reverse) = (false, false, false) }
        style.bold = style.bold || bold
        style.underline = style.underline || underline
        style.reverse = style.reverse || reverse
        foreground?.apply(to: &style.foreground, depth)
        background?.apply(to: &style.background, depth)
    }
}

extension ThemeChanges.Color {
    /// Sets a colour where the terminal has it.
    fileprivate func apply(to color: inout UInt8?, _ depth: ColorDepth) {
        switch self {
        case .standard where depth > .mono: color = nil
        case .palette(let index) where Int(index) < depth.rawValue: color = index
        case .standard, .palette: break
        }
    }
}

extension ThemeChanges {
    /// Reads the text of a theme: `role = COLOUR [on COLOUR] [bold] [underline] [reverse] [plain]`,
    /// the same for a role on the selected row (`role.selection`) or on a bar (`role.bar`), the
    /// background colours `selection` and `bar`, and `base = dark` or `light`.
    package init(_ text: String) throws(SettingsText.Problem) {
        self.init()
        var seen: Set<String> = []
        for line in try SettingsText(text).lines {
            guard seen.insert(line.name).inserted else {
                throw line.problem(
                    "\(line.name) is set a second time", fix: "keep one of the lines")
            }
            try take(line)
        }
    }

    private mutating func take(_ line: SettingsText.Line) throws(SettingsText.Problem) {
        switch line.name {
        case "base":
            guard let theme = Theme(rawValue: line.value) else {
                throw line.problem("base is \"\(line.value)\"", fix: "allowed: dark, light")
            }
            base = theme
        case "selection": grounds[.selection] = try Self.color(line.value, line)
        case "bar": grounds[.bar] = try Self.color(line.value, line)
        default: changes[try Self.place(line)] = try Self.change(line)
        }
    }

    private static func place(_ line: SettingsText.Line) throws(SettingsText.Problem) -> Place {
        let parts = line.name.split(separator: ".", omittingEmptySubsequences: false)
        let grounds: [Substring: Background] = ["selection": .selection, "bar": .bar]
        guard let role = Role.allCases.first(where: { "\($0)" == parts[0] }) else {
            let names = Role.allCases.map { "\($0)" }.joined(separator: ", ")
            throw line.problem(
                "there is no role \"\(parts[0])\"", fix: "roles: \(names), selection, bar, base")
        }
        guard parts.count > 1 else { return Place(role: role) }
        guard parts.count == 2, let ground = grounds[parts[1]] else {
            throw line.problem(
                "\"\(line.name)\" is no place", fix: "write \(role).selection or \(role).bar")
        }
        return Place(role: role, background: ground)
    }

    private static func change(_ line: SettingsText.Line) throws(SettingsText.Problem) -> Change {
        var change = Change()
        var words = line.value.split(separator: " ").map(String.init)[...]
        while let word = words.popFirst() {
            switch word {
            case "bold": change.bold = true
            case "underline": change.underline = true
            case "reverse": change.reverse = true
            case "plain": change.isPlain = true
            case "on":
                guard let ground = words.popFirst() else {
                    throw line.problem("no colour follows on", fix: "write on 236")
                }
                change.background = try color(ground, line)
            default:
                guard change.foreground == nil else {
                    throw line.problem(
                        "\"\(word)\" is a second colour", fix: "write on before a ground")
                }
                change.foreground = try color(word, line)
            }
        }
        return change
    }

    /// A colour by its number or name.
    private static func color(
        _ word: String, _ line: SettingsText.Line
    ) throws(SettingsText.Problem) -> Color {
        if word == "default" { return .standard }
        if let number = UInt8(word) { return .palette(number) }
        let isBright = word.hasPrefix("bright-")
        let name = isBright ? String(word.dropFirst(7)) : word
        if let index = names.firstIndex(of: name) {
            return .palette(UInt8(index + (isBright ? 8 : 0)))
        }
        throw line.problem(
            "\"\(word)\" is no colour and no attribute",
            fix: "colours: 0 to 255, default, \(names.joined(separator: ", ")), "
                + "bright-red and so on; attributes: bold, underline, reverse, plain")
    }

    private static let names = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    ]
}

extension ThemeChanges {
    /// The lines of the dark theme with 256 colours, each as a comment.
    package static var sample: [String] {
        let grounds = [Background.selection, .bar].map { ground in
            let style = Theme.dark.style(.text, background: ground, depth: .indexed)
            return "# \(ground) = \(number(style.background))"
        }
        let roles = Role.allCases.map { role in
            let style = Theme.dark.style(role, depth: .indexed)
            return "# \(role) = \(number(style.foreground))" + (style.bold ? " bold" : "")
        }
        return ["# base = dark"] + grounds + roles
    }

    private static func number(_ color: UInt8?) -> String { color.map { "\($0)" } ?? "default" }
}
