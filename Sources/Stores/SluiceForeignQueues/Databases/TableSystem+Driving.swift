import SluiceModel
import SluicePlatform
import SluicePostgresClient

extension TableSystem {
    /// How long a worker must have been silent.
    private static let silentMilliseconds: Int64 = 60_000

    package func reclaim(_ reference: String) throws -> ForeignAnswer {
        let detail = try require(reference)
        try check(.reclaim, on: detail.task)
        guard let rescuing = table.rescuing, let id = identifier(reference) else {
            return ForeignAnswer()
        }
        let holder = try holder(of: detail)
        try checkSilence(of: holder, with: reference, for: Self.silentMilliseconds)
        try session.run(try rescuing.sql(id, holder?.worker ?? ""))
        guard try self.detail(reference)?.task.display.state != .running else {
            throw QueueError(
                .changed, "task \(reference) still runs",
                fix: "look at it: sluice \(ShellWord.command("why", reference))")
        }
        return ForeignAnswer(
            changed: [reference], consequences: rescuing.effect.map { [$0] } ?? [])
    }

    func hold(_ queue: String, _ note: HoldNote) throws -> ForeignAnswer {
        try check(.pause)
        let mine = try session.rows(
            """
            SELECT has_table_privilege('\(table.table)', 'TRIGGER') AS trigger,
            has_table_privilege('\(table.table)', 'UPDATE') AS change,
            has_schema_privilege(current_schema(), 'CREATE') AS make
            """
        ).first
        guard mine?["trigger"]?.bool == true, mine?["change"]?.bool == true,
            mine?["make"]?.bool == true
        else {
            throw QueueError.mayMakeNoTrigger(table.table)
        }
        let former = try HoldStrategy.holds(table, session)[queue]
        guard former == nil || former?.leak != nil else {
            throw QueueError.heldAlready(queue)
        }
        // Continue an unfinished hold with its original note.
        let note = former?.note ?? note
        try session.change(
            former == nil
                ? try table.hold.beginning(table, queue, note, session)
                : try HoldStrategy.saying(table, queue, note, .begins))
        let moved = try QueueError.unfinishedHold(of: queue) {
            let moved = try putAside(queue)
            try session.change(try HoldStrategy.saying(table, queue, note, nil))
            return moved
        }
        let loose = try looseIndexes().map { index in
            "the unique index \(index) depends on what a hold sets: a job with the key of a held "
                + "one can come in, and resume then names both"
        }
        let kept = try sentences(moved.kept, "is not put aside and may run")
        return ForeignAnswer(
            consequences: ["\(moved.count) put aside"] + kept + table.risks + loose)
    }

    /// Ends a hold; without one it gives back the rows that an earlier end kept.
    func release(_ queue: String) throws -> ForeignAnswer {
        let found = try HoldStrategy.holds(table, session)[queue]
        guard try found != nil || hasHeld(queue) else { throw QueueError.notHeld(queue) }
        if let found {
            try session.change(try HoldStrategy.saying(table, queue, found.note, .ends))
        }
        let first = try giveBack(queue)
        let last = try endHold(queue, without: first.kept)
        let kept = first.kept + last.kept
        var answer = ForeignAnswer(
            consequences: ["\(first.count + last.count) given back to \(queue)"])
        guard let one = kept.first else { return answer }
        answer.consequences += try sentences(kept, "stays aside")
        let resume = ShellWord.command("resume", queue)
        answer.consequences.append(
            "sluice \(resume) tries again when those jobs have ended; "
                + "sluice \(ShellWord.command("delete", one.id)) gives \(one.id) up")
        return answer
    }

    /// Sentences about the rows that a hold cannot move; the first ones name the conflict.
    private func sentences(_ kept: [Kept], _ consequence: String) throws -> [String] {
        let told = try kept.prefix(Self.toldOfKept).map { one in
            let reason = try reason(one).text.map { ": \($0)" } ?? ""
            return "#\(one.id) \(consequence)\(reason)"
        }
        let more = kept.count - told.count
        return more > 0 ? told + ["\(more) more: the same"] : told
    }
    private static let toldOfKept = 5

    func step(_ queue: String, task: String?, limits: StepLimits) throws -> ForeignStep? {
        guard try HoldStrategy.holds(table, session)[queue] != nil else {
            throw QueueError.notHeldYet(queue)
        }
        guard let found = try steppable(queue, task), let id = identifier(found.reference) else {
            return nil
        }
        let began = SystemClock.monotonicMilliseconds()
        try explaining(found.reference) {
            try session.change(
                """
                SELECT set_config('sluice.release', '1', true);
                \(SQLSession.requireRow(
                    """
                    UPDATE \(table.table) j SET \(row(table.hold.letting))
                    WHERE j.id = \(id) AND \(row(table.hold.isHeld(table.ready)))
                    """));
                \(try table.waking(queue, found.reference))
                """)
        }
        return try followed(found, id, began, limits) {
            try self.bringBack(found, id)
            return true
        }
    }

    func steppable(_ queue: String, _ reference: String?) throws -> ForeignTask? {
        if let reference {
            guard let task = try detail(reference)?.task, task.queue.isSame(as: queue) else {
                return nil
            }
            guard task.display == .held else {
                throw rules.refusal(of: .step, on: task.display)?.error(reference)
                    ?? .notLegal("task \(reference) is not held")
            }
            return task
        }
        let page = try page(ForeignQuery(queue: queue, state: .waiting, limit: 200))
        return page.tasks.first { $0.display == .held }
    }

    /// Waits for the end of a task that a step let through. If no worker takes it, `bringBack`
    /// returns it to its place, or returns false if a worker has taken it.
    func followed(
        _ task: ForeignTask, _ id: String, _ began: Int64, _ limits: StepLimits,
        bringBack: () throws -> Bool
    ) throws -> ForeignStep {
        var step = ForeignStep(task: task, outcome: nil, error: nil, milliseconds: 0)
        var pause = 2
        while true {
            step.milliseconds = SystemClock.monotonicMilliseconds() - began
            let now = try tasks("@id = \(id)", "@id", 1).first
            switch now?.display {
            // Its worker deletes it when it has ended.
            case nil:
                let last = try table.ending.map { try session.rows($0(id)).first } ?? nil
                (step.outcome, step.error) = (last?["outcome"]?.string, last?["error"]?.string)
                if step.outcome == nil { step.note = "it ran and was removed" }
                return step
            case .held, .left, .retrying, .delayed, .skipped:
                (step.outcome, step.error) = ("retry", now?.error)
                return step
            case .due, .next, .blocked:
                if step.milliseconds >= limits.takeMilliseconds, try bringBack() {
                    throw QueueError.notLegal(
                        "no worker of \(task.queue) took \(task.reference); it waits in its place",
                        fix: "sluice workers shows the workers")
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
            pause = min(pause * 2, 100)
        }
    }

    /// Out of reach again, by the trigger, with the time that it had.
    private func bringBack(_ task: ForeignTask, _ id: String) throws {
        let same = table.hold.watched.map { "\($0) = j.\($0)" }
        let time =
            try task.notBefore.map { ["\(table.hold.time) = \(try SQLSession.moment($0))"] } ?? []
        let others = same.filter { time.isEmpty || !$0.hasPrefix("\(table.hold.time) =") }
        try session.change(
            SQLSession.requireRow(
                """
                UPDATE \(table.table) j SET \((time + others).joined(separator: ", "))
                WHERE j.id = \(id) AND \(row(table.ready))
                """))
    }
}
