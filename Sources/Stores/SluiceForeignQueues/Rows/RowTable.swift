import SluiceModel

/// A system whose tasks are rows of a table in PostgreSQL, SQLite or MariaDB. Portable fragments
/// with `@` for the row make up its statements; Swift code decodes the rows.
struct RowTable: Sendable {
    /// The name that `--as` takes, and the one that people use.
    var name: String
    var title: String
    /// The table, and the columns that identify it.
    var table: String
    var needs: Set<String>
    /// Tables that identify the system in any version. Empty if the table's name does.
    var signs: [TableForm.Sign] = []
    /// The other tables that every version has, and that its statements name.
    var companions: Set<String> = []
    var columns: [String] = []
    /// Whether it has no other columns.
    var isExact = false
    /// Whether the ids are whole numbers.
    var hasNumbers = true
    /// The column of the queue, and the shown name of a queue without one.
    var queue: String
    var unnamed: String?
    /// The column of the due time.
    var time: String
    var clock: RowClock
    var hold: RowHold
    /// Rows that workers fetch when their time has come, and what the other rows show.
    var ready: String
    var states: [(display: ForeignTask.Display, condition: String)]
    /// Whether a worker that takes a row gives it a later time and nothing else.
    var isTakenLater = false
    /// The columns whose writing makes a row ready again; nil where only new rows are caught.
    var watched: [String]?
    /// The columns of executions, priority, arrival and end, if the table has them.
    var attempts: String?
    var priority: String?
    var created: String?
    var ended: String?
    /// The order of fetching, as expressions that are never NULL.
    var order: [(expression: String, isDescending: Bool)]
    /// The columns that may be large: a page reads only their beginnings.
    var large: [String]
    /// More columns of a read row, by their names, which begin with `sluice_`.
    var more: [String: String] = [:]
    var read: @Sendable (JSONValue) -> RowContent
    /// The columns that an edit sets. Throws if the payload cannot be encoded.
    var edit: (@Sendable (_ row: JSONValue, _ value: JSONValue) throws -> [String: JSONValue])?
    /// The reason payloads cannot be edited.
    var whyFixed: String?
    /// The columns that `retry` sets on a failed row of this table, in addition to its time.
    var retrying: [String: String] = [:]
    /// Other tables with failed or finished tasks.
    var others: [OtherRows] = []
    /// The worker of a running row, and how the system returns its task.
    var holder: (@Sendable (JSONValue) -> ForeignHolder?)?
    /// A question for the queues that the system itself has paused, the table that it needs, and
    /// how a row of it is read; without a queue it is about all of them.
    var pauses:
        (
            table: String, sql: String,
            read: @Sendable (JSONValue) -> (queue: String?, reason: String)?
        )?
    /// The risks for held tasks.
    var risks: [String] = []
    /// How to stop a running task.
    var stopping = SystemRules.Stopping.nothing

    /// The condition for rows of an identity, where another try is a new row.
    var again: (@Sendable (_ identity: String, RowDialect) throws -> String)?
    /// A count of its own.
    var counting: (@Sendable (RowSystem) throws -> [ForeignQueue])?
    /// The system that holds and changes its rows.
    var opening: @Sendable (RowSystem) -> any ForeignSystem = { $0 }

    static let all = [
        laravel, solidQueue, delayedJob, symfony, djangoTasks, djangoQ,
    ]
    /// The mark for the server's time in an inserted row.
    static let nowMark = "sluice:now"

    /// The order of fetching as an `ORDER BY` list.
    var fetchOrder: String {
        order.map { "\($0.expression)\($0.isDescending ? " DESC" : "")" }.joined(separator: ", ")
    }
}

struct RowContent: Sendable {
    var type: String
    var payload: ForeignPayload
    var label: String?
    var error: String?
    var fullError: String?
    /// The executions, if no column counts them.
    var attempts: Int?
    var attemptLimit: Int?
    /// An identity shared by all rows of a task, for systems that insert a new row for each retry.
    var identity: String?
    var isFailure = true
}

/// An additional table with finished tasks.
struct OtherRows: Sendable {
    var table: String
    var needs: Set<String>
    var columns: [String] = []
    /// The key column, and the prefix of its values in a reference.
    var key: String
    var prefix = ""
    var hasNumbers = false
    var queue: String
    var display: ForeignTask.Display
    var condition = "1 = 1"
    var ended: String
    var large: [String]
    var read: @Sendable (JSONValue) -> RowContent
    /// The row to insert into the main table for a retry; `nil` if a retry is not possible.
    var again: (@Sendable (JSONValue) throws -> [String: JSONValue])?
    /// The condition for the rows of an identity.
    var isSame: @Sendable (_ identity: String, RowDialect) throws -> String
}

extension RowTable {
    /// A fragment, of a row with a name.
    static func of(_ row: String, _ fragment: String) -> String { JobTable.of(row, fragment) }

    /// The tables of several systems.
    static func tables(of all: [RowTable]) -> Set<String> {
        all.reduce(into: []) { $0.formUnion($1.tables) }
    }

    /// The tables that it may have.
    var tables: Set<String> { companions.union([table] + others.map(\.table)) }

    /// The value as a schema has it; nil where that has no such table.
    func fitted(to shape: [String: Set<String>]) -> RowTable? {
        guard let columns = shape[table], columns.isSuperset(of: needs),
            !isExact || columns == needs, companions.allSatisfy({ shape[$0] != nil })
        else { return nil }
        var fitted = self
        fitted.columns = columns.sorted()
        fitted.others = others.filter { (shape[$0.table] ?? []).isSuperset(of: $0.needs) }
        for place in fitted.others.indices {
            fitted.others[place].columns = (shape[fitted.others[place].table] ?? []).sorted()
        }
        return fitted
    }

    /// Rows of a queue; `@` is the row.
    func isIn(_ queue: String, _ dialect: RowDialect) throws -> String {
        let names = try hold.names(queue).map { try dialect.literal($0) }
        let isNamed = "@\(self.queue) IN (\(names.joined(separator: ", ")))"
        return queue == unnamed ? "(\(isNamed) OR @\(self.queue) IS NULL)" : isNamed
    }

    /// The condition of rows in a state; nil for none.
    func condition(_ state: TaskState.Name, _ dialect: RowDialect) -> String? {
        var all = states.filter { $0.display.state == state }.map { "(\($0.condition))" }
        let isLater = isLater(dialect)
        if state == .waiting {
            all.append("(\(ready)\(isTakenLater ? " AND NOT (\(isLater))" : ""))")
        }
        if state == .running, isTakenLater { all.append("(\(isLater))") }
        return all.isEmpty ? nil : "(\(all.joined(separator: " OR ")))"
    }

    var isHeld: String { "(\(ready)) AND \(hold.isHeld)" }
    var isSkipped: String { "(\(ready)) AND \(hold.isSkipped)" }
    /// Rows that a hold has to put away.
    var isFree: String {
        "(\(ready)) AND NOT \(hold.isHeld) AND NOT \(hold.isSkipped)"
    }

    /// The same without what a worker has.
    func isMovable(_ dialect: RowDialect) -> String {
        isTakenLater ? "\(isFree) AND NOT (\(isLater(dialect)))" : isFree
    }

    /// Rows that wait for a time.
    func isLater(_ dialect: RowDialect) -> String {
        guard !hold.isElsewhere else { return "1 = 0" }
        let immediate = hold.isImmediate.map { " AND NOT \($0)" } ?? ""
        return "\(isFree) AND @\(time) > \(dialect.now(clock))\(immediate)"
    }

    /// Held rows that wait for a time; `nil` if a later time has another meaning.
    func isHeldLater(_ dialect: RowDialect) -> String? {
        isTakenLater ? nil : "\(isHeld) AND \(hold.isLater(time, clock, dialect))"
    }

    /// The expression for a row's display.
    func display(_ dialect: RowDialect) -> String {
        let isLater = isLater(dialect)
        var cases = states.filter { $0.display.state == .running }.map {
            ($0.display, $0.condition)
        }
        func timed(_ isLater: String) -> [(ForeignTask.Display, String)] {
            (attempts.map { [(.retrying, "\(isLater) AND @\($0) > 0")] } ?? [])
                + [(isTakenLater ? .taken : .delayed, isLater)]
        }
        cases += [(.skipped, isSkipped)] + (isHeldLater(dialect).map(timed) ?? [])
        cases += [(.held, isHeld)] + timed(isLater) + [(.due, ready)]
        cases += states.filter { $0.display.state != .running }.map { ($0.display, $0.condition) }
        let words = cases.map { "WHEN \($0.1) THEN '\($0.0.rawValue)'" }
        return "CASE \(words.joined(separator: " ")) ELSE 'blocked' END"
    }

    /// When a row is due as its system said it.
    func due(_ dialect: RowDialect) -> String { hold.due(dialect) ?? "@\(time)" }
}
