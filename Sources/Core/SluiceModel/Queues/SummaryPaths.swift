/// The places of a payload that say what a task of a queue is about (Q12).
public struct SummaryPaths: Hashable, Sendable {
    /// How many places a queue may name.
    package static let limit = 8

    /// The paths, in display order.
    package let paths: [PayloadPath]

    /// None: the first short values of a payload say it.
    public init() { paths = [] }

    /// Parses paths such as `to,items[0].name`, in filter syntax without `payload.`, or `none`.
    /// `nil` if the text is invalid, repeats a path or has too many.
    public init?(text: String) {
        guard let paths = text == "none" ? [] : PayloadPath.list(text),
            paths.count <= Self.limit, Set(paths).count == paths.count
        else { return nil }
        self.paths = paths
    }

    /// The paths as `init(text:)` reads them.
    package var text: String {
        paths.isEmpty ? "none" : paths.map(\.name).joined(separator: ",")
    }

    /// The values that exist in a complete payload: a string's content, or the source of another
    /// value.
    package func values(in payload: [UInt8]) -> [String] {
        paths.compactMap { $0.text(in: payload) }
    }
}
