import QueueModel
import QueueStore

/// `undo`: takes back the last verb of this person, or a named event (D9). Only tasks whose version
/// is still the one that the verb left are touched; the others are named.
extension VerbContext {
    func undo(_ event: Int64?) throws {
        let target = try find(event)
        guard !slice.isRestOfUndo else { return try takeBackSlice(target) }
        let slices = try store.undoableSlices(ofBulk: target.bulk ?? target.sequence)
        guard let newest = slices.first, newest != target.sequence || slices.count > 1 else {
            return try takeBackWhole(target)
        }
        undoRest = Array(slices.dropFirst())
        try takeBackSlice(try find(newest))
    }

    /// Takes back what was one commit.
    private func takeBackWhole(_ target: JournalEvent) throws {
        guard let record = target.undo else {
            throw QueueError.notLegal(
                "event \(target.sequence) (\(target.kind)) cannot be undone",
                fix: "an execution, a cancel or a purge stays")
        }
        if let by = target.undoneBy {
            throw QueueError.notLegal(
                "event \(target.sequence) was already undone by event \(by)",
                fix: "sluice log shows what there is")
        }
        try restoreQueue(record, of: target)
        try restoreStorePauses(record, of: target)
        try restore(record)
        if answer.changed.isEmpty, record.queue == nil, record.storePausesBefore == nil {
            throw answer.failed.first?.error
                ?? QueueError.notLegal("nothing of it can be taken back")
        }
        try noteUndone(target)
    }

    /// Takes back one slice of a bulk. The bulk is undone as one: where nothing of the slice can be
    /// taken back any more, the others still are.
    private func takeBackSlice(_ target: JournalEvent) throws {
        // Somebody else may have been faster.
        guard let record = target.undo, target.undoneBy == nil else { return }
        try restore(record)
        try noteUndone(target)
    }

    private func noteUndone(_ target: JournalEvent) throws {
        let sequence = try journal(
            "undo", queue: target.queue, "undone by \(person): \(target.text)", undo: nil)
        try store.markUndone(target.sequence, by: sequence)
    }

    private func find(_ event: Int64?) throws -> JournalEvent {
        if let event {
            guard let found = try store.event(event) else {
                throw QueueError(
                    .badValue, "there is no event \(event)", fix: "sluice log shows them")
            }
            return found
        }
        guard let last = try store.lastUndoable(by: person) else {
            throw QueueError.notLegal(
                "\(person) has nothing to undo", fix: "undo EVENT names another person's verb")
        }
        return last
    }

    private func restoreStorePauses(_ record: UndoRecord, of target: JournalEvent) throws {
        guard let pauses = record.storePausesBefore else { return }
        try refuseWhenChanged(since: target.sequence, what: "the store's pauses") {
            $0.undo?.storePausesBefore != nil
        }
        var store = try self.store.storeRecord()
        store.pauses = pauses
        store.version += 1
        try self.store.put(store)
    }

    /// Puts the tasks back, backwards, so that what made room for something else comes back last.
    private func restore(_ record: UndoRecord) throws {
        for image in record.tasks.reversed() { try restore(image) }
        answer.changed.reverse()
    }

    /// A queue's version also grows with its runs, so it is a later change of the same part that
    /// stands in the way: of its settings, or of its pauses.
    private func restoreQueue(_ record: UndoRecord, of target: JournalEvent) throws {
        guard let before = record.queue else { return }
        let queue = try mutation.queue(before.name)
        let isSettings = target.kind == "queueSet"
        if queue.version != record.queueVersionAfter {
            try refuseWhenChanged(since: target.sequence, what: before.name) { event in
                event.undo?.queue?.name == before.name
                    && (event.kind == "queueSet") == isSettings
            }
            let others = queue.pauses.filter { $0.cause != .person }
            guard isSettings || others == before.pauses.filter({ $0.cause != .person }) else {
                throw QueueError(
                    .changed, "the pauses of \(before.name) changed since",
                    fix: "sluice log shows how")
            }
        }
        try mutation.changeQueue(before.name) {
            if isSettings { $0.settings = before.settings } else { $0.pauses = before.pauses }
        }
    }

    /// Throws where a later verb changed the same thing and stands.
    private func refuseWhenChanged(
        since sequence: Int64, what: String, by isChange: (JournalEvent) -> Bool
    ) throws {
        var query = JournalQuery(limit: 1000)
        query.after = sequence
        while true {
            let page = try store.journal(query)
            for case .event(let event) in page where event.undoneBy == nil && isChange(event) {
                throw QueueError(
                    .changed, "\(what) changed since: \(event.text)",
                    fix: "sluice log shows how")
            }
            guard let last = page.last, page.count == query.limit else { return }
            query.after = last.sequence
        }
    }

    private func restore(_ image: UndoRecord.TaskImage) throws {
        do {
            try takeBack(image)
            answer.changed.append(image.id)
        } catch let error as QueueError where error.isRefusal {
            answer.failed.append(.init(id: image.id, error: error))
        }
    }

    private func takeBack(_ image: UndoRecord.TaskImage) throws {
        let task = try store.requireTask(image.id)
        guard task.version == image.versionAfter else {
            throw QueueError.changed(image.id, "something happened to it since")
        }
        if let before = image.before {
            if before.waiting != nil, task.waiting == nil { try refuseTakenKey(before) }
            try mutation.restore(before, in: task)
            if let payload = image.payloadBefore {
                try store.setPayload(payload, of: image.id)
            }
        } else {
            // What an import brought in may have ended before.
            if case .deleted = task.state { return }
            guard task.running == nil else {
                throw QueueError.notLegal("#\(image.id) is \(task.state.name.rawValue) by now")
            }
            try mutation.apply(.delete(Deletion(by: person, members: .release)), to: task)
        }
    }
}
