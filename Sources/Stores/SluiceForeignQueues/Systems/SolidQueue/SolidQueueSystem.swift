import SluiceModel

/// Solid Queue. A hold is Solid Queue's own pause, which stops every worker for that queue name. A
/// step renames the queue in one task's row to a name that the workers also serve. The job keeps
/// its queue name, so a retry is held again.
final class SolidQueueSystem: ForeignSystem {
    /// The generic reader of its tables.
    let rows: TableSystem
    var session: SQLSession { rows.session }
    var name: String { rows.name }
    var title: String { rows.title }

    init(_ rows: TableSystem) { self.rows = rows }

    /// Suffixes of a queue name for skipped and stepped tasks.
    static let skipMark = "~sluice-skipped"
    static let stepMark = "~sluice-step"
    /// A pause of an unused name: it records the holder of a queue.
    private static let noteMark = "sluice holds "

    let listsEmptyQueues = false
    let listsRunners = true

    func page(_ query: ForeignQuery) throws -> ForeignPage { try rows.page(query) }
    func timers(limit: Int) throws -> [ForeignTimer] { try rows.timers(limit: limit) }
    func detail(_ reference: String) throws -> ForeignDetail? { try rows.detail(reference) }
    func holder(of detail: ForeignDetail) throws -> ForeignHolder? {
        try rows.holder(of: detail)
    }
    func details(of tasks: [ForeignTask]) throws -> [ForeignDetail?] {
        try rows.details(of: tasks)
    }

    func queues() throws -> [ForeignQueue] { try stopped(try rows.queues()) }
    func queuesSoon() throws -> [ForeignQueue] { try stopped(try rows.queuesSoon()) }
    func stamp() throws -> String? { try rows.stamp() }

    private func stopped(_ counted: [ForeignQueue]) throws -> [ForeignQueue] {
        let pauses = try pauses()
        var queues = counted
        for name in pauses.holds.texts where !queues.contains(where: { $0.name.isSame(as: name) }) {
            queues.append(ForeignQueue(name: name, system: self.name))
        }
        for index in queues.indices { Self.stop(&queues[index], by: pauses) }
        return queues.sorted { $0.name.precedes($1.name) }
    }

    func stops(of queue: String) throws -> ForeignQueue? {
        var found = ForeignQueue(name: queue, system: name)
        Self.stop(&found, by: try pauses())
        return found
    }

    private static func stop(
        _ queue: inout ForeignQueue,
        by pauses: (holds: [ExactText: ForeignHold], own: [ExactText: Timestamp])
    ) {
        queue.hold = pauses.holds[queue.name]
        guard let since = pauses.own[queue.name], queue.hold == nil else { return }
        queue.ownPause = "since \(TimeText.rfc3339(since))"
    }

    /// The holds from here, and every pause with its moment.
    func pauses() throws -> (holds: [ExactText: ForeignHold], own: [ExactText: Timestamp]) {
        var holds: [ExactText: ForeignHold] = [:]
        var own: [ExactText: Timestamp] = [:]
        for row in try session.rows(
            """
            SELECT p.queue_name AS name, (extract(epoch FROM p.created_at) * 1000)::bigint AS since
            FROM solid_queue_pauses p
            """)
        {
            guard let text = row["name"]?.string else { continue }
            own[text] = Timestamp(milliseconds: row["since"]?.integer ?? 0)
            guard text.hasPrefix(Self.noteMark),
                let note = try? JSONValue.parse(String(text.dropFirst(Self.noteMark.count))),
                let queue = note["queue"]?.string, let by = note["by"]?.string,
                let since = note["since"]?.integer
            else { continue }
            let kept = HoldNote(
                by: by, since: Timestamp(milliseconds: since), reason: note["reason"]?.string)
            holds[queue] = ForeignHold(note: kept, recipe: "its own pause")
        }
        // A hold whose pause was ended from outside has ended too.
        return (holds.filter { own[$0.key] != nil }, own)
    }

    static func noted(_ queue: String, _ note: HoldNote) -> String {
        let words: JSONValue = [
            "queue": .string(queue), "by": .string(note.by),
            "since": .integer(note.since.milliseconds), "reason": JSONValue(note.reason),
        ]
        return noteMark + words.text
    }

    /// Whether the name of a pause is a note about a queue.
    static func isNote(_ column: String, of queue: String) throws -> String {
        let words = "(substring(\(column) FROM \(noteMark.utf8.count + 1)))"
        return """
            CASE WHEN \(column) LIKE '\(noteMark)%' THEN
            \(words)::jsonb->>'queue' = \(try SQLSession.literal(queue)) ELSE false END
            """
    }

    /// Its workers, with the names and the beginnings of names that they serve.
    func workers() throws -> [(runner: ForeignRunner, lists: [String])] {
        try session.rows(
            """
            SELECT p.name, p.hostname AS host, p.pid, p.metadata,
            (extract(epoch FROM p.last_heartbeat_at) * 1000)::bigint AS heard,
            (SELECT json_agg(e.job_id) FROM solid_queue_claimed_executions e
                WHERE e.process_id = p.id) AS running
            FROM solid_queue_processes p WHERE p.kind = 'Worker' ORDER BY p.id
            """
        ).map { row in
            let told = row["metadata"]?.string.flatMap { try? JSONValue.parse($0) }
            let lists = (told?["queues"]?.string ?? "*").split(separator: ",")
                .map { String($0.drop { $0 == " " }) }
            var runner = ForeignRunner(name: row["name"]?.string ?? "?", queues: [])
            runner.host = row["host"]?.string
            runner.processID = row["pid"]?.integer
            runner.slots = told?["thread_pool_size"]?.integer.map { Int(clamping: $0) }
            runner.heardAt = row["heard"]?.integer.map { Timestamp(milliseconds: $0) }
            runner.running = (row["running"]?.array ?? []).compactMap { value in
                value.integer.map { String($0) }
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
            // None that is there is not all.
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
}
