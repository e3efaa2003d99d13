@_spi(_Unicode) import Swift

extension Names {
    /// The one spelling under which a name is kept (T6): an accented letter may be typed as one
    /// code point or as two, and both are the same name. Swift finds them equal and a database that
    /// compares bytes does not, so every name that comes in is composed (Unicode's form C); then
    /// both agree. Costs next to nothing for ASCII.
    package static func composed(_ name: String) -> String {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        var composed = String.UnicodeScalarView()
        composed.append(contentsOf: name._nfc)
        return String(composed)
    }
}
