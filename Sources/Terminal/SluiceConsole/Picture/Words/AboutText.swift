import SluiceModel
import SluiceTerminalUI

/// The about text of a task, fitted to a column.
///
/// Folders that differ identify a path. A narrow column drops the common folder first, then the
/// middle of the rest.
enum AboutText {
    private static let glue = " · "
    /// A shorter piece of a path is useless.
    private static let (shortest, shortestEnd) = (5, 8)

    /// The folder that all paths of some tasks share, with its last slash; empty for one path.
    static func folder(of about: some Collection<String>) -> String {
        var shared: Substring?
        var count = 0
        for text in about where text.contains("/") {
            guard let path = values(of: text).first(where: isPath) else { continue }
            count += 1
            guard let former = shared else {
                shared = path
                continue
            }
            shared = former.prefix(zip(former, path).prefix { $0 == $1 }.count)
        }
        guard count > 1, let shared, let slash = shared.lastIndex(of: "/") else { return "" }
        return String(shared[...slash])
    }

    /// Fits the values to the given width by shortening paths.
    static func fitting(
        _ text: String, width: Int, _ folder: String, glyphs: GlyphSet
    ) -> String {
        var excess = DisplayText.width(text, glyphs: glyphs) - width
        guard excess > 0, text.contains("/") else { return text }
        let fitting = values(of: text).map { value -> String in
            guard excess > 0, isPath(value) else { return String(value) }
            let whole = DisplayText.width(String(value), glyphs: glyphs)
            let cut = short(value, folder, width: max(shortest, whole - excess), glyphs)
            excess -= whole - DisplayText.width(cut, glyphs: glyphs)
            return cut
        }
        return fitting.joined(separator: glue)
    }

    private static func values(of text: String) -> [Substring] {
        text.split(separator: glue, omittingEmptySubsequences: false)
    }

    private static func isPath(_ value: Substring) -> Bool {
        value.contains("/") && !value.contains(" ")
    }

    private static func short(
        _ path: Substring, _ folder: String, width: Int, _ glyphs: GlyphSet
    ) -> String {
        let ellipsis = glyphs[.ellipsis]
        guard folder.count > 2, path.hasPrefix(folder) else {
            return end(of: path, width, glyphs)
        }
        // The leading slash shows that a folder is missing.
        let rest = path.dropFirst(folder.count - 1)
        guard DisplayText.width(String(rest), glyphs: glyphs) >= width else {
            return ellipsis + rest
        }
        guard let slash = rest.dropFirst().firstIndex(of: "/") else {
            return end(of: rest, width, glyphs)
        }
        // Paths differ before this slash.
        let head = ellipsis + rest[..<slash]
        let room = width - DisplayText.width(head, glyphs: glyphs)
        guard room >= 0 else { return end(of: rest[..<slash], width, glyphs) }
        return room > shortestEnd
            ? head + end(of: rest[slash...], room, glyphs) : head + "/" + ellipsis
    }

    private static func end(of text: Substring, _ width: Int, _ glyphs: GlyphSet) -> String {
        guard DisplayText.width(String(text), glyphs: glyphs) > width else { return String(text) }
        var rest = text
        while DisplayText.width(String(rest), glyphs: glyphs) > width - 1 {
            rest.removeFirst()
        }
        return glyphs[.ellipsis] + rest
    }
}
