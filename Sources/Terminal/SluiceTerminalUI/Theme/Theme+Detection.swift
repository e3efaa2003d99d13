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
