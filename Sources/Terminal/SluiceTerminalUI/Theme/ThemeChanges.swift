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
