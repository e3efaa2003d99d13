import SluiceModel

extension MemoryReading {
    func writtenAttempts(of id: TaskID, limit: Int) -> [AttemptRecord] {
        var found: [AttemptRecord] = []
        state.attempts.visit(
            .init(
                after: AttemptPlace(task: id, number: .min),
                before: AttemptPlace(task: id, number: .max))
        ) { _, attempt in
            found.append(attempt)
            return found.count < limit
        }
        return found
    }

    func journal(_ query: JournalQuery) -> [JournalEntry] {
        var found: [JournalEntry] = []
        let first = max(state.firstSequence, query.after.map { $0 &+ 1 } ?? .min)
        let last = min(state.lastSequence, query.before.map { $0 &- 1 } ?? .max)
        guard first <= last else { return [] }
        func take(_ sequence: Int64) -> Bool {
            guard found.count < query.limit else { return false }
            if let entry = state.entry(sequence), query.wants(entry) {
                found.append(query.withUndo ? entry : entry.withoutUndo)
            }
            return true
        }
        if query.after == nil {
            for sequence in (first...last).reversed() { if !take(sequence) { break } }
            return found.reversed()
        }
        for sequence in first...last { if !take(sequence) { break } }
        return found
    }

    /// The data in memory ends with the process; none expires earlier.
    func undoable(_ selection: UndoSelection) -> [Int64] {
        let standing = state.events.values.filter { $0.undo != nil && $0.undoneBy == nil }
        switch selection {
        case .last(let person, let isUndo):
            let own = standing.filter { $0.by == person && ($0.kind == "undo") == isUndo }
            return own.map(\.sequence).max().map { [$0] } ?? []
        case .slices(let first):
            return standing.filter { $0.sequence == first || $0.bulk == first }
                .sorted { left, right in
                    let last = right.kind == JournalEvent.followed
                    guard (left.kind == JournalEvent.followed) == last else { return last }
                    return left.sequence > right.sequence
                }.map(\.sequence)
        }
    }
}

extension MemoryState {
    /// The entry of a number, if any.
    func entry(_ sequence: Int64) -> JournalEntry? {
        if let event = events[sequence] { return .event(event) }
        guard let place = ended[sequence],
            let attempt = attempts[place]
        else { return nil }
        return .attempt(attempt)
    }
}

extension JournalEntry {
    /// The entry without what `undo` needs.
    fileprivate var withoutUndo: JournalEntry {
        guard case .event(var event) = self else { return self }
        event.undo = nil
        return .event(event)
    }

    /// When it happened; for an execution, when it ended.
    var at: Timestamp? {
        switch self {
        case .event(let event): event.at
        case .attempt(let attempt): attempt.endedAt
        }
    }
}

extension JournalQuery {
    fileprivate func wants(_ entry: JournalEntry) -> Bool {
        if case .event(let event) = entry, event.isDetail, !withDetail { return false }
        let place: (queue: String?, task: TaskID?) =
            switch entry {
            case .event(let event): (event.queue, event.task)
            case .attempt(let attempt): (attempt.queue, attempt.task)
            }
        return (queue.map { $0 == place.queue } ?? true)
            && (task.map { $0 == place.task } ?? true)
            && (after.map { entry.sequence > $0 } ?? true)
            && (before.map { entry.sequence < $0 } ?? true)
    }
}
