import SluiceModel
import SluiceStore

/// Limits the bytes of the journal's images and of the shell lines that repeat a verb. The oldest
/// are removed first; their entries stay (D9). The store's numbers include both the size and the
/// limit. Data no larger than a normal entry is not counted.
struct JournalImages {
    /// So little takes no more than its line.
    static let countedBytes = 256
    /// The value in place of removed images.
    static let gone = ""
    /// The value in place of removed shell lines.
    static let goneScript = "# its tasks are not kept any more: sluice init --journal keeps more"
    /// How many bytes a line of the journal has of both.
    static let bytes =
        "coalesce(length(CAST(undo AS BLOB)), 0) + coalesce(length(CAST(script AS BLOB)), 0)"
    static let otherBytes = "coalesce(octet_length(undo), 0) + coalesce(octet_length(script), 0)"
    private static let goneAtOnce = 16

    private enum SQL {
        static let number = Query("SELECT value FROM sluice_number WHERE name = ?")
        static let put = Query(
            .insert(into: "sluice_number", ["name", "value"], replacing: ["name"]))
        static let sum = Query(
            "SELECT coalesce(sum(\(bytes)), 0) FROM sluice_event WHERE \(isCounted)",
            other: "SELECT CAST(coalesce(sum(\(otherBytes)), 0) AS BIGINT) FROM sluice_event"
                + " WHERE \(otherIsCounted)")
        static let oldest = Query(
            oldest(bytes, isCounted), other: oldest(otherBytes, otherIsCounted))
        static let forget = Query(
            """
            UPDATE sluice_event SET undo = CASE WHEN undo IS NULL THEN NULL ELSE '\(gone)' END,
                script = CASE WHEN length(script) >= \(countedBytes) THEN '\(goneScript)'
                    ELSE script END
            WHERE sequence = ?
            """)

        private static let isCounted = "\(bytes) >= \(countedBytes)"
        private static let otherIsCounted = "\(otherBytes) >= \(countedBytes)"

        private static func oldest(_ bytes: String, _ isCounted: String) -> String {
            """
            SELECT sequence, \(bytes) FROM sluice_event
            WHERE sequence > ? AND sequence < ? AND \(isCounted) ORDER BY sequence LIMIT ?
            """
        }
    }

    private enum Name: String {
        case limit = "imageLimit"
        case bytes = "imageBytes"
        /// The last line whose images went.
        case gone = "imagesGone"
    }

    private let connection: any TableConnection

    init(_ connection: any TableConnection) { self.connection = connection }

    /// The limit as a value of a statement about the store.
    static let limit =
        "(SELECT value FROM sluice_number WHERE name = '\(Name.limit.rawValue)')"

    private func limit() throws(QueueError) -> Int64 {
        try number(.limit) ?? StoreRecord.usualJournalBytes
    }

    func set(limit: Int64) throws(QueueError) { try put(limit, .limit) }

    /// Counts the images of new lines from `first` on, and removes the oldest images over the
    /// limit. Images of the newest lines stay at any size.
    func added(_ bytes: Int64, from first: Int64) throws(QueueError) {
        guard bytes > 0 else { return }
        let limit = try limit()
        var total = try total(with: bytes)
        var last = try number(.gone) ?? 0
        while total > limit {
            let old = try oldest(after: last, before: first)
            guard !old.isEmpty else { break }
            for (sequence, bytes) in old where total > limit {
                try forget(sequence)
                (total, last) = (total - bytes, sequence)
            }
            try put(last, .gone)
        }
        try put(total, .bytes)
    }

    /// Lines of an undo or a redo were written. They push out nothing: an undo of many commits
    /// would lose the images that it still needs. `used` makes the room instead.
    func addedByUndo(_ bytes: Int64) throws(QueueError) {
        guard bytes > 0 else { return }
        try put(total(with: bytes), .bytes)
    }

    /// The images of a line were put back: they go where the images take more than the limit.
    func used(_ sequence: Int64) throws(QueueError) {
        guard let total = try number(.bytes), try total > limit(),
            let line = try oldest(after: sequence - 1, before: sequence + 1).first
        else { return }
        try forget(sequence)
        try put(total - line.bytes, .bytes)
    }

    /// The total bytes, including the new ones. A store of an older version is counted once.
    private func total(with bytes: Int64) throws(QueueError) -> Int64 {
        if let known = try number(.bytes) { return known + bytes }
        return try firstNumber(SQL.sum)
    }

    private func forget(_ sequence: Int64) throws(QueueError) {
        let row = try connection.prepare(SQL.forget)
        row.bind(sequence)
        try row.run()
    }

    /// Subtracts the image bytes of removed lines.
    func removed(_ bytes: Int64) throws(QueueError) {
        guard bytes > 0, let total = try number(.bytes) else { return }
        try put(max(0, total - bytes), .bytes)
    }

    private func oldest(
        after last: Int64, before first: Int64
    ) throws(QueueError) -> [(sequence: Int64, bytes: Int64)] {
        let row = try connection.prepare(SQL.oldest)
        defer { row.reset() }
        row.bind(last)
        row.bind(first)
        row.bind(Self.goneAtOnce)
        var found: [(sequence: Int64, bytes: Int64)] = []
        while try row.next() { found.append((row.integer(0), row.integer(1))) }
        return found
    }

    private func number(_ name: Name) throws(QueueError) -> Int64? {
        let row = try connection.prepare(SQL.number)
        defer { row.reset() }
        row.bind(name.rawValue)
        return try row.next() ? row.integer(0) : nil
    }

    private func firstNumber(_ query: Query) throws(QueueError) -> Int64 {
        let row = try connection.prepare(query)
        defer { row.reset() }
        return try row.next() ? row.integer(0) : 0
    }

    private func put(_ value: Int64, _ name: Name) throws(QueueError) {
        let row = try connection.prepare(SQL.put)
        row.bind(name.rawValue)
        row.bind(value)
        try row.run()
    }
}
