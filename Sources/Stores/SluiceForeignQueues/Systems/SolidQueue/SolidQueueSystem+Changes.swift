import SluiceModel

/// A job of Solid Queue with its row in a table of unfinished jobs.
struct SolidQueueImage {
    var job: JSONValue
    var place: SolidQueuePlace?
    var row: JSONValue?

    var id: String { RowSystem.text(job["id"]) }
    var queue: String { job["queue_name"]?.string ?? "" }
    var key: String? { job["concurrency_key"]?.string }

    /// The values that must be unchanged for an undo. A waiting job counts as unchanged if the
    /// dispatcher moved it.
    var version: String {
        let kind = place.map { $0.isWaiting ? "waiting" : $0.rawValue } ?? "none"
        return [
            kind, job["finished_at"]?.text ?? "", job["arguments"]?.text ?? "",
        ].joined(separator: " ")
    }

    var record: JSONValue {
        [
            "job": job, "place": JSONValue(place?.rawValue), "row": row ?? .null,
        ]
    }
}

extension SolidQueueSystem {
    func change(
        _ reference: String, _ change: ForeignChange, by author: ForeignAuthor
    ) throws -> ForeignAnswer {
        rows.forget()
        try check(change.verb)
        let detail = try require(reference)
        try check(change.verb, on: detail.task)
        guard let id = rows.identifier(reference) else { throw QueueError.notLegal("it has no id") }
        try session.checkTransactions(
            on: Set(SolidQueuePlace.allCases.map(\.table) + [rows.table.table]))
        try rows.makeChangesTable()
        return try session.transaction {
            guard let image = try image(id),
                try rows.row(reference).map(rows.task)?.display
                    == detail.task.display
            else { throw QueueError.changedMeanwhile }
            let consequences = try perform(change, image)
            try rows.keep(
                reference, change.verb, rows.table.table, before: image.record,
                after: .string(try self.image(id)?.version ?? ""), author)
            return ForeignAnswer(changed: [reference], consequences: consequences)
        }
    }

    /// A job and its row, both locked for the transaction, so that no worker or dispatcher takes
    /// it.
    func image(_ id: String) throws -> SolidQueueImage? {
        guard
            let job = try session.first(
                "SELECT * FROM solid_queue_jobs WHERE id = \(id)\(dialect.locking)")
        else { return nil }
        for place in SolidQueuePlace.allCases {
            let row = try session.first(
                "SELECT * FROM \(place.table) WHERE job_id = \(id)\(dialect.locking)")
            if let row { return SolidQueueImage(job: job, place: place, row: row) }
        }
        return SolidQueueImage(job: job)
    }

    /// Gives the consequences.
    private func perform(_ change: ForeignChange, _ image: SolidQueueImage) throws -> [String] {
        let id = image.id
        switch change {
        case .skip, .unskip:
            let name = change == .skip ? image.queue + Self.skipMark : image.queue
            try setReady(id, "queue_name = \(try dialect.literal(name))")
            try tidy(image.queue)
            return change == .skip ? ["it is set aside until it is unskipped"] : []
        case .delete:
            try giveBack(image)
            try takeOut(id)
            try session.changeOne("DELETE FROM solid_queue_jobs WHERE id = \(id)")
            try tidy(image.queue)
        case .retry:
            try takeOut(id)
            try set(id, "scheduled_at = \(dialect.now(.date)), \(try countsAnew(image.job))")
            try schedule(id, dialect.now(.date))
            return ["the dispatcher of Solid Queue brings it, usually within a second"]
        case .edit(let value):
            guard value.object != nil else {
                throw QueueError(
                    .badValue, "the payload is no object",
                    fix: "give all of it, as sluice show has it")
            }
            try set(id, "arguments = \(try dialect.literal(value.text))")
        case .postpone(let moment):
            try giveBack(image)
            try takeOut(id)
            let time = dialect.literal(moment, .date)
            try set(id, "scheduled_at = \(time)")
            try schedule(id, time)
            // The dispatcher makes the job ready with the job's priority, not with that of a move.
            let (own, moved) = (image.job["priority"], image.row?["priority"])
            if let own, let moved, own != moved {
                return ["its move ends: its priority is \(RowSystem.text(own)) again"]
            }
        case .priority(let number):
            let setting = "priority = \(Int32(clamping: number))"
            for place in SolidQueuePlace.allCases where place.isWaiting {
                _ = try session.changed("UPDATE \(place.table) SET \(setting) WHERE job_id = \(id)")
            }
            try set(id, setting)
        case .move(let place):
            try setReady(id, "priority = \(try edge(place, image.queue))")
            return ["its place is made by its priority"]
        }
        return []
    }

    private func set(_ id: String, _ values: String) throws {
        try session.changeOne(
            "UPDATE solid_queue_jobs SET \(values), updated_at = \(dialect.now(.date)) "
                + "WHERE id = \(id)")
    }

    private func setReady(_ id: String, _ values: String) throws {
        try session.changeOne(
            "UPDATE \(SolidQueuePlace.ready.table) SET \(values) WHERE job_id = \(id)")
    }

    /// Pauses the name for skipped tasks while there are any.
    private func tidy(_ queue: String) throws {
        let aside = queue + Self.skipMark
        let left = try session.first(
            """
            SELECT 1 AS n FROM \(SolidQueuePlace.ready.table)
            WHERE queue_name = \(try dialect.literal(aside)) LIMIT 1
            """)
        if left == nil { try unpause(aside) } else { try pause(aside) }
    }

    /// Deletes the job's rows from the tables of waiting and failed jobs.
    private func takeOut(_ id: String) throws {
        for place in SolidQueuePlace.allCases where place != .claimed {
            _ = try session.changed("DELETE FROM \(place.table) WHERE job_id = \(id)")
        }
    }

    /// Releases the share of a concurrency key that a ready or running job has: the next blocked
    /// job becomes ready, or the semaphore increases.
    func giveBack(_ image: SolidQueueImage) throws {
        guard [.ready, .claimed].contains(image.place),
            let key = try image.key.map({ try dialect.literal($0) })
        else { return }
        let (blocked, ready) = (SolidQueuePlace.blocked.table, SolidQueuePlace.ready.table)
        let next = try session.first(
            """
            SELECT * FROM \(blocked) WHERE concurrency_key = \(key) AND job_id <> \(image.id)
            ORDER BY priority, job_id LIMIT 1\(dialect.locking)
            """)
        guard let next else {
            _ = try session.changed(
                """
                UPDATE solid_queue_semaphores SET value = value + 1,
                updated_at = \(dialect.now(.date)) WHERE \(dialect.name("key")) = \(key)
                """)
            return
        }
        let columns = try ["job_id", "queue_name", "priority"].map {
            try dialect.literal(next[$0] ?? .null)
        }
        try session.changeOne(
            """
            INSERT INTO \(ready) (job_id, queue_name, priority, created_at)
            VALUES (\(columns.joined(separator: ", ")), \(dialect.now(.date)))
            """)
        try session.changeOne("DELETE FROM \(blocked) WHERE id = \(RowSystem.text(next["id"]))")
    }

    /// The dispatcher makes the job ready, within the concurrency of its key.
    private func schedule(_ id: String, _ moment: String) throws {
        try session.changeOne(
            """
            INSERT INTO \(SolidQueuePlace.scheduled.table)
            (job_id, queue_name, priority, scheduled_at, created_at)
            SELECT j.id, j.queue_name, j.priority, \(moment), \(dialect.now(.date))
            FROM solid_queue_jobs j WHERE j.id = \(id)
            """)
    }

    /// The counts of Active Job begin anew, as by its own retry.
    private func countsAnew(_ job: JSONValue) throws -> String {
        let text = job["arguments"]?.string ?? ""
        guard var arguments = (try? JSONValue.parse(text))?.object else {
            return "arguments = arguments"
        }
        if arguments["executions"] != nil { arguments["executions"] = 0 }
        if arguments["exception_executions"] != nil {
            arguments["exception_executions"] = .object(JSONObject())
        }
        return "arguments = \(try dialect.literal(JSONValue.object(arguments).text))"
    }

    /// The priority before or after all ready jobs of a queue.
    private func edge(_ place: ForeignPlace, _ queue: String) throws -> Int64 {
        let found = try session.first(
            """
            SELECT min(priority) AS low, max(priority) AS high FROM \(SolidQueuePlace.ready.table)
            WHERE queue_name = \(try dialect.literal(queue))
            """)
        switch place {
        case .first: return max((found?["low"]?.integer ?? 0) - 1, Int64(Int32.min) + 1)
        case .last: return min((found?["high"]?.integer ?? 0) + 1, Int64(Int32.max))
        case .before, .after:
            throw QueueError.notLegal(
                "Solid Queue orders by priority and number",
                fix: "--first, --last, or sluice priority")
        }
    }

    func lastRecord(by person: String) throws -> ForeignRecord? {
        try rows.lastRecord(by: person)
    }

    func undoLast(by author: ForeignAuthor) throws -> ForeignUndone? {
        try rows.undoLast(by: author, reverting: revert)
    }

    /// Restores the job and its row. If the job has lost its share of the concurrency key, it is
    /// scheduled now, and the dispatcher makes it ready.
    private func revert(_ kept: JSONValue) throws {
        guard let record = kept["before_row"]?.string.flatMap({ try? JSONValue.parse($0) }),
            let job = record["job"], let left = kept["after_row"]?.string,
            let version = (try? JSONValue.parse(left))?.string
        else { throw QueueError.changedMeanwhile }
        let before = SolidQueueImage(
            job: job, place: record["place"]?.string.flatMap(SolidQueuePlace.init),
            row: record["row"])
        let id = before.id
        let now = try image(id)
        guard now?.version ?? "" == version else { throw QueueError.changedMeanwhile }
        if let now, before.place != .ready { try giveBack(now) }
        try takeOut(id)
        if now == nil {
            try rows.restore(job, into: rows.table.table)
        } else {
            let columns = try ["arguments", "priority", "scheduled_at", "updated_at"].map {
                "\($0) = \(try dialect.literal(job[$0] ?? .null))"
            }
            try session.changeOne(
                "UPDATE solid_queue_jobs SET \(columns.joined(separator: ", ")) WHERE id = \(id)")
        }
        switch before.place {
        case .ready where now?.place != .ready && before.key != nil:
            try schedule(id, dialect.now(.date))
        case .claimed, nil: break
        case let place?:
            if let row = before.row { try rows.restore(row, into: place.table) }
        }
        try tidy(before.queue)
    }
}

extension SolidQueueSystem {
    /// Its workers, with the names and the beginnings of names that they serve.
    func workers() throws -> [(runner: ForeignRunner, lists: [String])] {
        let running = Dictionary(
            grouping: try session.rows(
                "SELECT process_id, job_id FROM solid_queue_claimed_executions ORDER BY job_id"),
            by: { $0["process_id"]?.integer })
        return try session.rows(
            """
            SELECT id, name, hostname, pid, metadata, last_heartbeat_at
            FROM solid_queue_processes WHERE kind = 'Worker' ORDER BY id
            """
        ).map { row in
            let told = row["metadata"]?.string.flatMap { try? JSONValue.parse($0) }
            let lists = (told?["queues"]?.string ?? "*").split(separator: ",")
                .map { String($0.drop { $0 == " " }) }
            var runner = ForeignRunner(name: row["name"]?.string ?? "?", queues: [])
            runner.host = row["hostname"]?.string
            runner.processID = row["pid"]?.integer
            runner.slots = told?["thread_pool_size"]?.integer.map { Int(clamping: $0) }
            runner.heardAt = RowClock.date.moment(row["last_heartbeat_at"])
            runner.running = (running[row["id"]?.integer] ?? []).map {
                RowSystem.text($0["job_id"])
            }
            return (runner, lists)
        }
    }

    /// The workers. A worker of all queues lists none; a prefix such as `mail*` lists the matching
    /// queues.
    func runners() throws -> [ForeignRunner] {
        let workers = try workers()
        let isNeeded = workers.contains { $0.lists.contains { $0.hasSuffix("*") && $0 != "*" } }
        let known = isNeeded ? try rows.queues().map(\.name) : []
        return workers.map { worker in
            var runner = worker.runner
            guard !worker.lists.contains("*") else { return runner }
            let exact = worker.lists.filter { !$0.contains("*") }
            let begun = known.filter { name in
                worker.lists.contains { Self.serves($0, name) } && !exact.contains(name)
            }
            // An empty list would mean all queues.
            runner.queues = exact + begun
            if runner.queues.isEmpty { runner.queues = worker.lists }
            return runner
        }
    }

    /// Whether a name in a worker's list means a queue.
    static func serves(_ listed: String, _ queue: String) -> Bool {
        listed.hasSuffix("*")
            ? queue.utf8.starts(with: listed.utf8.dropLast()) : listed.isSame(as: queue)
    }

    func obstacle(of detail: ForeignDetail) throws -> String? {
        guard let id = rows.identifier(detail.task.reference) else { return nil }
        if let blocked = try session.first(
            "SELECT concurrency_key FROM \(SolidQueuePlace.blocked.table) WHERE job_id = \(id)")
        {
            return try keyTaken(blocked["concurrency_key"]?.string ?? "")
        }
        let late = try session.first(
            """
            SELECT 1 AS n FROM \(SolidQueuePlace.scheduled.table) s WHERE s.job_id = \(id)
            AND s.scheduled_at <= \(dialect.now(.date)) AND NOT EXISTS (
                SELECT 1 FROM solid_queue_processes p WHERE p.kind = 'Dispatcher')
            """)
        return late.map { _ in "its time has come, and no dispatcher of Solid Queue is there" }
    }

    private func keyTaken(_ key: String) throws -> String {
        let holder = try session.first(
            """
            SELECT min(k.id) AS id FROM solid_queue_jobs k
            WHERE k.concurrency_key = \(try dialect.literal(key)) AND k.finished_at IS NULL
            AND (EXISTS (SELECT 1 FROM \(SolidQueuePlace.claimed.table) e WHERE e.job_id = k.id)
            OR EXISTS (SELECT 1 FROM \(SolidQueuePlace.ready.table) e WHERE e.job_id = k.id))
            """)
        let by = holder?["id"]?.integer.map { " by #\($0)" } ?? ""
        return "its concurrency key \(JSONValue.string(key).text) is taken\(by)"
    }
}
