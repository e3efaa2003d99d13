import SluiceModel

/// A system whose tasks are rows of a table in PostgreSQL, told by fragments of statements in which
/// `@` stands for the row.
struct JobTable: Sendable {
    /// The name that `--as` takes, and the one that people use.
    var name: String
    var title: String
    /// The table, and the columns by which it is recognised.
    var table: String
    var needs: [String]
    /// The type of its column `id`.
    var idType = "bigint"
    /// The column of the queue, how its value is shown, and the value of a shown name.
    var queue = "queue"
    var shownQueue: String?
    var key: @Sendable (SQLDesk, String) throws -> String = { _, queue in
        try SQLDesk.literal(queue)
    }
    /// What a worker calls.
    var type: String
    /// The priority, where it has one, and the column to write.
    var priority: String?
    /// Executions that have begun, and how many are enough.
    var attempts: String
    var attemptLimit: String?
    /// When it came, and the last error.
    var created: String?
    var error: String?
    /// What it carries.
    var payload: PayloadColumn
    /// Rows that workers fetch when their time has come.
    var ready: String
    /// What other rows show.
    var states: [(display: ForeignTask.Display, condition: String)]
    /// The order in which workers fetch, and the same as values that grow.
    var order: String
    var place: String
    /// By which column what has ended comes the newest one first; the id where none is said.
    var newest: [TaskState.Name: String] = [:]
    /// Whether a row fits one of the conditions alone.
    var statesExclude = true
    /// Whether what tasks show is said by rows alone, not also by locks.
    var isSaidByRows = true
    /// What changes whenever its system changes a row.
    var version = ""
    /// How its queues are held.
    var hold: HoldForm
    /// Statements that wake the workers of a queue, as its system does.
    var waking: @Sendable (_ queue: String, _ id: String) throws -> String = { _, _ in "SELECT 1" }
    /// A question for the executions of a task: `started`, `ended` in milliseconds, `outcome`,
    /// `error`, `runner`.
    var executions: (@Sendable (_ id: String) -> String)?
    /// A question for the `outcome` and the `error` of a task that is gone.
    var ending: (@Sendable (_ id: String) -> String)?
    /// A question for the workers: `name`, `host`, `pid`, `slots`, `heard` in milliseconds, and as
    /// lists `queues` and `running`; and the tables that it needs.
    var workers: (needs: [String], sql: String)?
    /// A question for the `worker` that has a running task, `since` when, and when that was `heard`
    /// of last, in milliseconds; and how its system gives the task of a dead worker back.
    var holder: (sql: @Sendable (_ id: String) -> String, advice: Advice)?
    typealias Advice = @Sendable (_ id: String, _ worker: String) -> String
    /// The moment at which a task was started last.
    var started: String?
    /// Tables that some versions have.
    var beside: [String] = []
    /// What versions change in it.
    var fitting: @Sendable (inout JobTable, TableShape) -> Void = { _, _ in }
    /// The newest version of its schema that is known, and a question for the `version` that is
    /// there, with the tables that it needs.
    var edition: (newest: Int64, needs: [String], sql: String)?
    /// Why this version of it cannot be held.
    var unheld: String?
    /// A question for the `reason` for which its system does not start a task, and the tables that
    /// it needs beside its own.
    var obstacle: (needs: [String], sql: @Sendable (_ id: String) -> String)?
    /// A question for the `queue`s that its system has paused, with a `reason`.
    var pauses: (needs: [String], sql: String)?
    /// What the verbs set, as far as it has them.
    var removing = Removing.setting("")
    var retrying = ""
    var retryable = ""
    var postponing: String?
    /// What else a change may touch, for undo.
    var kept: [String] = []
    /// What held tasks risk meanwhile.
    var risks: [String] = []
    /// The system that drives its rows; the usual one does what is said here.
    var opening: @Sendable (TableSystem) -> any ForeignSystem = { $0 }

    /// How a task is taken out for good.
    enum Removing: Sendable {
        /// Its row says so.
        case setting(String)
        /// Its row goes; a statement says so elsewhere.
        case deleting(@Sendable (_ id: String) -> String)
    }

    /// The column of a payload.
    enum PayloadColumn: Sendable {
        case json(String, type: String)
        /// Bytes, which may say anything.
        case bytes(String)

        var column: String {
            switch self {
            case .json(let column, _), .bytes(let column): column
            }
        }

        /// A text of a row for it.
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

    /// Rows of a queue.
    func isIn(_ queue: String, _ desk: SQLDesk) throws -> String {
        "@\(self.queue) = \(try key(desk, queue))"
    }

    /// The conditions of rows in a state, in the order in which they are shown, each for an index.
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

    /// What rows have to show beside a condition; where that alone says it the server can think of
    /// an index for it.
    func shows(_ displays: [ForeignTask.Display]) -> String {
        guard !statesExclude else { return "" }
        let words = displays.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return " AND (\(display)) IN (\(words))"
    }

    /// The condition of a state without what is put away by it.
    private func apart(_ display: ForeignTask.Display, _ condition: String) -> String {
        guard display == .blocked, statesExclude else { return condition }
        let others = "(\(hold.isHeld(ready)) OR \(hold.isSkipped(ready))) IS NOT TRUE"
        return "\(condition) AND \(others)"
    }

    /// What is counted each by itself: a condition of the server's statistics, and what its rows
    /// show.
    var tallies: [(condition: String, displays: [ForeignTask.Display])] {
        hold.tallies(ready)
            + states.map { (apart($0.display, $0.condition), [$0.display]) }
    }

    /// The conditions of what waits for a time.
    var timed: [String] {
        let own = states.filter { [.delayed, .retrying].contains($0.display) }.map(\.condition)
        return own + [hold.timed(ready)].filter { $0 != "false" }
    }

    /// What a row shows.
    var display: String {
        let isLater = hold.isLater(ready)
        let running = states.filter { $0.display == .running }
        let others = states.filter { $0.display != .running }
        let cases =
            running.map { ($0.display, $0.condition) }
            + [(.skipped, hold.isSkipped(ready)), (.held, hold.isHeld(ready))]
            + [(.retrying, "\(isLater) AND \(attempts) > 0"), (.delayed, isLater), (.due, ready)]
            + others.map { ($0.display, $0.condition) }
        let words = cases.map { "WHEN \($0.1) THEN '\($0.0.rawValue)'" }
        return "CASE \(words.joined(separator: " ")) ELSE 'blocked' END"
    }
}
