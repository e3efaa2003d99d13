import SluiceModel
import SluiceStore

/// `undo` and `redo` revert the person's last verb, a named event, or an undo (D9). They change
/// only tasks whose fields are still as the verb left them, at any version, and name the others.
struct TakingBack {
    let context: VerbContext

    func undo(_ event: Int64?, newestOf own: [Int64] = []) throws {
        if let rest = context.slice.restOfUndo { return try undoSlice(try find(rest)) }
        let target = try event.map(find) ?? newestStanding(of: own) ?? lastVerb()
        let slices = try context.store.undoable(.slices(ofBulk: target.bulk ?? target.sequence))
        guard let newest = slices.first, newest != target.sequence || slices.count > 1 else {
            return try undoWholeEvent(target, isNamed: event != nil)
        }
        context.undoRest = Array(slices.dropFirst())
        try undoSlice(try find(newest))
    }

    /// Takes back the last undo of this person, unless the person did something else since.
    func redo() throws {
        if let rest = context.slice.restOfUndo { return try undo(rest) }
        guard let target = try context.store.lastUndoable(by: context.person, isUndo: true) else {
            throw QueueError.notLegal(
                "\(context.person) has nothing to redo", fix: "redo takes back an undo")
        }
        try refuseWhenActedSince(target)
        try undo(target.sequence)
    }

    /// Reverts a verb with a single commit.
    private func undoWholeEvent(_ target: JournalEvent, isNamed: Bool) throws {
        if target.undoneBy == nil { try refuseLost(target) }
        if let by = target.undoneBy {
            throw QueueError.notLegal(
                "event \(target.sequence) was already undone by event \(by)",
                fix: "sluice log shows what there is")
        }
        guard let record = target.undo else { throw lasting(target) }
        if target.kind == "undo", record.isOfRestore { try context.refuseProtected("restores") }
        do {
            try revert(record, of: target)
        } catch let error as QueueError where error.isRefusal && !isNamed {
            return try passOver(target, error)
        } catch let error as QueueError where error.code == .protected && !isNamed {
            // The user can undo it after the store's protection ends.
            throw QueueError(
                error.code, "\(target.text): \(error.message)",
                fix: "\(error.fix); sluice undo EVENT takes back another verb, of sluice log")
        }
        try recordUndone(target)
    }

    /// The error for a verb without an undo.
    private func lasting(_ target: JournalEvent) -> QueueError {
        let what = "event \(target.sequence) (\(target.kind)) cannot be undone"
        switch target.kind {
        case "protect":
            return .notLegal("\(what): \(VerbContext.protectionWords)", fix: context.endsProtection)
        case "unprotect":
            return .notLegal("\(what): \(VerbContext.protectionWords)", fix: context.protects)
        case "checkpointRemove":
            return .notLegal(
                "\(what): \(target.text)",
                fix: "its images are deleted: only one between an older and a newer one comes back")
        default:
            return .notLegal(
                what, fix: "its effects stay: only a verb with undo in its answer can be undone")
        }
    }

    /// Takes back a verb; throws, with nothing changed, if nothing of it can be taken back.
    private func revert(_ record: UndoRecord, of target: JournalEvent) throws {
        let later = LaterImages(context.store, since: target)
        try restoreQueue(record, later)
        try restoreStorePauses(record, later)
        try endRun(record, of: target)
        try restoreBreakpoints(record)
        try restoreFaults(record)
        try restoreClock(record)
        try restoreImages(record)
        try restoreSchedules(record)
        try restoreCheckpoints(record, of: target)
        try restoreFilters(record)
        try restore(record, later)
        var besideTasks = record
        besideTasks.tasks = []
        if context.answer.changed.isEmpty, besideTasks.isEmpty {
            throw context.answer.failed.first?.error
                ?? QueueError.notLegal("nothing of it can be undone")
        }
    }

    /// Marks a verb that cannot be undone, so the next `undo` reaches the earlier verb. The answer
    /// remains the error.
    private func passOver(_ target: JournalEvent, _ error: QueueError) throws {
        let sequence = try context.journal(
            "undo", queue: target.queue, "not undone: \(target.text)", undo: nil,
            script: VerbScript.passedOver)
        try context.store.markUndone(target.sequence, by: sequence)
        context.answer = Answer()
        context.answer.refusal = QueueError(
            error.code, "\(target.text): \(error.message)",
            fix: "the next undo takes the verb before it; sluice log shows what happened")
    }

    /// Takes back one slice of a bulk. The bulk is undone as one: if nothing of the slice can be
    /// taken back any more, the others still are.
    private func undoSlice(_ target: JournalEvent) throws {
        // Another process may have undone it first.
        guard target.undoneBy == nil else { return }
        try refuseLost(target)
        guard let record = target.undo else { return }
        try restore(record, LaterImages(context.store, since: target))
        try recordUndone(target)
    }

    /// Throws if the images before the verb are gone.
    private func refuseLost(_ target: JournalEvent) throws {
        guard target.hasLostImages else { return }
        let kept = SizeText.compact(Int(try context.store.storeRecord().journalBytes))
        throw QueueError.notLegal(
            "event \(target.sequence) (\(target.text)) is too long ago to be undone: of the states "
                + "before the verbs the newest \(kept) are kept",
            fix: "sluice init --journal SIZE keeps more from now on")
    }

    private func recordUndone(_ target: JournalEvent) throws {
        let isRedo = target.kind == "undo"
        // Keep one prefix, `undone` or `redone`, after repeated undos.
        let former = ["undo": "undone", "redo": "redone"][target.kind]
        var text = target.text
        if let former, text.hasPrefix("\(former) by \(target.by): ") {
            text.removeFirst("\(former) by \(target.by): ".count)
        }
        var record = try context.mutation.undoRecord(withQueue: target.undo?.queue?.name)
        let images = context.images
        record.storePausesBefore = images.storePausesBefore
        record.breakpoints = images.breakpoints
        record.faults = images.faults
        record.clock = images.clock
        record.queues = images.queues
        record.results = images.results
        record.network = images.network
        record.schedules = images.schedules
        record.checkpoints = images.checkpoints
        record.filters = images.filters
        record.isOfRestore = target.kind == "restore" || target.undo?.isOfRestore == true
        let event = try context.journal(
            isRedo ? "redo" : "undo", queue: target.queue,
            "\(isRedo ? "redone" : "undone") by \(context.person): \(text)", undo: record,
            script: script(of: target))
        try context.store.markUndone(target.sequence, by: event)
        context.answer.takenBack = Answer.TakenBack(
            event: target.bulk ?? target.sequence, by: target.by, text: text, entry: event,
            isRedo: isRedo)
        if !isRedo { context.answer.undo = nil }
    }

    /// The lines of a shell that take the event back again (G7); nil for those of the verb. Each
    /// slice of a bulk is a separate verb in a script.
    private func script(of target: JournalEvent) -> String? {
        if VerbScript.isComment(target.script) {
            return VerbScript.comment(onUndoOf: target.sequence)
        }
        guard (context.slice.verb.order as? UndoVerb)?.event != nil else { return nil }
        return VerbScript(at: context.now).lines(of: .undo(event: target.sequence))
    }

    private func find(_ event: Int64) throws -> JournalEvent {
        guard let found = try context.store.event(event) else {
            throw QueueError(
                .badValue, "there is no event \(event)", fix: "sluice log shows them")
        }
        return found
    }

    /// The newest of some verbs not yet fully undone.
    private func newestStanding(of own: [Int64]) throws -> JournalEvent? {
        try own.last { try !context.store.undoable(.slices(ofBulk: $0)).isEmpty }.map(find)
    }

    private func lastVerb() throws -> JournalEvent {
        guard let last = try context.store.lastUndoable(by: context.person, isUndo: false) else {
            throw QueueError.notLegal(
                "\(context.person) has nothing to undo",
                fix: "undo EVENT names another person's verb")
        }
        return last
    }

    /// A new verb ends what `redo` could bring.
    private func refuseWhenActedSince(_ undo: JournalEvent) throws {
        var query = JournalQuery(limit: 1000, withUndo: false)
        query.after = undo.sequence
        while true {
            let page = try context.store.journal(query)
            for case .event(let event) in page
            where event.by == context.person
                && !["undo", "redo", JournalEvent.step].contains(event.kind)
            {
                throw QueueError.notLegal(
                    "\(context.person) has nothing to redo: \(event.text)",
                    fix: "a new verb ends what redo could bring")
            }
            guard let last = page.last, page.count == query.limit else { return }
            query.after = last.sequence
        }
    }

    private func restoreStorePauses(_ record: UndoRecord, _ later: LaterImages) throws {
        guard let pauses = record.storePausesBefore else { return }
        var record = try context.store.storeRecord()
        if let left = try later.storePauses(), left != record.pauses {
            throw QueueError(
                .changed, "the store's pauses changed since", fix: "sluice log shows how")
        }
        context.images.storePausesBefore = record.pauses
        record.pauses = try living(pauses)
        record.version += 1
        try context.store.put(record)
    }

    /// Ends the run that a verb opened. Keeps the attempts it made.
    private func endRun(_ record: UndoRecord, of target: JournalEvent) throws {
        guard let number = record.run, let name = target.queue else { return }
        guard try context.mutation.queue(name).run?.number == number else {
            throw QueueError(.changed, "that run has ended", fix: "sluice log shows how")
        }
        try context.mutation.endRun(name)
    }

    /// Restores tasks in reverse order, so that a replaced task comes after its replacement.
    /// Retries a task whose unique key another one still holds.
    func restore(_ record: UndoRecord, _ later: LaterImages) throws {
        var rest = Array(record.tasks.reversed())
        while !rest.isEmpty {
            var refused: [(image: UndoRecord.TaskImage, error: QueueError)] = []
            for image in rest {
                if let error = try refusal(ofRestoring: image, later) {
                    refused.append((image, error))
                }
            }
            let isStuck = refused.count == rest.count
            rest = refused.filter { !isStuck && $0.error.code == .uniqueTaken }.map(\.image)
            for (image, error) in refused where isStuck || error.code != .uniqueTaken {
                context.answer.failed.append(.init(id: image.id, error: error))
            }
        }
        context.answer.changed.reverse()
    }

    /// Runs also increase a queue's version. Only a later change of the same part conflicts: its
    /// settings or its pauses.
    private func restoreQueue(_ record: UndoRecord, _ later: LaterImages) throws {
        guard let before = record.queue else { return }
        let queue = try context.mutation.queue(before.name)
        let isUnchanged = queue.version == record.queueVersionAfter
        let left = isUnchanged ? queue : try later.queue(before.name) ?? queue
        let isSettings = before.settings != left.settings
        if !isUnchanged {
            let former = before.pauses.filter { $0.cause != .person }
            let isSame =
                isSettings
                ? queue.settings == left.settings
                : queue.personalPauses == left.personalPauses
                    && queue.pauses.filter { $0.cause != .person } == former
            guard isSame else {
                let what = isSettings ? before.name : "the pauses of \(before.name)"
                throw QueueError(
                    .changed, "\(what) changed since", fix: "sluice log shows how")
            }
        }
        let pauses = try living(before.pauses)
        try context.mutation.changeQueue(before.name) {
            if isSettings { $0.settings = before.settings } else { $0.pauses = pauses }
        }
    }

    /// The pauses to restore. Omits pauses of ended processes (D1) and of removed breakpoints (G1).
    func living(_ pauses: [Pause]) throws -> [Pause] {
        let attached = Set(try context.store.processes().map(\.id))
        let breakpoints = try context.store.storeRecord().breakpoints
        return pauses.filter { $0.owner.map(attached.contains) ?? true }.compactMap { pause in
            pause.with(hits: pause.hits.filter { breakpoints[$0.breakpoint] != nil })
        }
    }

    /// Puts a task back; gives why not.
    private func refusal(
        ofRestoring image: UndoRecord.TaskImage, _ later: LaterImages
    ) throws -> QueueError? {
        do {
            try revert(image, later)
            context.answer.changed.append(image.id)
            return nil
        } catch let error as QueueError where error.isRefusal {
            return error
        }
    }

    private func revert(_ image: UndoRecord.TaskImage, _ later: LaterImages) throws {
        let task = try context.store.requireTask(image.id)
        guard try task.version == image.versionAfter || later.isSame(task, as: image) else {
            throw QueueError.changed(image.id, "something happened to it since")
        }
        if let before = image.before {
            if before.waiting != nil, task.waiting == nil || !task.sharesKey(with: before) {
                try context.refuseTakenKey(before)
            }
            if let payload = image.payloadBefore {
                let current = try context.store.payload(of: image.id)
                context.mutation.record(before: task, after: task, payloadBefore: current)
                try context.store.setPayload(payload, of: image.id)
            }
            try context.mutation.restore(before, in: task)
        } else {
            // An imported task may be deleted already.
            if case .deleted = task.state { return }
            guard task.running == nil else {
                throw QueueError.notLegal("#\(image.id) is \(task.state.name.rawValue) by now")
            }
            try context.mutation.apply(
                .delete(Deletion(by: context.person, members: .release)), to: task)
        }
    }
}

extension QueueRecord {
    fileprivate var personalPauses: [Pause] { pauses.filter { $0.cause == .person } }
}

extension QueueTask {
    /// Whether both have the same unique key, where it counts as the same (T5).
    fileprivate func sharesKey(with other: QueueTask) -> Bool {
        (queue, type, uniqueKey) == (other.queue, other.type, other.uniqueKey)
    }
}
