import SluiceModel

extension MemoryReading {
    func storeRecord() -> StoreRecord { state.store }

    func queues() -> [QueueRecord] { state.queues.values.sorted { $0.name < $1.name } }

    func queue(named name: String) -> QueueRecord? { state.queues[name] }

    func tasks(_ ids: [TaskID]) -> [QueueTask] { ids.compactMap { state.tasks[$0] } }

    func payload(of id: TaskID) -> [UInt8]? { state.payloads[id] }

    func result(of id: TaskID) -> [UInt8]? { state.results[id] }

    func tasks(matching query: TaskQuery) -> [QueueTask] {
        let order = state.queues[query.queue]?.settings.order ?? .fifo
        let keyed = state.tasks.values.filter(query.matches).map { ($0.orderKey(order), $0) }
        let sorted = keyed.sorted { query.isBackwards ? $0.0 > $1.0 : $0.0 < $1.0 }
        let behind = sorted.filter { key, _ in
            guard let after = query.after else { return true }
            return query.isBackwards ? key < after : key > after
        }
        return behind.prefix(query.limit).map(\.1)
    }

    func rowNumbers(ofSearchIn queue: String) -> ClosedRange<TaskID>? {
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
            guard let task = state.tasks[id], task.queue == search.queue,
                search.states.contains(task.state.name)
            else { continue }
            finding.looked += 1
            if state.payloads[id]?.holds(search.text) ?? false { finding.found.append(id) }
        }
        return finding
    }

    func tasks(queue: String, after position: Int64?, limit: Int) -> [QueueTask] {
        let found = state.tasks(of: queue) { $0.position > position ?? .min }
        return Array(found.sorted { $0.position < $1.position }.prefix(limit))
    }

    func tasks(behind id: TaskID?, limit: Int) -> [QueueTask] {
        let found = state.tasks(of: nil) { $0.id > id ?? .min }.sorted { $0.id < $1.id }
        return Array(id == nil ? found.suffix(limit) : found.prefix(limit))
    }

    func origin(of id: TaskID) -> String? {
        state.origins.filter { $0.value == id }.map(\.key).min()
    }

    func task(ofOrigin origin: String) -> TaskID? { state.origins[origin] }

    func counts(queue: String) -> QueueCounts {
        var counts = QueueCounts()
        for task in state.tasks(of: queue) {
            counts.states[task.state.name, default: 0] += 1
            if task.waiting != nil { counts.lanes[task.lane, default: 0] += 1 }
        }
        return counts
    }

    func uniqueHolders(
        queue: String, type: String, key: String, includingRunning: Bool
    ) -> [TaskID] {
        state.tasks(of: queue) { task in
            task.type == type && task.uniqueKey == key
                && (task.waiting != nil || includingRunning && task.running != nil)
        }.map(\.id).sorted()
    }

    func tasksRun(by process: ProcessID) -> [QueueTask] {
        byNumber(state.tasks(of: nil) { $0.running?.owner == process })
    }

    func tasksLingering(of process: ProcessID) -> [QueueTask] {
        byNumber(state.tasks(of: nil) { $0.waiting?.lingering?.owner == process })
    }

    func followUps(of id: TaskID) -> [TaskID] {
        byNumber(state.tasks(of: nil) { $0.parent == id }).map(\.id)
    }

    func awaitedTasks(
        session: String, state name: TaskState.Name, after id: TaskID, limit: Int
    ) -> [QueueTask] {
        let awaited = state.tasks(of: nil) { task in
            task.session == session && task.state.name == name && task.id > id
                && !task.isAcknowledged
        }
        return Array(byNumber(awaited).prefix(limit))
    }

    func processes() -> [ProcessRecord] { state.processes.values.sorted { $0.id < $1.id } }

    func permits() -> [Permit] { state.permits.values.sorted { $0.id < $1.id } }

    func offers() -> [Offer] { state.offers.values.sorted { $0.process < $1.process } }

    func lastPosition(queue: String) -> Int64 { state.lastPositions[queue] ?? 0 }

    func neighbour(queue: String, of position: Int64, isBefore: Bool) -> Int64? {
        let used = state.tasks(of: queue).map(\.position)
        return isBefore
            ? used.filter { $0 < position }.max() : used.filter { $0 > position }.min()
    }

    private func byNumber(_ tasks: [QueueTask]) -> [QueueTask] { tasks.sorted { $0.id < $1.id } }
}
