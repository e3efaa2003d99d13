import SluiceModel

extension MemoryReading {
    func storeRecord() -> StoreRecord { state.store }

    func queues(_ selection: QueueSelection) -> [SharedQueue] {
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

    func queue(named name: String) -> QueueRecord? { state.queues[name] }

    func counts(of queue: String?) -> QueueCounts {
        var counts = QueueCounts()
        for task in state.tasks.values where queue == nil || task.queue == queue {
            counts.states[task.state.name, default: 0] += 1
            if task.waiting != nil { counts.lanes[task.lane, default: 0] += 1 }
        }
        return counts
    }

    func lastPosition(queue: String) -> Int64 { state.lastPositions[queue] ?? 0 }

    func tasks(_ ids: [TaskID]) -> [QueueTask] { ids.compactMap { state.tasks[$0] } }

    func tasks(_ selection: TaskSelection, limit: Int) -> [QueueTask] {
        func settings(_ task: QueueTask) -> QueueSettings {
            state.queues[task.queue]?.settings ?? QueueSettings()
        }
        let found = state.tasks.values.filter { selection.includes($0, settings($0)) }
        let keyed = found.map { (key: selection.key(of: $0, settings($0).order), task: $0) }
        let sorted = keyed.sorted { selection.isBackwards ? $0.key > $1.key : $0.key < $1.key }
        return sorted.prefix(limit).map(\.task)
    }

    func payloads(of ids: [TaskID]) -> [TaskID: [UInt8]] {
        ids.reduce(into: [:]) { $0[$1] = state.payloads[$1] }
    }

    func result(of id: TaskID) -> [UInt8]? { state.results[id] }

    func origin(of id: TaskID) -> String? {
        state.origins.filter { $0.value == id }.map(\.key).min()
    }

    func task(ofOrigin origin: String) -> TaskID? { state.origins[origin] }

    func groups(queue: String, after name: String?, limit: Int) throws -> [GroupSummary] {
        let tasks = state.tasks.values.filter { $0.queue == queue }
        var names: Set<String> = []
        for task in tasks {
            if let group = task.groupStart, task.holdsMembers { names.insert(group) }
            if task.waiting != nil { names.formUnion(task.groupMembers) }
        }
        return try names.sorted().filter { $0 > name ?? "" }.prefix(limit).map { group in
            let starts = try self.tasks(
                .holdingStarts(queue: queue, group: group, after: .min, before: .max), limit: .max)
            return GroupSummary(
                name: group, starts: starts.map(\.id),
                members: tasks.count { task in
                    task.groupMembers.contains(group)
                        && (task.waiting != nil || task.running != nil)
                })
        }
    }

    func recorded(limit: Int) -> [RecordedCommit] { Array(state.recorded.prefix(limit)) }

    func processes() -> [ProcessRecord] { state.processes.values.sorted { $0.id < $1.id } }

    func permits() -> [Permit] { state.permits.values.sorted { $0.id < $1.id } }

    func slotOffers() -> [SlotOffer] { state.offers.values.sorted { $0.process < $1.process } }

    /// Values in memory have no file that could be damaged.
    func problems(_ check: StoreCheck) -> [String] { [] }

    var rowSearch: (any RowSearching)? { self }

    func rowNumbers(ofSearchIn queue: String?) -> ClosedRange<TaskID>? {
        guard let first = state.tasks.keys.min(), let last = state.tasks.keys.max() else {
            return nil
        }
        return first...last
    }

    func look(_ search: RowSearch) -> RowFinding {
        var finding = RowFinding()
        let rows = state.tasks.keys.filter(search.numbers.contains).sorted()
        for (index, id) in rows.enumerated() {
            guard index < search.limit, finding.found.count < search.hitLimit else {
                finding.last = index > 0 ? rows[index - 1] : search.numbers.lowerBound - 1
                break
            }
            guard let task = state.tasks[id], task.queue == search.queue ?? task.queue,
                search.states.contains(task.state.name)
            else { continue }
            finding.looked += 1
            if search.condition.holds(task, state.payloads[id] ?? []) { finding.found.append(id) }
        }
        return finding
    }
}
