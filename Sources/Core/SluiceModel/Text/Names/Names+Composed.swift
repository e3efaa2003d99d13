@_spi(_Unicode) import Swift

extension Names {
    /// The canonical spelling of a name (T6). An accented letter may be one code point or two,
    /// which Swift considers equal and a database that compares bytes does not. So every incoming
    /// name is composed (Unicode's form C). Almost free for ASCII.
    package static func composed(_ name: String) -> String {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        var composed = String.UnicodeScalarView()
        composed.append(contentsOf: name._nfc)
        return String(composed)
    }
}
