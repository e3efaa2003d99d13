/// A relative path in a payload: not absolute and without `..`.
struct RelativePath: Hashable, Sendable {
    /// The parts between slashes.
    let components: [String]

    /// Nil where the text is no such path.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
            .filter { $0 != "." }
        let hasControl = text.unicodeScalars.contains {
            $0.properties.generalCategory == .control
        }
        guard !text.hasPrefix("/"), !text.hasSuffix("/"), !parts.isEmpty, !parts.contains(".."),
            !hasControl
        else { return nil }
        components = parts
    }

    var text: String { components.joined(separator: "/") }
    var name: String { components.last ?? "" }
    var folders: ArraySlice<String> { components.dropLast() }
}
