/// The table that gives each role its style on a dark or a light ground (K5).
package enum Theme: String, CaseIterable, Hashable, Sendable {
    case dark
    case light

    /// The style of a role before a background, with the colours that the terminal has.
    ///
    /// Every role but `faint` keeps a contrast of at least 4.5 before every background of the
    /// palette of 256. With fewer colours the selection is reversed as a whole, so that the row
    /// stays one band; state is then told by glyph and word.
    package func style(
        _ role: Role, background: Background = .none, emphasis: Bool = false, depth: ColorDepth
    ) -> CellStyle {
        var style: CellStyle
        switch depth {
        case .mono: style = monochrome(role, background)
        case .eight, .sixteen: style = basic(role, background, hasBright: depth == .sixteen)
        case .indexed: style = indexed(role, background)
        }
        if emphasis || role == .title { style.bold = true }
        return style
    }

    private func monochrome(_ role: Role, _ background: Background) -> CellStyle {
        let isSelected = background == .selection
        switch role {
        case .next: return CellStyle(bold: true, reverse: isSelected)
        case .failed: return CellStyle(bold: isSelected, reverse: true)
        case .failedBar: return CellStyle(bold: true, reverse: isSelected)
        case .key: return CellStyle(underline: true, reverse: isSelected)
        default: return CellStyle(reverse: isSelected)
        }
    }

    private func basic(_ role: Role, _ background: Background, hasBright: Bool) -> CellStyle {
        if background == .selection { return CellStyle(bold: role == .failed, reverse: true) }
        switch role {
        case .text, .title, .quiet: return CellStyle()
        case .faint: return CellStyle(foreground: hasBright ? 8 : nil)
        case .next: return CellStyle(foreground: 4)
        case .running: return CellStyle(foreground: 2)
        case .time: return CellStyle(foreground: 3)
        case .held: return CellStyle(foreground: 5)
        case .failed, .failedBar: return CellStyle(foreground: 1)
        case .key: return CellStyle(foreground: 6)
        }
    }

    private func indexed(_ role: Role, _ background: Background) -> CellStyle {
        CellStyle(
            foreground: self == .dark ? dark(role, background) : light(role, background),
            background: ground(background))
    }

    private func ground(_ background: Background) -> UInt8? {
        switch (background, self) {
        case (.none, _): nil
        case (.selection, .dark): 237
        case (.selection, .light): 189
        case (.bar, .dark): 235
        case (.bar, .light): 255
        }
    }

    private func dark(_ role: Role, _ background: Background) -> UInt8? {
        let isSelected = background == .selection
        return switch role {
        case .text, .title: nil
        case .quiet: background == .none ? 245 : 248
        case .faint: background == .none ? 239 : 241
        case .next: 111
        case .running: 108
        case .time: 179
        case .held: isSelected ? 183 : 141
        case .failed, .failedBar: isSelected ? 211 : 204
        case .key: 117
        }
    }

    private func light(_ role: Role, _ background: Background) -> UInt8? {
        let isSelected = background == .selection
        switch role {
        case .text, .title: return nil
        case .quiet: return background == .none ? 242 : 239
        case .faint: return background == .none ? 250 : 247
        case .next: return isSelected ? 19 : 25
        case .running: return background == .none ? 28 : 22
        case .time: return isSelected ? 58 : 94
        case .held: return 91
        case .failed, .failedBar: return isSelected ? 88 : (background == .bar ? 125 : 161)
        case .key: return 24
        }
    }
}

extension Theme {
    /// The theme for a ground of this colour, its parts from 0 to 1.
    package init(red: Double, green: Double, blue: Double) {
        let brightness = 0.299 * red + 0.587 * green + 0.114 * blue
        self = brightness > 0.5 ? .light : .dark
    }

    /// Parses a terminal's answer to a background query (OSC 11).
    ///
    /// Ignores bytes around the answer. `nil` without an answer.
    package init?(backgroundReport bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let mark = text.range(ofText: "]11;") else { return nil }
        var rest = text[mark...]
        guard let colon = rest.firstIndex(of: ":"), rest[..<colon].hasPrefix("rgb") else {
            return nil
        }
        rest = rest[rest.index(after: colon)...].prefix { $0.isHexDigit || $0 == "/" }
        let parts = rest.split(separator: "/").prefix(3).compactMap(Self.fraction)
        guard parts.count == 3 else { return nil }
        self.init(red: parts[0], green: parts[1], blue: parts[2])
    }

    /// Reads the variable COLORFGBG, as in `15;0`; nil when it says nothing of the ground.
    package init?(colorForegroundBackground text: String) {
        guard let last = text.split(separator: ";").last, let index = Int(last) else { return nil }
        switch index {
        case 0...6, 8: self = .dark
        case 7, 9...15: self = .light
        default: return nil
        }
    }

    private static func fraction(_ digits: Substring) -> Double? {
        guard (1...4).contains(digits.count), let value = Int(digits, radix: 16) else { return nil }
        return Double(value) / Double((1 << (4 * digits.count)) - 1)
    }
}

extension String {
    /// The place after the first occurrence of a text.
    fileprivate func range(ofText text: String) -> Index? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
