package import SluiceModel

extension MemoryReading {
    func storeRecord() -> StoreRecord { state.store }

    var systemStates: [TaskID: SystemState]? { state.systemStates }

    var isPast: Bool { state.isPast }

    func queues(_ selection: QueueSelection) -> [SharedQueue] {
        if case .named(let name) = selection {
            return state.queues[name].map { [SharedQueue($0)] } ?? []
        }
        var queues = state.queues.values.sorted { $0.name < $1.name }
        if case .page(let skipped, let limit) = selection {
            queues = Array(
                queues.sorted { $0.isSeen(before: $1) }.dropFirst(skipped).prefix(limit))
        }
        return queues.map(SharedQueue.init)
    }

    func countQueues(before queue: QueueRecord?) -> Int {
        state.queues.values.count { other in queue.map { other.isSeen(before: $0) } ?? true }
    }

    func counts(of queue: String?) -> QueueCounts { state.index.counts[queue] ?? QueueCounts() }

    func lastPosition(queue: String) -> Int64 { state.lastPositions[queue] ?? 0 }

    func bytes(_ what: TaskBytes, of ids: [TaskID]) -> [TaskID: BytesHead] {
        ids.reduce(into: [:]) { found, id in
            found[id] =
                switch what {
                case .payload: state.payloads[id].map { BytesHead($0) }
                case .payloadHead(let count): state.payloads[id].map { BytesHead($0, first: count) }
                case .result: state.results[id].map { BytesHead($0) }
                }
        }
    }

    func origin(of id: TaskID) -> String? { state.names[id]?.min() }

    func task(ofOrigin origin: String) -> TaskID? { state.origins[origin] }

    func groups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary] {
        var names: Set<String> = []
        var members: [String: Int] = [:]
        for task in tasks(in: queue) {
            if let group = task.groupStart, task.holdsMembers { names.insert(group) }
            guard task.waiting != nil || task.running != nil else { continue }
            for group in Set(task.groupMembers) {
                members[group, default: 0] += 1
                if task.waiting != nil { names.insert(group) }
            }
        }
        return try names.sorted().filter { $0 > name ?? "" }.prefix(limit).map { group in
            let starts = try tasks(
                .holdingStarts(queue: queue, group: group, after: .min, before: .max), limit: .max)
            return GroupSummary(
                name: group, starts: starts.map(\.id), members: members[group] ?? 0)
        }
    }

    func recorded(limit: Int) -> [RecordedCommit] { Array(state.recorded.prefix(limit)) }

    func processes() -> [ProcessRecord] { state.processes.values.sorted { $0.id < $1.id } }

    func permits() -> [Permit] { state.permits.values.sorted { $0.id < $1.id } }

    func slotOffers() -> [SlotOffer] { state.offers.values.sorted { $0.process < $1.process } }

    /// Values in memory have no file that damage could affect.
    func problems(_ check: StoreCheck) -> [String] { [] }

    var rowSearch: (any RowSearching)? { self }

    func rowNumbers(ofSearchIn queue: String?) -> ClosedRange<TaskID>? { state.tasks.bounds }

    func look(_ search: RowSearch) -> RowFinding {
        var finding = RowFinding()
        var rows = 0
        var last = search.numbers.lowerBound - 1
        state.tasks.visit(search.numbers, isBackwards: false) { task in
            guard rows < search.limit, finding.found.count < search.hitLimit else {
                finding.last = last
                return false
            }
            rows += 1
            last = task.id
            guard task.queue == search.queue ?? task.queue,
                search.states.contains(task.state.name)
            else { return true }
            finding.looked += 1
            if search.condition.holds(task, state.payloads[task.id] ?? []) {
                finding.found.append(task.id)
            }
            return true
        }
        return finding
    }
}

/// How many of each class ended in each minute, by ten seconds.
typealias EndsByMinute = [EndedCounts.Class: [Int64: [Int]]]

extension EndsByMinute {
    mutating func add(_ what: EndedCounts.Class, at moment: Timestamp, times: Int = 1) {
        let none = Array(repeating: 0, count: 6)
        self[what, default: [:]][EndedCounts.minute(of: moment), default: none][
            EndedCounts.sixth(of: moment)] += times
    }
}

extension MemoryState {
    mutating func countEnd(of attempt: AttemptRecord, times: Int = 1) {
        guard queues[attempt.queue] != nil, let (what, at) = attempt.endedClass else { return }
        ends[attempt.queue, default: [:]].add(what, at: at, times: times)
        ends[nil, default: [:]].add(what, at: at, times: times)
    }
}

extension MemoryReading {
    func endedCounts(
        _ what: EndedSelection, queue: String?, since: Timestamp
    ) -> [EndedCounts] {
        let found: EndsByMinute
        switch what {
        case .attempts: found = state.ends[queue] ?? [:]
        case .waits: found = queue.flatMap { state.waits[$0] } ?? [:]
        case .failures:
            found = failed(in: queue).reduce(into: [:]) { found, task in
                guard case .failed(let failure) = task.state else { return }
                found.add(.failures(FailureKind(of: failure.reason).key), at: failure.at)
            }
        }
        let first = EndedCounts.minute(of: since)
        return found.flatMap { what, minutes in
            minutes.filter { $0.key >= first }.map { minute, sixths in
                let start = Timestamp(milliseconds: minute * EndedCounts.minuteMilliseconds)
                return EndedCounts(what, minute: start, sixths: sixths)
            }
        }
    }

    func waitingStarts(queue: String, since: Timestamp?) -> [Int64: Int] {
        let first = since.map(EndedCounts.minute(of:)) ?? .min
        return (state.waitingStarts[queue] ?? [:]).filter { $0.key >= first }
    }

    func typeCounts() -> [TypeCount] {
        var found: [[String]: TypeCount] = [:]
        let live = state.queues.keys.flatMap {
            tasks(in: $0, .waiting) + tasks(in: $0, .running)
        }
        for task in live {
            let none = TypeCount(queue: task.queue, type: task.type)
            var count = found[[task.queue, task.type]] ?? none
            if task.waiting != nil { count.waiting += 1 } else { count.running += 1 }
            found[[task.queue, task.type]] = count
        }
        return Array(found.values)
    }

    private func failed(in queue: String?) -> [QueueTask] {
        (queue.map { [$0] } ?? Array(state.queues.keys)).flatMap { tasks(in: $0, .failed) }
    }

    func failureCounts(queue: String?) -> [FailureCount] {
        var found: [[String]: FailureCount] = [:]
        for task in failed(in: queue) {
            guard case .failed(let failure) = task.state else { continue }
            let kind = FailureKind(of: failure.reason)
            let key = [task.queue, kind.text, task.type]
            var count =
                found[key]
                ?? FailureCount(
                    queue: task.queue, kind: kind, type: task.type, count: 0, attempts: 0,
                    first: failure.at, last: failure.at)
            count.count += 1
            count.attempts += task.attempts
            count.first = min(count.first, failure.at)
            count.last = max(count.last, failure.at)
            found[key] = count
        }
        return Array(found.values)
    }
}

extension AttemptRecord {
    /// By what its end is counted, and when that was; nil while it runs.
    package var endedClass: (EndedCounts.Class, Timestamp)? {
        guard let endedAt, outcome != nil else { return nil }
        let duration = DurationBucket(milliseconds: endedAt - startedAt)
        return (.attempts(EndedOutcome(self), duration), endedAt)
    }
}

extension MemoryReading {
    func imaged(
        _ subjects: [CheckpointImage.Subject], under mark: Int64
    ) -> Set<CheckpointImage.Subject> {
        guard let kept = state.images[mark] else { return [] }
        return Set(subjects.filter { kept[$0] != nil })
    }

    func steps() -> [StepImage] { state.steps.values.sorted { $0.token < $1.token } }

    func images(from mark: Int64, before end: Int64) -> [CheckpointImage] {
        var found: [CheckpointImage.Subject: CheckpointImage] = [:]
        for (number, kept) in state.images.sorted(by: { $0.key < $1.key })
        where number >= mark && number < end {
            found.merge(kept) { first, _ in first }
        }
        return Array(found.values)
    }

    func imageCounts(from mark: Int64) -> ImageCounts {
        let kept = state.images.filter { $0.key >= mark }.values.flatMap(\.values)
        let subjects = Set(kept.map(\.subject).filter(\.isTaskOrQueue))
        return ImageCounts(
            subjects: subjects.count, bytes: kept.reduce(0) { $0 + $1.size })
    }
}

extension CheckpointImage.Subject {
    fileprivate var isTaskOrQueue: Bool {
        switch self {
        case .task, .queue: true
        case .payload, .result: false
        }
    }
}

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
