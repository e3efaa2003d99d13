import SluiceModel

/// A system whose tasks are rows of a PostgreSQL table, described by SQL fragments with `@` for the
/// row.
struct JobTable: Sendable {
    /// The name that `--as` takes, and the one that people use.
    var name: String
    var title: String
    /// The table, and the columns that identify it.
    var table: String
    var needs: [String]
    /// Tables that identify the system in any version. Empty if the table's name does.
    var signs: [TableForm.Sign] = []
    /// The other tables that every version has, and that its statements name.
    var companions: Set<String> = []
    /// The type of its column `id`.
    var idType = "bigint"
    /// The column of the queue, how its value is shown, and the value of a shown name.
    var queue = "queue"
    var shownQueue: String?
    var key: @Sendable (SQLSession, String) throws -> String = { _, queue in
        try SQLSession.literal(queue)
    }
    /// The expression for the name of the code that a worker calls.
    var type: String
    /// The expression of the priority, if any, and the column to write.
    var priority: String?
    /// Executions that have begun, and how many are enough.
    var attempts: String
    var attemptLimit: String?
    /// When it came, and the last error.
    var created: String?
    var error: String?
    var payload: PayloadColumn
    /// Rows that workers fetch when their time has come.
    var ready: String
    /// The display of the other rows, each with its condition.
    var states: [(display: ForeignTask.Display, condition: String)]
    /// The order of fetching, and the same order as ascending values.
    var order: String
    var place: String
    /// The column that sorts finished tasks of a state, newest first; the id if absent.
    var newest: [TaskState.Name: String] = [:]
    /// Whether a row fits one of the conditions alone.
    var statesExclude = true
    /// Whether the rows alone determine a task's display, without locks.
    var isSaidByRows = true
    /// An expression that changes with every change of the row by its system.
    var version = ""
    var hold: HoldStrategy
    /// Statements that wake the workers of a queue, as its system does.
    var waking: @Sendable (_ queue: String, _ id: String) throws -> String = { _, _ in "SELECT 1" }
    /// A question for the executions of a task: `started`, `ended` in milliseconds, `outcome`,
    /// `error`, `runner`.
    var executions: (@Sendable (_ id: String) -> String)?
    /// A query for the `outcome` and the `error` of a task whose row no longer exists.
    var ending: (@Sendable (_ id: String) -> String)?
    /// A question for the workers: `name`, `host`, `pid`, `slots`, `heard` in milliseconds, and as
    /// lists `queues` and `running`; and the tables that it needs.
    var workers: (needs: [String], sql: String)?
    /// A question for the `worker` that has a running task, `since` when, and when that was `heard`
    /// of last, in milliseconds; and how its system gives the task of a dead worker back.
    var holder: (sql: @Sendable (_ id: String) -> String, advice: Advice)?
    typealias Advice = @Sendable (_ id: String, _ worker: String) -> String
    /// The statement by which the system gives a dead worker's task back, and its further effect;
    /// `nil` if the system has none.
    var rescuing:
        (
            sql: @Sendable (_ id: String, _ worker: String) throws -> String, effect: String?
        )?
    /// The expression for the last start of a task.
    var started: String?
    var beside: [String] = []
    /// Adapts the description to the schema's version.
    var fitting: @Sendable (inout JobTable, TableShape) -> Void = { _, _ in }
    /// The newest version of its schema that is known, and a question for the `version` that is
    /// there, with the tables that it needs.
    var edition: (newest: Int64, needs: [String], sql: String)?
    /// The reason this version does not support holds; `nil` if it does.
    var unheld: String?
    /// A query for the `reason` why the system does not start a task, and the additional tables
    /// that it needs.
    var obstacle: (needs: [String], sql: @Sendable (_ id: String) -> String)?
    /// A question for the `queue`s that its system has paused, with a `reason`.
    var pauses: (needs: [String], sql: String)?
    /// The assignments of each verb; empty or `nil` if the system does not support it.
    var removing = Removing.setting("")
    var retrying = ""
    var retryable = ""
    var postponing: String?
    /// Additional columns that a change may touch; undo restores them too.
    var kept: [String] = []
    /// The risks for held tasks.
    var risks: [String] = []

    /// How a delete removes a task.
    enum Removing: Sendable {
        case setting(String)
        /// Its row goes; a statement says so elsewhere.
        case deleting(@Sendable (_ id: String) -> String)
    }

    enum PayloadColumn: Sendable {
        case json(String, type: String)
        /// Bytes, which may say anything.
        case bytes(String)

        var column: String {
            switch self {
            case .json(let column, _), .bytes(let column): column
            }
        }

        var text: String {
            switch self {
            case .json(let column, _): "@\(column)::text"
            case .bytes(let column): "encode(@\(column), 'base64')"
            }
        }

        /// A short text of it.
        var shown: String {
            switch self {
            case .json(let column, _): "left(@\(column)::text, 200)"
            case .bytes(let column):
                "left(encode(substring(@\(column) FOR 200), 'escape'), 200)"
            }
        }
    }

    /// A fragment, of a row with a name.
    static func of(_ row: String, _ fragment: String) -> String {
        fragment.split(separator: "@", omittingEmptySubsequences: false)
            .joined(separator: "\(row).")
    }

    func isIn(_ queue: String, _ session: SQLSession) throws -> String {
        "@\(self.queue) = \(try key(session, queue))"
    }

    /// The conditions of the rows in a state, in display order. Each can use one index.
    func parts(_ state: TaskState.Name) -> [String] {
        func part(_ condition: String, _ displays: [ForeignTask.Display]) -> String {
            "(\(condition))\(shows(displays))"
        }
        let own = states.filter { $0.display.state == state }
        guard state == .waiting else {
            let displays = ForeignTask.Display.allCases.filter { $0.state == state }
            let all = own.map { "(\($0.condition))" }.joined(separator: " OR ")
            return all.isEmpty ? [] : [part(all, displays)]
        }
        return hold.parts(ready).map { part($0.condition, $0.displays) }
            + own.map { part(apart($0.display, $0.condition), [$0.display]) }
    }

    /// A condition on the display of rows. It is empty if the states exclude each other, so that
    /// the server can use an index.
    func shows(_ displays: [ForeignTask.Display]) -> String {
        guard !statesExclude else { return "" }
        let words = displays.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return " AND (\(display)) IN (\(words))"
    }

    /// The condition of a state without held and skipped rows.
    private func apart(_ display: ForeignTask.Display, _ condition: String) -> String {
        guard display == .blocked, statesExclude else { return condition }
        let others = "(\(hold.isHeld(ready)) OR \(hold.isSkipped(ready))) IS NOT TRUE"
        return "\(condition) AND \(others)"
    }

    /// The conditions that are counted separately, each with its displays. The server has
    /// statistics for each condition.
    var tallies: [(condition: String, displays: [ForeignTask.Display])] {
        hold.tallies(ready)
            + states.map { (apart($0.display, $0.condition), [$0.display]) }
    }

    /// The conditions of rows that wait for a time.
    var timed: [String] {
        let own = states.filter { [.delayed, .retrying].contains($0.display) }.map(\.condition)
        return own + [hold.timed(ready), hold.isHeldLater(ready)].filter { $0 != "false" }
    }

    /// The expression for a row's display.
    var display: String {
        func timed(_ isLater: String) -> [(ForeignTask.Display, String)] {
            isLater == "false"
                ? [] : [(.retrying, "\(isLater) AND \(attempts) > 0"), (.delayed, isLater)]
        }
        let running = states.filter { $0.display == .running }
        let others = states.filter { $0.display != .running }
        let cases =
            running.map { ($0.display, $0.condition) } + [(.skipped, hold.isSkipped(ready))]
            + timed(hold.isHeldLater(ready)) + [(.held, hold.isHeld(ready))]
            + timed(hold.isLater(ready)) + [(.due, ready)]
            + others.map { ($0.display, $0.condition) }
        let words = cases.map { "WHEN \($0.1) THEN '\($0.0.rawValue)'" }
        return "CASE \(words.joined(separator: " ")) ELSE 'blocked' END"
    }
}
