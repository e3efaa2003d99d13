import SluiceModel
import SluiceSystem

extension RowSystem {
    /// The number of rows that a hold reads in one query, and the number that it moves in one
    /// transaction.
    private static var lookSize: Int { 50_000 }
    private static var partSize: Int { 1000 }
    /// How long a step looks for a failure or a retry after a task's row has disappeared.
    private static var traceMilliseconds: Int64 { 400 }

    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        forget()
        try checkHold(queue)
        let former = try holds()[queue]
        guard former == nil || former?.leak != nil else { throw QueueError.heldAlready(queue) }
        // A hold that a person began and did not end stays theirs.
        let note = former?.note ?? note
        try makeHoldsTable()
        try session.transaction { try sayHold(queue, note, .begins) }
        do {
            let isWhole = try session.triggers().isSuperset(of: triggerNames(queue))
            if !isWhole { try session.transaction { try makeTriggers(queue) } }
        } catch {
            if former == nil {
                try session.transaction {
                    let made = try session.triggers().intersection(triggerNames(queue))
                    if !made.isEmpty { try dropTriggers(queue) }
                    try forgetHold(queue)
                }
            }
            throw error
        }
        let away = table.hold.moved(from: .free, to: .held, dialect)
        let moved = try QueueError.unfinishedHold(of: queue) {
            let moved = try each(of: queue, table.isMovable(dialect), away)
            try session.transaction { try sayHold(queue, note, nil) }
            return moved
        }
        let maker = try session.maker().map {
            "its trigger runs as \($0): without that account inserts of the app fail until resume"
        }
        return ForeignAnswer(
            consequences: ["\(moved) put aside"] + table.risks + [maker].compactMap(\.self))
    }

    /// Throws the reason if the queue cannot be held.
    private func checkHold(_ queue: String) throws {
        let length = table.hold.length(queue)
        let room = try length.flatMap { _ in
            try session.room(in: table.hold.column, of: table.table)
        }
        guard queue.utf8.count <= RowHold.longestName, length ?? 0 <= room ?? Int.max else {
            throw QueueError.notLegal("the name of the queue is too long to be held")
        }
        try session.checkTriggers(on: table.table, setting: table.hold.column)
        try session.checkLateTimes(in: table.hold.column, of: table.table)
        try session.checkTransactions(on: [table.table])
    }

    /// Ends a hold; without one it gives back what a tool that died left aside.
    func release(_ queue: String) throws -> ForeignAnswer {
        forget()
        let found = try holds()[queue]
        let isIn = try table.isIn(queue, dialect)
        if found == nil {
            let left = try self.found("\(isIn) AND \(table.isHeld)", order: "@id", limit: 1)
            guard !left.isEmpty else { throw QueueError.notHeld(queue) }
        }
        if let found { try session.transaction { try sayHold(queue, found.note, .ends) } }
        try session.transaction { try dropTriggers(queue) }
        let back = table.hold.moved(from: .held, to: .free, dialect)
        let moved = try each(of: queue, table.isHeld, back)
        if found != nil { try session.transaction { try forgetHold(queue) } }
        return ForeignAnswer(consequences: ["\(moved) given back to \(queue)"])
    }

    /// Sets the column of the hold for all rows of a queue that fit, the next ones first, part by
    /// part; gives their number.
    private func each(of queue: String, _ condition: String, _ value: String) throws -> Int {
        let isIn = RowTable.of("j", try table.isIn(queue, dialect))
        let column = dialect.name(table.hold.column)
        var moved = 0
        while true {
            let ids = try session.rows(
                """
                SELECT j.id FROM \(table.table) j WHERE \(isIn) AND \(RowTable.of("j", condition))
                ORDER BY \(RowTable.of("j", table.fetchOrder)) LIMIT \(Self.lookSize)
                """
            ).compactMap { identifier(Self.text($0["id"])) }
            var changed = 0
            for start in stride(from: 0, to: ids.count, by: Self.partSize) {
                let part = ids[start..<min(start + Self.partSize, ids.count)]
                changed += try session.transaction {
                    try session.changed(
                        """
                        UPDATE \(table.table) SET \(column) = \(RowTable.of(table.table, value))
                        WHERE id IN (\(part.joined(separator: ", ")))
                        AND \(RowTable.of(table.table, condition))
                        """)
                }
            }
            moved += changed
            guard changed > 0 else { return moved }
        }
    }

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        forget()
        guard try holds()[queue] != nil else { throw QueueError.notHeldYet(queue) }
        guard let row = try steppable(queue, task) else { return nil }
        let content = table.read(row)
        let found = self.task(row, content)
        guard let id = identifier(found.reference) else { return nil }
        let column = dialect.name(table.hold.column)
        let began = SystemClock.monotonicMilliseconds()
        let through = RowTable.of(table.table, table.hold.through(dialect))
        let former = try dialect.literal(row[table.hold.column] ?? .null)
        let again = try againAfterNow(content)
        try session.transaction {
            try session.changeOne(
                """
                UPDATE \(table.table) SET \(column) = \(through)
                WHERE id = \(id) AND \(RowTable.of(table.table, table.isHeld))
                """)
        }
        return try followed(found, content, again: again, began, limits) {
            try session.transaction {
                try session.changed(
                    """
                    UPDATE \(table.table)
                    SET \(column) = \(former)
                    WHERE id = \(id) AND \(RowTable.of(table.table, table.isFree))
                    """) == 1
            }
        }
    }

    /// The condition of a row that comes after now and is another attempt of a job. A search of the
    /// older rows takes seconds in a large table, and a copy of the job among them is no attempt.
    private func againAfterNow(_ content: RowContent) throws -> String? {
        guard let again = table.again, let identity = content.identity else { return nil }
        let last = try session.first("SELECT max(id) AS id FROM \(table.table)")
        let newest = identifier(Self.text(last?["id"])) ?? "0"
        return "\(try again(identity, dialect)) AND @id > \(newest)"
    }

    /// The held row of a step, the next one unless one is named; `nil` if none is held.
    func steppable(_ queue: String, _ reference: String?) throws -> JSONValue? {
        if let reference {
            let isIn = try table.isIn(queue, dialect)
            guard let id = identifier(reference),
                let row = try self.found(
                    "@id = \(id) AND \(isIn)", order: "@id", limit: 1, bytes: Self.detailBytes
                ).first
            else { return nil }
            let display = Self.display(row, "sluice_display") ?? .blocked
            guard display == .held else {
                throw rules.refusal(of: .step, on: display)?.error(reference)
                    ?? .notLegal("task \(reference) is not held")
            }
            return row
        }
        let isIn = try table.isIn(queue, dialect)
        let isDue = table.isHeldLater(dialect).map { " AND NOT (\($0))" } ?? ""
        return try found(
            "\(isIn) AND \(table.isHeld)\(isDue)", order: table.fetchOrder, limit: 1,
            bytes: Self.detailBytes
        ).first
    }

    /// Waits for the end of a task that a step let through. If no worker takes it, `bringBack`
    /// returns it to its place, or returns false if a worker has taken it.
    func followed(
        _ task: ForeignTask, _ content: RowContent, again: String? = nil, _ began: Int64,
        _ limits: StepLimits, bringBack: () throws -> Bool
    ) throws -> ForeignStep {
        var step = ForeignStep(task: task, outcome: nil, error: nil, milliseconds: 0)
        var pause = 2
        while true {
            step.milliseconds = SystemClock.monotonicMilliseconds() - began
            let now = try row(task.reference, bytes: Self.pageBytes).map(self.task)
            switch now?.display {
            case nil:
                try trace(&step, content, again)
                return step
            case .held, .left, .retrying, .delayed, .skipped:
                (step.outcome, step.error) = ("retry", now?.error)
                return step
            case .due, .next, .blocked:
                if step.milliseconds >= limits.takeMilliseconds, try bringBack() {
                    throw QueueError.nobodyTook(task)
                }
            case .taken, .running:
                if step.milliseconds >= limits.endMilliseconds {
                    step.note = "a worker took it; it has not ended yet"
                    return step
                }
            case .succeeded:
                step.outcome = "success"
                return step
            case .failed:
                (step.outcome, step.error) = ("giveUp", now?.error)
                return step
            case .cancelled:
                step.outcome = "cancelled"
                return step
            }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: pause)
            pause = min(pause * 2, 50)
        }
    }

    /// Finds the outcome of a task whose row no longer exists.
    private func trace(
        _ step: inout ForeignStep, _ content: RowContent, _ again: String?
    ) throws {
        guard let identity = content.identity, !table.others.isEmpty else {
            step.note = "it ran and was removed; \(title) keeps nothing of its end"
            return
        }
        let deadline = SystemClock.monotonicMilliseconds() + Self.traceMilliseconds
        while true {
            for other in table.others {
                guard let row = try others(other, other.isSame(identity, dialect), limit: 1).first
                else { continue }
                step.outcome = other.read(row).isFailure ? "giveUp" : "success"
                step.error = other.read(row).error
                return
            }
            if let again, try !found(again, order: "@id", limit: 1).isEmpty {
                step.outcome = "retry"
                return
            }
            guard SystemClock.monotonicMilliseconds() < deadline else { break }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: 20)
        }
        guard table.others.allSatisfy({ $0.display == .failed }) else {
            step.note = "it ran and was removed; \(title) keeps nothing of its end"
            return
        }
        step.outcome = "success"
        step.note = "its row was removed, and \(table.others[0].table) has no failure of it"
    }
}

extension RowSystem {
    /// The maximum duration of a first count that is followed by a larger one.
    private static var quickMilliseconds: Int64 { 12 }

    func counted() throws -> [ForeignQueue] {
        var found: [ExactText: ForeignQueue] = [:]
        func with(_ name: String, _ change: (inout ForeignQueue) -> Void) {
            var queue = found[name] ?? ForeignQueue(name: name, system: self.name)
            change(&queue)
            found[name] = queue
        }
        let (rows, limit) = try counts {
            counting(table.table, table.queue, display, table.created, limit: $0)
        }
        let isAll = Self.total(rows) <= limit
        for row in rows {
            guard let display = Self.display(row) else { continue }
            let count = min(Int(clamping: row["n"]?.integer ?? 0), limit)
            with(shown(row["queue"])) {
                $0.add(count, display, isBound: !isAll)
                guard [.due, .next, .held].contains(display),
                    let moment = table.clock.moment(row["oldest"])
                else { return }
                $0.oldest = min($0.oldest ?? moment, moment)
            }
        }
        if !isAll {
            for row in try session.rows(
                "SELECT DISTINCT j.\(table.queue) AS queue FROM \(table.table) j")
            { with(shown(row["queue"])) { _ in } }
            // The rows that were not counted may be in any state.
            for name in Array(found.keys) { found[name]?.bounds = Set(ForeignCount.allCases) }
        }
        for other in table.others { try count(other) { with($0, $1) } }
        for (key, hold) in try holds() { with(key.text) { $0.hold = hold } }
        let pauses = try ownPauses()
        for (key, reason) in pauses.single { with(key.text) { $0.ownPause = reason } }
        if let all = pauses.all { for name in Array(found.keys) { found[name]?.ownPause = all } }
        return found.values.sorted { $0.name.precedes($1.name) }
    }

    private func count(
        _ other: OtherRows, _ with: (String, (inout ForeignQueue) -> Void) -> Void
    ) throws {
        let (rows, limit) = try counts {
            counting(
                other.table, other.queue, "'\(other.display.rawValue)'", nil,
                RowTable.of("j", other.condition), limit: $0)
        }
        let isAll = Self.total(rows) <= limit
        for row in rows {
            let count = min(Int(clamping: row["n"]?.integer ?? 0), limit)
            with(shown(row["queue"])) { $0.add(count, other.display, isBound: !isAll) }
        }
    }

    /// The rows of a question for counts, and the limit that they keep to.
    private func counts(_ question: (Int) -> String) throws -> (rows: [JSONValue], limit: Int) {
        let began = SystemClock.monotonicMilliseconds()
        let rows = try session.rows(question(countLimits.first))
        let took = SystemClock.monotonicMilliseconds() - began
        guard Self.total(rows) > countLimits.first, took <= Self.quickMilliseconds else {
            return (rows, countLimits.first)
        }
        return (try session.rows(question(countLimits.most)), countLimits.most)
    }

    private static func total(_ rows: [JSONValue]) -> Int {
        rows.reduce(0) { $0 + Int(clamping: $1["n"]?.integer ?? 0) }
    }

    private func counting(
        _ table: String, _ queue: String, _ display: String, _ created: String?,
        _ condition: String = "1 = 1", limit: Int
    ) -> String {
        """
        SELECT queue, display, count(*) AS n, min(created) AS oldest FROM (
        SELECT j.\(queue) AS queue, \(display) AS display,
        \(created.map { "j.\($0)" } ?? "NULL") AS created FROM \(table) j WHERE \(condition)
        LIMIT \(limit + 1)) c GROUP BY queue, display
        """
    }
}
