import SluiceModel

/// How rows are put where no worker fetches them: by another name of their queue, or by a time
/// 4,000 years later. A skipped row has another mark than a held one. In fragments `@` is the row.
enum RowHold: Sendable {
    /// By the name in the column of the queue.
    case name
    /// By the time in the column. `immediate` is a date that means no time at all, in a system that
    /// has one.
    case time(String, immediate: String? = nil)

    static let heldPrefix = "sluice:held:"
    static let skippedPrefix = "sluice:skipped:"
    /// A longer name would not fit into the column with a prefix.
    static let longestName = 200
    /// The time of a row that a step let through. No trigger holds it again.
    private static let letThrough = "2000-01-01 00:00:00"
    /// A held row without a time of its own, and a skipped one.
    private static let (heldNone, skippedNone) = ("4000-01-01 00:00:00", "7000-01-01 00:00:00")
    /// A held row whose time means no time at all, and a skipped one.
    private static let (heldImmediate, skippedImmediate) =
        ("8000-01-01 00:00:00", "8001-01-01 00:00:00")
    private static let (heldYears, skippedYears) = (4000, 5000)

    /// The column that a hold sets.
    func column(of table: RowTable) -> String {
        switch self {
        case .name: table.queue
        case .time(let column, _): column
        }
    }

    func isHeld(_ queue: String) -> String {
        switch self {
        case .name: Self.begins(queue, Self.heldPrefix)
        case .time(let column, _):
            "(@\(column) IS NOT NULL AND (@\(column) >= '\(Self.heldNone)' AND @\(column) < "
                + "'\(Self.skippedNone)' OR @\(column) = '\(Self.heldImmediate)'))"
        }
    }

    func isSkipped(_ queue: String) -> String {
        switch self {
        case .name: Self.begins(queue, Self.skippedPrefix)
        case .time(let column, _):
            "(@\(column) IS NOT NULL AND (@\(column) >= '\(Self.skippedNone)' AND @\(column) < "
                + "'\(Self.heldImmediate)' OR @\(column) = '\(Self.skippedImmediate)'))"
        }
    }

    private static func begins(_ column: String, _ prefix: String) -> String {
        "substr(@\(column), 1, \(prefix.utf8.count)) = '\(prefix)'"
    }

    /// The name of a queue without a prefix.
    static func plain(_ queue: String) -> String {
        for prefix in [heldPrefix, skippedPrefix] where queue.hasPrefix(prefix) {
            return String(queue.dropFirst(prefix.count))
        }
        return queue
    }

    /// The names under which rows of a queue lie.
    func names(_ queue: String) -> [String] {
        switch self {
        case .name: [queue, Self.heldPrefix + queue, Self.skippedPrefix + queue]
        case .time: [queue]
        }
    }

    /// Whether the time of a row means no time at all.
    var isImmediate: String? {
        guard case .time(let column, let immediate?) = self else { return nil }
        return "@\(column) = '\(immediate)'"
    }

    /// Whether a step let the row through.
    var isLetThrough: String? {
        guard case .time(let column, _) = self else { return nil }
        return "@\(column) = '\(Self.letThrough)'"
    }

    /// The value of the column for a free row that is held.
    func away(_ queue: String, _ dialect: RowDialect) throws -> String {
        switch self {
        case .name: return try dialect.literal(Self.heldPrefix + queue)
        case .time: return later(Self.heldYears, Self.heldNone, Self.heldImmediate, dialect)
        }
    }

    /// The value of the column for a held row that is given back.
    func back(_ queue: String, _ dialect: RowDialect) throws -> String {
        switch self {
        case .name: return try dialect.literal(queue)
        case .time: return earlier(Self.heldYears, Self.heldNone, Self.heldImmediate, dialect)
        }
    }

    /// The value of the column for a held row that a step lets through.
    func through(_ queue: String, _ dialect: RowDialect) throws -> String {
        switch self {
        case .name: try dialect.literal(queue)
        case .time: "'\(Self.letThrough)'"
        }
    }

    /// The value of the column for a row that is skipped, from a free or from a held one.
    func skipped(_ queue: String, isHeld: Bool, _ dialect: RowDialect) throws -> String {
        switch self {
        case .name: return try dialect.literal(Self.skippedPrefix + queue)
        case .time(let column, _):
            return isHeld
                ? between(
                    column,
                    [
                        Self.heldNone: Self.skippedNone,
                        Self.heldImmediate: Self.skippedImmediate,
                    ],
                    Self.skippedYears - Self.heldYears, dialect)
                : later(Self.skippedYears, Self.skippedNone, Self.skippedImmediate, dialect)
        }
    }

    /// The value of the column for a skipped row that is taken in again, held where its queue is.
    func unskipped(_ queue: String, isHeld: Bool, _ dialect: RowDialect) throws -> String {
        switch self {
        case .name: return try dialect.literal(isHeld ? Self.heldPrefix + queue : queue)
        case .time(let column, _):
            return isHeld
                ? between(
                    column,
                    [
                        Self.skippedNone: Self.heldNone,
                        Self.skippedImmediate: Self.heldImmediate,
                    ],
                    Self.heldYears - Self.skippedYears, dialect)
                : earlier(Self.skippedYears, Self.skippedNone, Self.skippedImmediate, dialect)
        }
    }

    /// From one mark to another.
    private func between(
        _ column: String, _ marks: [String: String], _ years: Int, _ dialect: RowDialect
    ) -> String {
        let cases = marks.sorted { $0.key < $1.key }.map {
            "WHEN @\(column) = '\($0.key)' THEN '\($0.value)'"
        }
        return "CASE \(cases.joined(separator: " ")) ELSE "
            + "\(dialect.shifted("@\(column)", years: years)) END"
    }

    private func later(
        _ years: Int, _ none: String, _ sentinel: String, _ dialect: RowDialect
    ) -> String {
        guard case .time(let column, let immediate) = self else { return "" }
        let marks = immediate.map { "WHEN @\(column) = '\($0)' THEN '\(sentinel)' " } ?? ""
        return "CASE WHEN @\(column) IS NULL THEN '\(none)' \(marks)ELSE "
            + "\(dialect.shifted("@\(column)", years: years)) END"
    }

    private func earlier(
        _ years: Int, _ none: String, _ sentinel: String, _ dialect: RowDialect
    ) -> String {
        guard case .time(let column, let immediate) = self else { return "" }
        let marks =
            immediate.map { "WHEN @\(column) = '\(sentinel)' THEN '\($0)' " } ?? ""
        return "CASE WHEN @\(column) = '\(none)' THEN NULL \(marks)ELSE "
            + "\(dialect.shifted("@\(column)", years: -years)) END"
    }

    /// When a row is due as its system said it: the column of the time without a mark.
    func due(_ queue: String, _ dialect: RowDialect) -> String? {
        guard case .time(let column, _) = self else { return nil }
        return "CASE WHEN \(isHeld(queue)) THEN "
            + earlier(Self.heldYears, Self.heldNone, Self.heldImmediate, dialect)
            + " WHEN \(isSkipped(queue)) THEN "
            + earlier(Self.skippedYears, Self.skippedNone, Self.skippedImmediate, dialect)
            + " ELSE @\(column) END"
    }
}
