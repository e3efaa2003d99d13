import SluiceModel

/// The way a held row is kept from workers: another name of its queue, a time 4,000 years later, or
/// the pause of its system.
/// A skipped row has another mark than a held one. In fragments `@` is the row.
enum RowHold: Sendable {
    /// By the name in a column, which is the one of the queue.
    case name(String)
    /// By the time in a column. `immediate` is a date that means no time at all, in a system that
    /// has one.
    case time(String, immediate: String? = nil)
    /// By the system's own pause: the conditions of held and of skipped rows. The system sets no
    /// column of the row.
    case elsewhere(held: String, skipped: String)

    /// Whether a row is free, held or skipped.
    enum Place: Sendable {
        case free, held, skipped
    }

    /// A longer name is not held.
    static let longestName = 200
    /// The time of a row that a step let through. No trigger holds it again.
    private static let letThrough = "2000-01-01 00:00:00"

    /// The column that a hold sets; empty if it sets none.
    var column: String {
        switch self {
        case .name(let column), .time(let column, _): column
        case .elsewhere: ""
        }
    }

    /// Whether a hold does not change a row.
    var isElsewhere: Bool {
        if case .elsewhere = self { return true }
        return false
    }

    var isHeld: String { condition(.held, until: .skipped) }
    var isSkipped: String { condition(.skipped, until: nil) }

    private func condition(_ place: Place, until next: Place?) -> String {
        switch self {
        case .name(let column):
            return "substr(@\(column), 1, \(place.prefix.utf8.count)) = '\(place.prefix)'"
        case .elsewhere(let held, let skipped): return place == .held ? held : skipped
        case .time(let column, _):
            let end = next?.none ?? Place.held.immediate
            return "(@\(column) IS NOT NULL AND (@\(column) >= '\(place.none)' AND @\(column) < "
                + "'\(end)' OR @\(column) = '\(place.immediate)'))"
        }
    }

    /// Whether the time of a held row has not come for its system. `time` is its column.
    func isLater(_ time: String, _ clock: RowClock, _ dialect: RowDialect) -> String {
        switch self {
        case .name: "@\(time) > \(dialect.now(clock))"
        case .elsewhere: "1 = 0"
        case .time(let column, _):
            "@\(column) > \(dialect.shifted(dialect.now(clock), years: Place.held.years)) "
                + "AND @\(column) < '\(Place.skipped.none)'"
        }
    }

    /// The name of a queue without a prefix.
    static func plain(_ queue: String) -> String {
        for place in [Place.held, .skipped] where queue.hasPrefix(place.prefix) {
            return String(queue.dropFirst(place.prefix.count))
        }
        return queue
    }

    /// The names under which rows of a queue lie.
    func names(_ queue: String) -> [String] {
        switch self {
        case .name: [Place.free, .held, .skipped].map { $0.prefix + queue }
        case .time, .elsewhere: [queue]
        }
    }

    /// The characters that the column needs for a held queue's name; nil for a hold by time.
    func length(_ queue: String) -> Int? {
        guard case .name = self else { return nil }
        return Place.skipped.prefix.count + queue.unicodeScalars.count
    }

    /// Whether the time of a row means no time at all.
    var isImmediate: String? {
        guard case .time(let column, let immediate?) = self else { return nil }
        return "@\(column) = '\(immediate)'"
    }

    var isLetThrough: String? {
        guard case .time(let column, _) = self else { return nil }
        return "@\(column) = '\(Self.letThrough)'"
    }

    /// The value of the column for a held row that a step lets through.
    func through(_ dialect: RowDialect) -> String {
        switch self {
        case .name: moved(from: .held, to: .free, dialect)
        case .time: "'\(Self.letThrough)'"
        case .elsewhere: "NULL"
        }
    }

    /// The value of the column for a row that goes from one place to another.
    func moved(from: Place, to: Place, _ dialect: RowDialect) -> String {
        switch self {
        case .elsewhere: return "NULL"
        case .name(let column):
            let begin = from.prefix.utf8.count + 1
            let plain = begin > 1 ? "substr(@\(column), \(begin))" : "@\(column)"
            return to == .free ? plain : dialect.joined("'\(to.prefix)'", plain)
        case .time(let column, let immediate):
            var marks = [(from == .free ? "IS NULL" : "= '\(from.none)'", to.none)]
            if let immediate {
                marks.append(
                    (
                        "= '\(from == .free ? immediate : from.immediate)'",
                        to == .free ? immediate : to.immediate
                    ))
            }
            let cases = marks.map {
                "WHEN @\(column) \($0.0) THEN \($0.1.isEmpty ? "NULL" : "'\($0.1)'")"
            }
            return "CASE \(cases.joined(separator: " ")) ELSE "
                + "\(dialect.shifted("@\(column)", years: to.years - from.years)) END"
        }
    }

    /// When a row is due as its system said it: the column of the time without a mark; nil where
    /// the column is no time.
    func due(_ dialect: RowDialect) -> String? {
        guard case .time(let column, _) = self else { return nil }
        return "CASE WHEN \(isHeld) THEN \(moved(from: .held, to: .free, dialect)) "
            + "WHEN \(isSkipped) THEN \(moved(from: .skipped, to: .free, dialect)) "
            + "ELSE @\(column) END"
    }
}

extension RowHold.Place {
    /// The prefix of the queue name.
    fileprivate var prefix: String {
        switch self {
        case .free: ""
        case .held: "sluice:held:"
        case .skipped: "sluice:skipped:"
        }
    }

    /// How much later the time is.
    fileprivate var years: Int {
        switch self {
        case .free: 0
        case .held: 4000
        case .skipped: 5000
        }
    }

    /// The time of a row without one; empty for NULL.
    fileprivate var none: String {
        switch self {
        case .free: ""
        case .held: "4000-01-01 00:00:00"
        case .skipped: "7000-01-01 00:00:00"
        }
    }

    /// The time of a row whose own means no time at all.
    fileprivate var immediate: String {
        switch self {
        case .free: ""
        case .held: "8000-01-01 00:00:00"
        case .skipped: "8001-01-01 00:00:00"
        }
    }
}
