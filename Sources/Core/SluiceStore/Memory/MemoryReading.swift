import SluiceModel

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
