import SluiceModel
import SluiceSystem

/// A system whose tasks are rows of a table in one of three databases, held by a trigger.
final class RowSystem: ForeignSystem {
    let table: RowTable
    let session: any RowSession
    var name: String { table.name }
    var title: String { table.title }
    var dialect: RowDialect { session.dialect }

    init(_ table: RowTable, _ session: any RowSession) {
        self.table = table
        self.session = session
    }

    let listsEmptyQueues = false
    let listsRunners = false

    /// A count reads `first` rows, and up to `most` if that was fast. Queues without a counted row
    /// are listed too.
    var countLimits = (first: 10_000, most: 200_000)
    /// A page reads so much of a large column at most, and a detail so much.
    static let (pageBytes, detailBytes) = (1 << 16, 4 << 20)
    private var known = LongAnswer<[ForeignQueue]>()
    private var timed = LongAnswer<(limit: Int, timers: [ForeignTimer])>()
    /// The pages of a console. Few of these tables have an index for their running jobs.
    private var pages: [TaskState.Name: LongAnswer<(query: ForeignQuery, page: ForeignPage)>] = [:]
    /// A page of waiting jobs is cached for this many times the duration of its read.
    private static let waitingRest: Int64 = 5
    private var changes = 0
    var clock: () -> Int64 = SystemClock.monotonicMilliseconds

    /// Forgets kept answers.
    func forget() { changes += 1 }

    func stamp() throws -> String? { try session.stamp() }

    func queues() throws -> [ForeignQueue] {
        try known.get(changes, by: clock) { try table.counting?(self) ?? counted() }
    }

    /// The name of a queue as people see it.
    func shown(_ cell: JSONValue?) -> String {
        guard let text = cell?.string else { return table.unnamed ?? "default" }
        return RowHold.plain(text)
    }

    static func display(
        _ row: JSONValue, _ column: String = "display"
    ) -> ForeignTask.Display? {
        row[column]?.string.flatMap(ForeignTask.Display.init)
    }

    /// The expressions for the display and the due time of a row `j`.
    var display: String { RowTable.of("j", table.display(dialect)) }
    private var due: String { RowTable.of("j", table.due(dialect)) }

    func stops(of queue: String) throws -> ForeignQueue? {
        var found = ForeignQueue(name: queue, system: name)
        found.hold = try holds()[queue]
        let pauses = try ownPauses()
        found.ownPause = pauses.all ?? pauses.single[queue]
        return found
    }

    /// The reasons of the queues that the system itself has paused, and of its pause of all queues.
    func ownPauses() throws -> (single: [ExactText: String], all: String?) {
        var found: (single: [ExactText: String], all: String?) = ([:], nil)
        guard let question = table.pauses, try hasTable(question.table) else { return found }
        for row in try session.rows(question.sql) {
            guard let (queue, reason) = question.read(row) else { continue }
            if let queue { found.single[queue] = reason } else { found.all = reason }
        }
        return found
    }

    /// Complete rows that meet a condition, with their display.
    func found(
        _ condition: String, order: String, limit: Int, bytes: Int = pageBytes
    ) throws -> [JSONValue] {
        let more = table.more.sorted { $0.key < $1.key }
            .map { "\(RowTable.of("j", $0.value)) AS \($0.key), " }.joined()
        return try session.rows(
            """
            SELECT \(columns(table.columns, table.large, bytes)), \(display) AS sluice_display,
            \(more)\(due) AS sluice_due, \(dialect.now(table.clock)) AS sluice_now,
            CASE WHEN \(RowTable.of("j", table.isHeld)) THEN 1 ELSE 0 END AS sluice_held
            FROM \(table.table) j WHERE \(RowTable.of("j", condition))
            ORDER BY \(RowTable.of("j", order)) LIMIT \(limit)
            """)
    }

    /// All columns, of the large ones only the beginnings.
    private func columns(_ all: [String], _ large: [String], _ bytes: Int) -> String {
        all.map { column in
            guard large.contains(column) else { return "j.\(dialect.name(column))" }
            return "substr(\(dialect.text("j.\(column)")), 1, \(bytes)) AS \(dialect.name(column))"
        }.joined(separator: ", ")
    }

    func others(
        _ other: OtherRows, _ condition: String, limit: Int, bytes: Int = pageBytes
    ) throws -> [JSONValue] {
        try session.rows(
            """
            SELECT \(columns(other.columns, other.large, bytes)) FROM \(other.table) j
            WHERE \(RowTable.of("j", other.condition)) AND \(condition)
            ORDER BY \(other.ended) DESC, \(other.key) DESC LIMIT \(limit)
            """)
    }

    func task(_ row: JSONValue) -> ForeignTask { task(row, table.read(row)) }

    func task(_ row: JSONValue, _ content: RowContent) -> ForeignTask {
        let display =
            row["sluice_display"]?.string.flatMap(ForeignTask.Display.init) ?? .blocked
        var task = ForeignTask(
            reference: Self.text(row["id"]), queue: shown(row[table.queue]), type: content.type,
            display: display)
        task.attempts =
            content.attempts
            ?? table.attempts.flatMap { row[$0]?.integer }.map { Int(clamping: $0) }
        task.attemptLimit = content.attemptLimit
        task.priority = table.priority.flatMap { row[$0]?.integer }
        task.createdAt = table.created.flatMap { table.clock.moment(row[$0]) }
        if display.state == .waiting, let due = table.clock.moment(row["sluice_due"]),
            let now = table.clock.moment(row["sluice_now"]), due > now, !isImmediate(row)
        {
            task.notBefore = due
        }
        if display == .running {
            task.startedAt =
                table.clock.moment(row["sluice_began"]) ?? table.holder?(row)?.since
        }
        if [.failed, .succeeded].contains(display) {
            task.endedAt = table.ended.flatMap { table.clock.moment(row[$0]) }
        }
        task.error = content.error
        task.label = content.label
        return task
    }

    private func isImmediate(_ row: JSONValue) -> Bool {
        guard case .time(_, let immediate?) = table.hold, let text = row["sluice_due"]?.string
        else { return false }
        return text.prefix(10) == immediate.prefix(10)
    }

    func otherTask(_ row: JSONValue, _ other: OtherRows) -> ForeignTask {
        let content = other.read(row)
        var task = ForeignTask(
            reference: other.prefix + Self.text(row[other.key]), queue: shown(row[other.queue]),
            type: content.type, display: other.display)
        task.error = content.error
        task.label = content.label
        task.attemptLimit = content.attemptLimit
        // For finished tasks the system keeps only the end.
        task.endedAt = RowClock.date.moment(row[other.ended])
        task.createdAt = task.endedAt
        return task
    }

    static func text(_ cell: JSONValue?) -> String {
        cell?.string ?? cell?.integer.map(String.init) ?? "?"
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        guard query.isWatched, let state = query.state else { return try read(query) }
        return try pages[state, default: LongAnswer()].get(
            changes, times: state == .waiting ? Self.waitingRest : 20, by: clock,
            fits: { $0.query == query }
        ) {
            (query: query, page: try read(query))
        }.page
    }

    private func read(_ query: ForeignQuery) throws -> ForeignPage {
        let limit = query.limit + 1
        let defaults: [TaskState.Name] = [.running, .waiting, .failed]
        let states = query.state.map { [$0] } ?? defaults
        var found: [ForeignTask] = []
        var after = query.after
        let isOwn = RowTable.of("j", try table.isIn(query.queue, dialect))
        for state in states where found.count < limit {
            if let condition = table.condition(state, dialect) {
                var all = "\(isOwn) AND \(condition)"
                if let place = try after.flatMap(place) {
                    guard try place.isIn(state) else { continue }
                    all += " AND \(place.condition)"
                    after = nil
                }
                if after == nil {
                    let rows = try self.found(
                        all, order: table.fetchOrder, limit: limit - found.count)
                    found += rows.map(task)
                }
            }
            for other in table.others where other.display.state == state && found.count < limit {
                var condition = try isIn(query.queue, of: other)
                if let last = after {
                    guard let row = try otherRow(last, other) else { continue }
                    condition += try behind(row, other)
                    after = nil
                }
                found += try others(other, condition, limit: limit - found.count)
                    .map { otherTask($0, other) }
            }
        }
        return ForeignPage(first: query.limit, of: found)
    }

    private func isIn(_ queue: String, of other: OtherRows) throws -> String {
        let isNamed = "j.\(dialect.name(other.queue)) = \(try dialect.literal(queue))"
        return queue == table.unnamed
            ? "(\(isNamed) OR j.\(dialect.name(other.queue)) IS NULL)" : isNamed
    }

    private func behind(_ row: JSONValue, _ other: OtherRows) throws -> String {
        let ended = try dialect.literal(row[other.ended] ?? .null)
        let key = try dialect.literal(row[other.key] ?? .null)
        return " AND (j.\(other.ended) < \(ended) OR j.\(other.ended) = \(ended) "
            + "AND j.\(other.key) < \(key))"
    }

    /// A position in queue order.
    private struct Place {
        var condition: String
        var isIn: (TaskState.Name) throws -> Bool
    }

    /// The condition of rows after a task in queue order; `nil` if the task no longer exists.
    private func place(_ reference: String) throws -> Place? {
        guard let id = identifier(reference) else { return nil }
        let values = table.order.enumerated().map { "\($1.expression) AS o\($0)" }
        guard
            let row = try session.first(
                """
                SELECT \(RowTable.of("j", values.joined(separator: ", "))),
                \(display) AS display FROM \(table.table) j WHERE j.id = \(id)
                """)
        else { return nil }
        let display = Self.display(row)
        var (parts, equal) = ([String](), [String]())
        for (number, part) in table.order.enumerated() {
            let value = try dialect.literal(row["o\(number)"] ?? .null)
            let sign = part.isDescending ? "<" : ">"
            parts.append(
                (equal + ["\(part.expression) \(sign) \(value)"]).joined(separator: " AND "))
            equal.append("\(part.expression) = \(value)")
        }
        return Place(
            condition: "(\(parts.map { "(\($0))" }.joined(separator: " OR ")))",
            isIn: { display?.state == $0 })
    }

    /// The id of a reference as a statement has it; nil for what can be none.
    func identifier(_ reference: String) -> String? {
        if table.hasNumbers { return Int64(reference).map(String.init) }
        let digits = Set("0123456789abcdefABCDEF-")
        guard [32, 36].contains(reference.count), reference.allSatisfy(digits.contains) else {
            return nil
        }
        // Django logs an id with hyphens, and keeps it without them where it has no type for it.
        return dialect == .postgres
            ? "'\(reference)'" : "'\(reference.filter { $0 != "-" }.lowercased())'"
    }

    func row(_ reference: String, bytes: Int = detailBytes) throws -> JSONValue? {
        guard let id = identifier(reference) else { return nil }
        return try found("@id = \(id)", order: "@id", limit: 1, bytes: bytes).first
    }

    func otherRow(_ reference: String, _ other: OtherRows) throws -> JSONValue? {
        guard reference.hasPrefix(other.prefix) else { return nil }
        let key = String(reference.dropFirst(other.prefix.count))
        guard let key = other.hasNumbers ? Int64(key).map(String.init) : try? dialect.literal(key)
        else { return nil }
        return try others(
            other, "j.\(other.key) = \(key)", limit: 1, bytes: Self.detailBytes
        ).first
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        if let row = try row(reference) { return detail(row) }
        for other in table.others {
            guard let row = try otherRow(reference, other) else { continue }
            let content = other.read(row)
            var detail = ForeignDetail(task: otherTask(row, other), payload: content.payload)
            detail.fields = Self.fields(row, without: other.large)
            detail.attempts = Self.attempts(
                content, 1, other.display, at: RowClock.date.moment(row[other.ended]))
            return detail
        }
        return nil
    }

    /// The rows of a page of the main table in one question, the others one by one.
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        let ids = tasks.compactMap { identifier($0.reference) }
        guard !ids.isEmpty else { return try tasks.map { try detail($0.reference) } }
        let rows = try found(
            "@id IN (\(ids.joined(separator: ", ")))", order: "@id", limit: ids.count,
            bytes: Self.detailBytes)
        let known = Dictionary(
            rows.map { (Self.text($0["id"]), $0) }, uniquingKeysWith: { first, _ in first })
        return try tasks.map { task in
            try known[task.reference].map(detail)
                ?? (identifier(task.reference) == nil ? detail(task.reference) : nil)
        }
    }

    private func detail(_ row: JSONValue) -> ForeignDetail {
        let content = table.read(row)
        var detail = ForeignDetail(task: task(row, content), payload: content.payload)
        detail.fields = Self.fields(row, without: table.large)
        detail.attempts = Self.attempts(
            content, detail.task.attempts ?? 1, detail.task.display, at: detail.task.endedAt)
        return detail
    }

    /// The last attempt, if the system keeps any of it.
    private static func attempts(
        _ content: RowContent, _ number: Int, _ display: ForeignTask.Display, at end: Timestamp?
    ) -> [ForeignAttempt] {
        guard content.fullError != nil || end != nil else { return [] }
        var attempt = ForeignAttempt(number: max(1, number))
        switch display {
        case .failed: attempt.outcome = "giveUp"
        case .succeeded: attempt.outcome = "success"
        default: attempt.outcome = "retry"
        }
        attempt.error = content.fullError
        attempt.endedAt = end
        return [attempt]
    }

    private static func fields(_ row: JSONValue, without large: [String]) -> JSONObject {
        var fields = JSONObject()
        for pair in row.object?.pairs ?? []
        where !pair.value.isNull && !large.contains(pair.key) && !pair.key.hasPrefix("sluice_") {
            fields[pair.key] = pair.value
        }
        return fields
    }

    func holder(of detail: ForeignDetail) throws -> ForeignHolder? {
        guard detail.task.display.state == .running, let holder = table.holder,
            let row = try row(detail.task.reference, bytes: Self.pageBytes)
        else { return nil }
        return holder(row)
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        try timed.get(changes, by: clock, fits: { $0.limit == limit }) {
            let rows = try [table.isLater(dialect), table.isHeldLater(dialect)].compactMap { $0 }
                .flatMap { try found($0, order: "@\(table.time)", limit: limit) }
            return (limit: limit, timers: ForeignTimer.first(limit, of: rows.map(task)))
        }.timers
    }

    /// None of these systems keeps a list of its workers.
    func runners() throws -> [ForeignRunner] { [] }
}
