import SluiceModel

extension MemoryReading {
    func tasksToWake(queue: String?, now: Timestamp, limit: Int) -> [QueueTask] {
        let due = timed(queue).prefix { $0.at <= now }
        return due.prefix(limit).map(\.task)
    }

    func timers(queue: String?, after: TimerCursor?, limit: Int) -> [QueueTask] {
        let behind = timed(queue).filter { at, task in
            guard let after else { return true }
            return (at, task.id) > (after.at, after.id)
        }
        return behind.prefix(limit).map(\.task)
    }

    func tasksToExpire(now: Timestamp, limit: Int) -> [QueueTask] {
        expiring().prefix { $0.at <= now }.prefix(limit).map(\.task)
    }

    func nextExpiry() -> Timestamp? { expiring().first?.at }

    func fresh(queue: String, since: Timestamp?, now: Timestamp, limit: Int) -> FreshTasks {
        guard case .batched = state.queues[queue]?.settings.start else {
            return FreshTasks(count: 0, first: nil)
        }
        let moments = state.tasks(of: queue) { task in
            task.waiting != nil && task.freshAt > Timestamp(milliseconds: 0)
                && task.freshAt <= now && (since.map { task.freshAt >= $0 } ?? true)
        }.map(\.freshAt)
        return FreshTasks(count: min(moments.count, limit), first: moments.min())
    }

    func endedTasks(
        queue: String, state name: TaskState.Name, before moment: Timestamp, limit: Int
    ) -> [TaskID] {
        let ended = state.tasks(of: queue) { $0.state.name == name }.compactMap { task in
            task.endedAt.map { (at: $0, id: task.id) }
        }
        return ended.filter { $0.at < moment }.sorted { $0 < $1 }.prefix(limit).map(\.id)
    }

    /// The waiting tasks with a time of waking, by that time.
    private func timed(_ queue: String?) -> [(at: Timestamp, task: QueueTask)] {
        sorted(state.tasks(of: queue)) { $0.wakesAt }
    }

    /// The waiting tasks that can expire, by that time; starts that are exempt (Q8) cannot.
    private func expiring() -> [(at: Timestamp, task: QueueTask)] {
        sorted(state.tasks(of: nil) { $0.waiting != nil }) { task in
            let settings = state.queues[task.queue]?.settings ?? QueueSettings()
            return task.groupStart == nil || settings.startsExpire ? task.expiresAt : nil
        }
    }

    private func sorted(
        _ tasks: [QueueTask], by moment: (QueueTask) -> Timestamp?
    ) -> [(at: Timestamp, task: QueueTask)] {
        let timed = tasks.compactMap { task in moment(task).map { (at: $0, task: task) } }
        return timed.sorted { ($0.at, $0.task.id) < ($1.at, $1.task.id) }
    }
}
