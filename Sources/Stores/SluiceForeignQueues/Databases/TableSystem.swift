import SluiceModel

/// A system whose tasks are rows of a table, held by a trigger.
final class TableSystem: ForeignSystem {
    let table: JobTable
    let desk: SQLDesk
    var name: String { table.name }

    init(_ table: JobTable, _ desk: SQLDesk) {
        self.table = table
        self.desk = desk
    }

    let listsEmptyQueues = false
    var listsRunners: Bool { table.workers != nil }

    /// A fragment of a row `j`.
    func row(_ fragment: String) -> String { JobTable.of("j", fragment) }

    private var shownQueue: String { row(table.shownQueue ?? "@\(table.queue)") }

    func queues() throws -> [ForeignQueue] {
        let holds = try HoldForm.holds(table, desk)
        let rows = try desk.rows(
            """
            SELECT \(shownQueue) AS queue, j.display, j.n FROM (
                SELECT j.\(table.queue), \(row(table.display)) AS display, count(*) AS n
                FROM \(table.table) j GROUP BY 1, 2) j
            """)
        var found: [String: ForeignQueue] = [:]
        for row in rows {
            guard let name = row["queue"]?.string else { continue }
            var queue = found[name] ?? ForeignQueue(name: name, system: self.name)
            let count = Int(row["n"]?.integer ?? 0)
            switch row["display"]?.string.flatMap(ForeignTask.Display.init) {
            case .due, .next, .blocked: queue.waiting += count
            case .held:
                queue.held += count
                queue.waiting += count
            case .skipped: queue.skipped += count
            case .delayed, .retrying: queue.delayed += count
            case .running: queue.running += count
            case .succeeded: queue.succeeded += count
            case .failed: queue.failed += count
            case .cancelled, nil: break
            }
            found[name] = queue
        }
        for (name, one) in holds {
            found[name, default: ForeignQueue(name: name, system: self.name)].hold = one
        }
        return found.values.sorted { $0.name < $1.name }
    }

    private var columns: String {
        func milliseconds(_ time: String) -> String {
            "(extract(epoch FROM \(row(time))) * 1000)::bigint"
        }
        let optional = [
            ("priority", table.priority), ("most", table.attemptLimit), ("error", table.error),
        ].map { "\($0.1.map(row) ?? "NULL") AS \($0.0)" }
        return """
            j.id::text AS id, \(shownQueue) AS queue, \(row(table.type)) AS type,
            \(row(table.attempts)) AS attempts, \(optional.joined(separator: ", ")),
            \(row(table.display)) AS display, \(row(table.payload.shown)) AS shown,
            \(milliseconds("(\(table.hold.due))")) AS due,
            \(table.created.map(milliseconds) ?? "NULL") AS created,
            (extract(epoch FROM now()) * 1000)::bigint AS now
            """
    }

    func tasks(_ condition: String, _ order: String, _ limit: Int) throws -> [ForeignTask] {
        try desk.rows(
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
        if display.state == .waiting, let due = row["due"]?.integer, due > row["now"]?.integer ?? 0
        {
            task.notBefore = Timestamp(milliseconds: due)
        }
        task.error = row["error"]?.string?.split(whereSeparator: \.isNewline).last.map(String.init)
        task.label = row["shown"]?.string
        return task
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        let limit = query.limit + 1
        let isIn = try table.isIn(query.queue, desk)
        let defaults: [TaskState.Name] = [.running, .waiting, .failed]
        var found: [ForeignTask] = []
        for state in defaults + [.succeeded, .deleted] where found.count < limit {
            guard query.state == state || (query.state == nil && defaults.contains(state)) else {
                continue
            }
            let displays = ForeignTask.Display.allCases.filter { $0.state == state }
                .map { "'\($0.rawValue)'" }
            var condition =
                "\(isIn) AND \(table.mayBe(state)) AND (\(table.display)) IN "
                + "(\(displays.joined(separator: ", ")))"
            // What has ended comes the newest one first.
            let isQueue = state == .waiting || state == .running
            let (order, place) = isQueue ? (table.order, table.place) : ("@id DESC", "@id")
            if let after = query.after.flatMap(identifier) {
                guard state == query.state ?? .waiting else { continue }
                condition += """
                     AND (\(place)) \(isQueue ? ">" : "<")
                    (SELECT \(JobTable.of("a", place)) FROM \(table.table) a WHERE a.id = \(after))
                    """
            }
            found += try tasks(condition, order, limit - found.count)
        }
        return ForeignPage(tasks: Array(found.prefix(query.limit)), more: found.count > query.limit)
    }

    /// The id of a reference as a statement has it; nil for what can be none.
    func identifier(_ reference: String) -> String? {
        if table.idType == "bigint" { return Int64(reference).map(String.init) }
        let digits = Set("0123456789abcdefABCDEF-")
        guard reference.count == 36, reference.allSatisfy(digits.contains) else { return nil }
        return "'\(reference)'::uuid"
    }

    func detail(_ reference: String) throws -> ForeignDetail? {
        guard let id = identifier(reference),
            let task = try tasks("@id = \(id)", "@id", 1).first,
            let found = try desk.rows(
                """
                SELECT \(row(table.payload.text)) AS payload,
                to_jsonb(j) - '\(table.payload.column)' AS fields FROM \(table.table) j
                WHERE j.id = \(id)
                """
            ).first
        else { return nil }
        var detail = ForeignDetail(task: task, payload: payload(found["payload"]?.string))
        for pair in found["fields"]?.object?.pairs ?? [] where !pair.value.isNull {
            detail.fields[pair.key] = pair.value
        }
        detail.attempts = try executions(id)
        return detail
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
                return ForeignPayload(
                    bytes: bytes, format: "bytes", value: nil, whyFixed: "its bytes are no text")
            }
            return ForeignPayload(bytes: bytes, format: "text", value: .string(text))
        }
    }

    private func executions(_ id: String) throws -> [ForeignAttempt] {
        guard let question = table.executions?(id) else { return [] }
        return try desk.rows(question).enumerated().map { index, row in
            var attempt = ForeignAttempt(number: index + 1)
            attempt.startedAt = row["started"]?.integer.map { Timestamp(milliseconds: $0) }
            attempt.endedAt = row["ended"]?.integer.map { Timestamp(milliseconds: $0) }
            attempt.outcome = row["outcome"]?.string
            attempt.error = row["error"]?.string
            attempt.runner = row["runner"]?.string
            return attempt
        }
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        try tasks(
            "\(table.mayBe(.waiting)) AND (\(table.display)) IN ('delayed', 'retrying')",
            "@\(table.hold.time)", limit
        ).compactMap { task in task.notBefore.map { ForeignTimer(task: task, at: $0) } }
    }

    func runners() throws -> [ForeignRunner] {
        guard let question = table.workers else { return [] }
        return try desk.rows(question).map { row in
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
