import SluiceModel
import SluiceSystem

/// huey with an SQLite file as its store: a table of tasks, which its consumer polls.
///
/// A hold renames the queue of its rows, and a trigger renames it in new rows. A step restores the
/// name of one row.
final class HueyFile: ForeignSystem {
    static let systemName = "huey"
    let rules = SystemRules.hueyFile
    let name = HueyFile.systemName
    let title = "huey"
    let file: SQLiteFile

    init(_ file: SQLiteFile) { self.file = file }

    static let form = TableForm(
        title: "huey", table: "task", needs: ["id", "queue", "data", "priority"],
        signs: [TableForm.Sign(table: "task", columns: ["queue", "data", "priority"])],
        companions: ["schedule", "kv"])

    static func isThere(_ file: SQLiteFile) throws -> Bool {
        let tables = try file.rows(
            """
            SELECT count(*) FROM sqlite_master WHERE type = 'table'
            AND name IN ('task', 'schedule', 'kv')
            """)
        return tables.first?.first == .integer(3)
    }

    static let heldPrefix = "sluice:held:"
    static let skippedPrefix = "sluice:skipped:"
    static let holds = "sluice_hold"
    static let undo = "sluice_undo"

    /// The name of a queue without what a hold or a skip put before it.
    static func plain(_ queue: String) -> (name: String, display: ForeignTask.Display) {
        if queue.hasPrefix(heldPrefix) { return (String(queue.dropFirst(heldPrefix.count)), .held) }
        if queue.hasPrefix(skippedPrefix) {
            return (String(queue.dropFirst(skippedPrefix.count)), .skipped)
        }
        return (queue, .due)
    }

    func hasTable(_ name: String) throws -> Bool {
        try !file.rows(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [.text(name)]
        ).isEmpty
    }

    func heldNow() throws -> [ExactText: ForeignHold] {
        guard try hasTable(Self.holds) else { return [:] }
        var found: [ExactText: ForeignHold] = [:]
        for row in try file.rows("SELECT queue, person, since, reason FROM \(Self.holds)") {
            guard let queue = row[0].text, let by = row[1].text, let since = row[2].integer else {
                continue
            }
            let note = HoldNote(
                by: by, since: Timestamp(milliseconds: since), reason: row[3].text)
            found[queue] = ForeignHold(note: note, recipe: "trigger")
        }
        return found
    }

    /// The maximum number of tasks whose messages a count reads.
    private static let countLimit = 1000

    func queues() throws -> [ForeignQueue] {
        var found: [ExactText: ForeignQueue] = [:]
        func with(_ name: String, _ change: (inout ForeignQueue) -> Void) {
            var queue = found[name] ?? ForeignQueue(name: name, system: self.name)
            change(&queue)
            found[name] = queue
        }
        var total = 0
        for row in try file.rows("SELECT queue, count(*) FROM task GROUP BY queue") {
            let (name, display) = Self.plain(row[0].text ?? "")
            total += Int(row[1].integer ?? 0)
            with(name) { $0.add(Int(row[1].integer ?? 0), display) }
        }
        for row in try file.rows("SELECT queue, count(*) FROM schedule GROUP BY queue") {
            total += Int(row[1].integer ?? 0)
            with(row[0].text ?? "") { $0.add(Int(row[1].integer ?? 0), .delayed) }
        }
        if total <= Self.countLimit {
            // Some of them are revoked, or have a time.
            for name in found.texts {
                var queue = ForeignQueue(name: name, system: self.name)
                for task in try page(
                    ForeignQuery(queue: name, state: .waiting, limit: Self.countLimit)
                ).tasks { queue.add(1, task.display) }
                found[name] = queue
            }
        }
        for row in try file.rows("SELECT DISTINCT queue FROM kv") {
            let name = row[0].text ?? ""
            let failed = try failed(name)
            with(name) { $0.add(failed.tasks.count, .failed, isBound: !failed.isAll) }
        }
        for (key, hold) in try heldNow() { with(key.text) { $0.hold = hold } }
        return found.values.sorted { $0.name.precedes($1.name) }
    }

    /// The waiting rows of a queue, in the order of taking.
    func rows(
        of queue: String, from start: Int, limit: Int
    ) throws -> [(row: Int64, task: ForeignTask)] {
        let names = ["\(Self.heldPrefix)\(queue)", queue, "\(Self.skippedPrefix)\(queue)"]
        let found = try file.rows(
            """
            SELECT id, queue, data, priority FROM task WHERE queue IN (?1, ?2, ?3)
            ORDER BY CASE queue WHEN ?1 THEN 0 WHEN ?2 THEN 0 ELSE 1 END, priority DESC, id
            LIMIT ?4 OFFSET ?5
            """, names.map { .text($0) } + [.integer(Int64(limit)), .integer(Int64(start))])
        return found.compactMap { row in
            guard let id = row[0].integer, let bytes = row[2].bytes else { return nil }
            let (_, display) = Self.plain(row[1].text ?? "")
            var task =
                HueyMessage(bytes)?.task(in: queue, display)
                ?? ForeignTask(reference: "row-\(id)", queue: queue, type: "?", display: display)
            task.priority = row[3].number.map { Int64($0) }
            return (id, task)
        }
    }

    /// The stored revocation of a message, in words.
    private func revocation(_ message: HueyMessage, in queue: String) throws -> String? {
        let now = Timestamp(milliseconds: SystemClock.nowMilliseconds())
        return try file.rows(
            "SELECT value FROM kv WHERE queue = ? AND key IN (?, ?)",
            [.text(queue), .text("r:\(message.id)"), .text("rt:\(message.name)")]
        ).compactMap { $0[0].bytes }.lazy.compactMap { HueyMessage.revocation($0, at: now) }.first
    }

    /// Adjusts the display: a revoked task becomes blocked, and a task with a later time delayed.
    func shown(_ tasks: [ForeignTask], isFirst: Bool) throws -> [ForeignTask] {
        let now = Timestamp(milliseconds: SystemClock.nowMilliseconds())
        let names = Set(
            try file.rows("SELECT queue, key FROM kv WHERE key LIKE 'r%:%'").compactMap {
                row in row[0].text.flatMap { queue in row[1].text.map { "\(queue) \($0)" } }
            })
        var tasks = tasks
        for place in tasks.indices where tasks[place].display != .skipped {
            tasks[place].showTime(at: now)
            let task = tasks[place]
            // A revocation by kind has a full name. Read the message only if the name's end
            // matches.
            let isNamed =
                names.contains("\(task.queue) r:\(task.reference)")
                || names.contains {
                    $0.hasPrefix("\(task.queue) rt:") && $0.hasSuffix(task.type)
                }
            guard isNamed, try obstacle(of: task) != nil else { continue }
            tasks[place].display = .blocked
        }
        if isFirst, let first = tasks.firstIndex(where: { $0.display == .due }) {
            tasks[first].display = .next
        }
        return tasks
    }

    private func obstacle(of task: ForeignTask) throws -> String? {
        try bytes(of: task.reference, in: task.queue).flatMap { HueyMessage($0) }
            .flatMap { try revocation($0, in: task.queue) }
    }

    private func bytes(of reference: String, in queue: String) throws -> [UInt8]? {
        if let place = try place(of: reference, in: queue) {
            return try file.rows("SELECT data FROM task WHERE id = ?", [.integer(place.row)])
                .first?[0].bytes
        }
        return try scheduled(queue, limit: 1000).first { $0.1.reference.isSame(as: reference) }
            .flatMap { row, _ in
                try file.rows("SELECT data FROM schedule WHERE id = ?", [.integer(row)])
                    .first?[0].bytes
            }
    }

    func obstacle(of detail: ForeignDetail) throws -> String? {
        guard detail.task.display.state == .waiting else { return nil }
        return try obstacle(of: detail.task)
    }

    func scheduled(_ queue: String?, limit: Int) throws -> [(Int64, ForeignTask)] {
        try file.rows(
            """
            SELECT id, queue, data, timestamp FROM schedule WHERE ?1 IS NULL OR queue = ?1
            ORDER BY timestamp LIMIT ?2
            """, [queue.map { .text($0) } ?? .null, .integer(Int64(limit))]
        ).compactMap { row in
            guard let id = row[0].integer, let name = row[1].text, let bytes = row[2].bytes else {
                return nil
            }
            var task =
                HueyMessage(bytes)?.task(in: name, .delayed)
                ?? ForeignTask(reference: "row-\(id)", queue: name, type: "?", display: .delayed)
            task.notBefore = row[3].number.flatMap(ForeignTime.moment(seconds:))
            return (id, task)
        }
    }

    func page(_ query: ForeignQuery) throws -> ForeignPage {
        if query.state == .failed {
            return ForeignPage(first: query.limit, of: try failed(query.queue).tasks)
        }
        guard query.state == nil || query.state == .waiting else {
            return ForeignPage(tasks: [], more: false)
        }
        var start = 0
        if let after = query.after {
            start = (try place(of: after, in: query.queue)?.order ?? -1) + 1
        }
        let waiting = try rows(of: query.queue, from: start, limit: query.limit + 1).map(\.task)
        let timed = try scheduled(query.queue, limit: query.limit + 1).map(\.1)
        let all = waiting + (query.after == nil || waiting.count < query.limit ? timed : [])
        let shown = try shown(Array(all.prefix(query.limit)), isFirst: start == 0)
        guard query.state == nil, all.count <= query.limit else {
            return ForeignPage(tasks: shown, more: all.count > query.limit)
        }
        return ForeignPage(first: query.limit, of: shown + (try failed(query.queue).tasks))
    }

    /// The row of a task, and its place in the order.
    func place(of reference: String, in queue: String) throws -> (row: Int64, order: Int)? {
        var start = 0
        while true {
            let piece = try rows(of: queue, from: start, limit: 1000)
            if let index = piece.firstIndex(where: { $0.task.reference.isSame(as: reference) }) {
                return (piece[index].row, start + index)
            }
            if piece.count < 1000 { return nil }
            start += 1000
        }
    }

    func timers(limit: Int) throws -> [ForeignTimer] {
        try scheduled(nil, limit: limit).compactMap { _, task in
            task.notBefore.map { ForeignTimer(task: task, at: $0) }
        }
    }

    /// A task with a time is among those that wait until a consumer looks at it.
    func listedTimers(limit: Int) throws -> [ForeignTimer] {
        let tasks = try queues().flatMap { queue in
            try shown(rows(of: queue.name, from: 0, limit: limit).map(\.task), isFirst: true)
        }
        return ForeignTimer.first(limit, of: tasks.filter { $0.display == .delayed })
    }

    /// huey keeps no list of its consumers.
    func runners() throws -> [ForeignRunner] { [] }

    let listsRunners = false
    let listsEmptyQueues = false

    func isHeld(_ queue: String) throws -> Bool { try heldNow()[queue] != nil }

    func detail(_ reference: String) throws -> ForeignDetail? {
        let queues = try queues()
        for queue in queues {
            if let place = try place(of: reference, in: queue.name) {
                return try detail(of: "task", place.row, queue.name)
            }
            let timed = try scheduled(queue.name, limit: 1000)
            if let found = timed.first(where: { $0.1.reference.isSame(as: reference) }) {
                return try detail(of: "schedule", found.0, queue.name, found.1)
            }
        }
        for queue in queues {
            if let detail = try failure(reference, in: queue.name) { return detail }
        }
        return nil
    }

    private func detail(
        of table: String, _ row: Int64, _ queue: String, _ task: ForeignTask? = nil
    ) throws -> ForeignDetail? {
        let priority = table == "task" ? "priority" : "NULL"
        guard
            let found = try file.rows(
                "SELECT queue, data, \(priority) FROM \(table) WHERE id = ?", [.integer(row)]
            ).first, let bytes = found[1].bytes
        else { return nil }
        let display = task?.display ?? Self.plain(found[0].text ?? "").display
        guard let message = HueyMessage(bytes) else {
            let payload = ForeignPayload(
                bytes: bytes, format: "unknown", value: nil,
                whyFixed: "it is no message that could be read; it may be signed")
            return ForeignDetail(
                task: ForeignTask(
                    reference: "row-\(row)", queue: queue, type: "?", display: display),
                payload: payload)
        }
        var detail = ForeignDetail(
            task: message.task(in: queue, display), payload: message.payload)
        if let task { detail.task.notBefore = task.notBefore }
        // Consumers take by the row's priority.
        if let number = found[2].number { detail.task.priority = Int64(number) }
        detail.task = try shown([detail.task], isFirst: false)[0]
        detail.fields = message.fields
        return detail
    }
}
