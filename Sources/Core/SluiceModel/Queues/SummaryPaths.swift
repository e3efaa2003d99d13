/// The places of a payload that say what a task of a queue is about (Q12).
public struct SummaryPaths: Hashable, Sendable {
    /// How many places a queue may name.
    package static let limit = 8

    /// The places, in the order in which they are shown.
    package let paths: [PayloadPath]

    /// None: the first short values of a payload say it.
    public init() { paths = [] }

    /// The paths of a text such as `to,items[0].name`, spelled as filters spell them behind
    /// `payload.`, or `none`; nil where it is no such text, names a place twice or too many.
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

    /// What stands there in a payload that is whole, those that are there; a text as it reads,
    /// anything else as it is written.
    package func values(in payload: [UInt8]) -> [String] {
        paths.compactMap { $0.text(in: payload) }
    }
}
