import SluiceTerminalUI

/// A type in the room of a column: without the beginning that all types of the list share, then cut
/// at the left, since types differ at their ends.
enum TypeText {
    private static let separators: Set<Character> = [".", ":", "/", "\\", "#"]

    /// The common beginning of all types, up to its last separator.
    static func prefix(of types: Set<String>) -> String {
        guard var shared = types.first.map({ $0[...] }) else { return "" }
        for type in types {
            shared = shared.prefix(zip(shared, type).prefix { $0 == $1 }.count)
        }
        guard let end = shared.lastIndex(where: separators.contains) else { return "" }
        return String(shared[...end])
    }

    /// A task type, shortened to `width` columns.
    static func fitting(
        _ type: String, width: Int, _ prefix: String, glyphs: GlyphSet
    ) -> String {
        guard DisplayText.width(type, glyphs: glyphs) > width, width > 1 else { return type }
        let rest = type.hasPrefix(prefix) ? type.dropFirst(prefix.count) : type[...]
        let ellipsis = glyphs[.ellipsis]
        var end = rest
        while DisplayText.width(String(end), glyphs: glyphs) > width - 1, !end.isEmpty {
            end.removeFirst()
        }
        return ellipsis + end
    }
}
