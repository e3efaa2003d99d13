import SluiceModel

extension MemoryReading {
    func holdingStart(
        queue: String, group: String, after last: Int64, before position: Int64
    ) -> TaskID? {
        holdingStarts(queue: queue, group: group).first {
            $0.position > last && $0.position < position
        }?.id
    }

    func waitingMembers(
        queue: String, group: String, after position: Int64, through: Int64?, limit: Int
    ) -> [QueueTask] {
        let members = state.tasks(of: queue) { task in
            task.waiting != nil && task.groupMembers.contains(group) && task.position > position
                && (through.map { task.position <= $0 } ?? true)
        }
        return Array(members.sorted { $0.position < $1.position }.prefix(limit))
    }

    func groups(queue: String, after name: String?, limit: Int) -> [GroupSummary] {
        var names: Set<String> = []
        for task in state.tasks(of: queue) {
            if let group = task.groupStart, task.holdsMembers { names.insert(group) }
            if task.waiting != nil { names.formUnion(task.groupMembers) }
        }
        let page = names.sorted().filter { group in name.map { group > $0 } ?? true }
        return page.prefix(limit).map { group in
            GroupSummary(
                name: group, starts: holdingStarts(queue: queue, group: group).map(\.id),
                members: state.tasks(of: queue) { task in
                    task.groupMembers.contains(group)
                        && (task.waiting != nil || task.running != nil)
                }.count)
        }
    }

    private func holdingStarts(queue: String, group: String) -> [QueueTask] {
        state.tasks(of: queue) { $0.groupStart == group && $0.holdsMembers }
            .sorted { $0.position < $1.position }
    }
}
