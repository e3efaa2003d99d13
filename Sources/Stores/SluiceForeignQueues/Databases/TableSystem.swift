import SluiceModel
import SluiceSystem

/// A system whose tasks are rows of a table, held by a trigger.
final class TableSystem: ForeignSystem {
    let table: JobTable
    let session: SQLSession
    /// The rules of its table; they depend on the schema's version.
    package let rules: SystemRules
    var name: String { table.name }
    var title: String { table.title }

    init(_ table: JobTable, _ session: SQLSession) {
        self.table = table
        self.session = session
        rules = .table(table)
    }

    let listsEmptyQueues = false
    var listsRunners: Bool { table.workers != nil }

    /// A fragment of a row `j`.
    func row(_ fragment: String) -> String { JobTable.of("j", fragment) }

    var shownQueue: String { row(table.shownQueue ?? "@\(table.queue)") }

    private var tallied = LongAnswer<(patience: Int64, counts: [Counted], isSmall: Bool)>()
    private var timed = LongAnswer<(limit: Int, tasks: [ForeignTask])>()
    private var ended: [TaskState.Name: LongAnswer<(query: ForeignQuery, page: ForeignPage)>] = [:]
    /// The number of rows that one transaction holds or releases.
    var partSize = 1000
    /// The bound of a count of running or failed tasks if a full count takes too long.
    var bound: Int64 = 10_000

    /// The counts of all queues take so long at most where a person waits for the first rows, and
    /// where not.
    private static let (shortMilliseconds, fullMilliseconds): (Int64, Int64) = (40, 250)

    func queues() throws -> [ForeignQueue] { try queues(within: Self.fullMilliseconds) }
    func queuesSoon() throws -> [ForeignQueue] { try queues(within: Self.shortMilliseconds) }

    private func queues(within milliseconds: Int64) throws -> [ForeignQueue] {
        let holds = try HoldStrategy.holds(table, session)
        // A count with a shorter time limit does not answer a request with a longer one.
        let all = try tallied.get(
            session.changes, fits: { $0.patience >= milliseconds }, small: { $0.isSmall }
        ) {
            let (counts, isSmall) = try tally(within: milliseconds)
            return (patience: milliseconds, counts: counts, isSmall: isSmall)
        }.counts
        var found: [ExactText: ForeignQueue] = [:]
        for one in all {
            found[one.queue, default: ForeignQueue(name: one.queue, system: name)].add(one)
        }
        for (key, one) in holds {
            found[key, default: ForeignQueue(name: key.text, system: name)].hold = one
        }
        for (key, reason) in try ownPauses() {
            found[key, default: ForeignQueue(name: key.text, system: name)].ownPause = reason
        }
        return found.values.sorted { $0.name.precedes($1.name) }
    }

    func stamp() throws -> String? { table.isSaidByRows ? try session.stamp() : nil }

    /// Its hold and its own pause, without its counts.
    func stops(of queue: String) throws -> ForeignQueue? {
        var found = ForeignQueue(name: queue, system: name)
        found.hold = try HoldStrategy.holds(table, session)[queue]
        found.ownPause = try ownPauses()[queue]
        return found
    }

    /// The queues that the system itself has paused, each with its reason.
    private func ownPauses() throws -> [ExactText: String] {
        guard let question = table.pauses, try hasTables(question.needs) else { return [:] }
        var found: [ExactText: String] = [:]
        for row in try session.rows(question.sql) {
            guard let queue = row["queue"]?.string else { continue }
            found[queue] = row["reason"]?.string ?? ""
        }
        return found
    }

    private var columns: String {
        func milliseconds(_ time: String) -> String {
            "(extract(epoch FROM \(row(time))) * 1000)::bigint"
        }
        let ends = Set(table.newest.values).sorted().joined(separator: ", ")
        let ended = ends.isEmpty ? nil : "coalesce(\(ends))"
        let optional = [
            ("priority", table.priority), ("most", table.attemptLimit), ("error", table.error),
        ].map { "\($0.1.map(row) ?? "NULL") AS \($0.0)" }
        return """
            j.id::text AS id, \(shownQueue) AS queue, \(row(table.type)) AS type,
            \(row(table.attempts)) AS attempts, \(optional.joined(separator: ", ")),
            \(row(table.display)) AS display, \(row(table.payload.shown)) AS shown,
            \(milliseconds("(\(table.hold.due))")) AS due,
            \(table.created.map(milliseconds) ?? "NULL") AS created,
            \(ended.map(milliseconds) ?? "NULL") AS ended,
            \(table.started.map(milliseconds) ?? "NULL") AS started,
            (extract(epoch FROM now()) * 1000)::bigint AS now
            """
    }

    func tasks(_ condition: String, _ order: String, _ limit: Int) throws -> [ForeignTask] {
        try session.rows(
            """
            SELECT \(columns) FROM \(table.table) j WHERE \(row(condition))
            ORDER BY \(row(order)) LIMIT \(limit)
            """
        ).map(Self.task)
    }

    private static func task(_ row: JSONValue) -> ForeignTask {
        let display = row["display"]?.string.flatMap(ForeignTask.Display.init) ?? .blocked
        var task = ForeignTask(
            reference: row["id"]?.string ?? "?", queue: row["queue"]?.string ?? "",
            type: row["type"]?.string ?? "?", display: display)
        task.priority = row["priority"]?.integer
        task.attempts = row["attempts"]?.integer.map { Int(clamping: $0) }
        task.attemptLimit = row["most"]?.integer.map { Int(clamping: $0) }
        task.createdAt = row["created"]?.integer.map { Timestamp(milliseconds: $0) }
        task.endedAt = row["ended"]?.integer.map { Timestamp(milliseconds: $0) }
        if display == .running {
            task.startedAt = row["started"]?.integer.map { Timestamp(milliseconds: $0) }
        }
        if display.state == .waiting, let due = row["due"]?.integer, due > row["now"]?.integer ?? 0
        {
            task.notBefore = Timestamp(milliseconds: due)
        }
        task.error = row["error"]?.string?.split(whereSeparator: \.isNewline).last.map(String.init)
        task.label = row["shown"]?.string
        return task
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        guard let state = query.state, state != .waiting, state != .running else {
            return try read(query)
        }
        return try ended[state, default: LongAnswer()].get(
            session.changes, fits: { $0.query == query }
        ) {
            (query: query, page: try read(query))
        }.page
    }

    private func read(_ query: ForeignQuery) throws -> ForeignPage {
        let limit = query.limit + 1
        let isIn = try table.isIn(query.queue, session)
        let defaults: [TaskState.Name] = [.running, .waiting, .failed]
        var found: [ForeignTask] = []
        for state in defaults + [.succeeded, .deleted] where found.count < limit {
            guard query.state == state || (query.state == nil && defaults.contains(state)) else {
                continue
            }
            // Sort finished tasks newest first.
            let isQueue = state == .waiting || state == .running
            let newest = table.newest[state].map { ("\($0) DESC, @id DESC", "\($0), @id") }
            let (order, place) =
                isQueue ? (table.order, table.place) : newest ?? ("@id DESC", "@id")
            var (parts, behind) = (table.parts(state)[...], "")
            if let after = query.after.flatMap(identifier) {
                guard state == query.state ?? .waiting else { continue }
                parts = try self.parts(parts, from: after)
                behind = """
                     AND (\(place)) \(isQueue ? ">" : "<")
                    (SELECT \(JobTable.of("a", place)) FROM \(table.table) a WHERE a.id = \(after))
                    """
            }
            for part in parts where found.count < limit {
                found += try tasks("\(isIn) AND \(part)\(behind)", order, limit - found.count)
                behind = ""
            }
        }
        return ForeignPage(tasks: Array(found.prefix(query.limit)), more: found.count > query.limit)
    }

    /// The remaining parts of a list, from the part that contains the task; empty if the task no
    /// longer exists.
    private func parts(_ parts: ArraySlice<String>, from id: String) throws -> ArraySlice<String> {
        let cases = parts.enumerated().map { "WHEN \(row($1)) THEN \($0)" }
        let place = try session.rows(
            """
            SELECT CASE \(cases.joined(separator: " ")) END AS part FROM \(table.table) j
            WHERE j.id = \(id)
            """
        ).first?["part"]?.integer
        return place.map { parts.dropFirst(Int($0)) } ?? []
    }

    /// The id of a reference as a statement has it; nil for what can be none.
    func identifier(_ reference: String) -> String? {
        if table.idType == "bigint" { return Int64(reference).map(String.init) }
        let digits = Set("0123456789abcdefABCDEF-")
        guard reference.count == 36, reference.allSatisfy(digits.contains) else { return nil }
        return "'\(reference)'::uuid"
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        guard let id = identifier(reference) else { return nil }
        return try details([id]).first
    }

    /// The rows of a page and their executions, in one question.
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        let found = try details(tasks.compactMap { identifier($0.reference) })
        let known = Dictionary(
            found.map { (ExactText($0.task.reference), $0) },
            uniquingKeysWith: { first, _ in first })
        return tasks.map { known[$0.reference] }
    }

    private func details(_ ids: [String]) throws -> [ForeignDetail] {
        guard !ids.isEmpty else { return [] }
        let executions =
            table.executions.map {
                "(SELECT json_agg(row_to_json(execution)) FROM (\($0("told.own"))) execution)"
            } ?? "NULL"
        return try session.rows(
            """
            SELECT told.*, \(executions) AS executions FROM (
                SELECT \(columns), j.id AS own, \(row(table.payload.text)) AS payload,
                to_jsonb(j) - '\(table.payload.column)' AS fields FROM \(table.table) j
                WHERE j.id IN (\(ids.joined(separator: ", ")))) told
            """
        ).map { row in
            var detail = ForeignDetail(
                task: Self.task(row), payload: payload(row["payload"]?.string))
            for pair in row["fields"]?.object?.pairs ?? [] where !pair.value.isNull {
                detail.fields[pair.key] = pair.value
            }
            detail.attempts = (row["executions"]?.array ?? []).enumerated().map(Self.attempt)
            return detail
        }
    }

    func obstacle(of detail: ForeignDetail) throws -> String? {
        if detail.task.display == .left {
            return try identifier(detail.task.reference).flatMap(hindrance)
        }
        guard let question = table.obstacle, let id = identifier(detail.task.reference),
            try hasTables(question.needs)
        else { return nil }
        return try session.rows(question.sql(id)).first?["reason"]?.string
    }

    func holder(of detail: ForeignDetail) throws -> ForeignHolder? {
        let reference = detail.task.reference
        guard let question = table.holder, let id = identifier(reference),
            detail.task.display.state == .running,
            let row = try session.rows(question.sql(id)).first
        else { return nil }
        let worker = row["worker"]?.string
        func moment(_ key: String) -> Timestamp? {
            row[key]?.integer.map { Timestamp(milliseconds: $0) }
        }
        guard worker != nil || moment("since") != nil || table.rescuing != nil else { return nil }
        return ForeignHolder(
            worker: worker, since: moment("since"), heardAt: moment("heard"),
            advice: question.advice(reference, worker ?? ""))
    }

    /// Whether all of these tables exist; some versions lack them.
    func hasTables(_ names: [String]) throws -> Bool {
        let known = names.map { "to_regclass('\($0)') IS NOT NULL" }
        let all = (["true"] + known).joined(separator: " AND ")
        return try session.rows("SELECT \(all) AS there").first?["there"]?.bool == true
    }

    private func payload(_ text: String?) -> ForeignPayload {
        switch table.payload {
        case .json:
            let bytes = Array((text ?? "").utf8)
            return ForeignPayload(bytes: bytes, format: "json", value: try? JSONValue.parse(bytes))
        case .bytes:
            let plain = text.map { $0.split(whereSeparator: \.isNewline).joined() }
            guard let bytes = plain.flatMap(Base64.decode) else {
                return ForeignPayload(bytes: [], format: "none", value: .null)
            }
            if let value = try? JSONValue.parse(bytes) {
                return ForeignPayload(bytes: bytes, format: "json", value: value)
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                let message = ProtobufReader.value(bytes)
                return ForeignPayload(
                    bytes: bytes, format: message == nil ? "bytes" : "protobuf", value: message,
                    whyFixed: "its bytes are no text")
            }
            return ForeignPayload(bytes: bytes, format: "text", value: .string(text))
        }
    }

    private static func attempt(_ index: Int, _ row: JSONValue) -> ForeignAttempt {
        var attempt = ForeignAttempt(number: index + 1)
        attempt.startedAt = row["started"]?.integer.map { Timestamp(milliseconds: $0) }
        attempt.endedAt = row["ended"]?.integer.map { Timestamp(milliseconds: $0) }
        attempt.outcome = row["outcome"]?.string
        attempt.error = row["error"]?.string
        attempt.runner = row["runner"]?.string
        return attempt
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        let found = try timed.get(session.changes, fits: { $0.limit == limit }) {
            // Omit overdue tasks: they wait only for their system.
            let later = "@\(table.hold.time) > now()"
            let found = try table.timed.flatMap { condition -> [ForeignTask] in
                // An index may have the times: of the rows only those are read that come first.
                let fits = "(\(condition)) AND \(later)\(table.shows([.delayed, .retrying]))"
                let first = "ORDER BY @\(table.hold.time) LIMIT \(limit)"
                return try tasks(
                    "@id IN (SELECT @id FROM \(table.table) j WHERE \(fits) \(first))",
                    "@\(table.hold.time)", limit)
            }.sorted { ($0.notBefore ?? .unknown) < ($1.notBefore ?? .unknown) }.prefix(limit)
            return (limit: limit, tasks: Array(found))
        }
        return found.tasks.compactMap { task in
            task.notBefore.map { ForeignTimer(task: task, at: $0) }
        }
    }

    func newerEdition() throws -> String? {
        guard let edition = table.edition, try hasTables(edition.needs),
            let version = try session.rows(edition.sql).first?["version"]?.string.flatMap({
                Int64($0)
            }
            ),
            version > edition.newest
        else { return nil }
        return "its tables are of version \(version), and those up to \(edition.newest) are known"
    }

    func runners() throws -> [ForeignRunner] {
        guard let question = table.workers else { return [] }
        return try session.rows(question.sql).map { row in
            var runner = ForeignRunner(
                name: row["name"]?.string ?? "?",
                queues: (row["queues"]?.array ?? []).compactMap(\.string))
            runner.host = row["host"]?.string
            runner.processID = row["pid"]?.integer
            runner.slots = row["slots"]?.integer.map { Int(clamping: $0) }
            runner.heardAt = row["heard"]?.integer.map { Timestamp(milliseconds: $0) }
            runner.running = (row["running"]?.array ?? []).compactMap {
                $0.string ?? $0.integer.map(String.init)
            }
            return runner
        }
    }
}

extension ForeignQueue {
    fileprivate mutating func add(_ one: TableSystem.Counted) {
        add(one.count, one.display, isEstimate: one.isEstimate, isBound: one.isBound)
        if [.due, .next, .held].contains(one.display), let moment = one.oldest {
            oldest = min(oldest ?? moment, moment)
        }
        if let moment = one.startedAt { startedAt = max(startedAt ?? moment, moment) }
    }
}
