public import QueueStore

/// Who looks through rows: one reader one part after the other, or two at the same time.
public struct SearchHands: Sendable {
    private let aside: @Sendable (RowSearch) -> @Sendable () throws -> RowFinding

    /// Hands of which the second begins at once on a part, and is waited for with what it returns.
    public init(aside: @escaping @Sendable (RowSearch) -> @Sendable () throws -> RowFinding) {
        self.aside = aside
        hasAside = true
    }

    private let hasAside: Bool

    private init() {
        aside = { _ in { RowFinding() } }
        hasAside = false
    }

    /// One reader.
    public static let one = SearchHands()

    /// Looks through the parts, the first of them by a reader that is there.
    func look(_ parts: [RowSearch], in store: any StoreReader) throws -> [RowFinding] {
        guard hasAside, parts.count > 1 else { return try parts.map { try store.look($0) } }
        let others = parts.dropFirst().map(aside)
        let first = Result { try store.look(parts[0]) }
        let found = others.map { wait in Result { try wait() } }
        return [try first.get()] + (try found.map { try $0.get() })
    }
}
