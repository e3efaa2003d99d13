package import SluiceModel

/// Journal lines about runs and their timers (D9): why a queue runs, and which tasks a run skipped
/// and left.
extension Mutation {
    /// Looks at what decides about the next run of a batched queue before tasks come to it. Where a
    /// run is open, or due, they change nothing of that.
    package func expectArrivals(in queue: QueueRecord) throws {
        guard case .batched(let count, _) = queue.settings.start, queue.run == nil,
            runFacts[queue.name] == nil
        else { return }
        let facts = try store.batchFacts(queue, now: now)
        if facts.freshCount < count { runFacts[queue.name] = facts }
    }

    /// Notes in the journal that new tasks set the time of the next run, or reached its threshold.
    /// The line follows the line of the enqueue.
    func recordArrivals() throws {
        for (name, before) in runFacts.sorted(by: { $0.key < $1.key }) {
            let queue = try queue(name)
            guard case .batched(let count, _) = queue.settings.start, queue.run == nil else {
                continue
            }
            let facts = try store.batchFacts(queue, now: now)
            let begin = queue.nextRun(facts, now: now)
            if facts.freshCount >= count {
                try record(.runDue, name, "the next run is due: \(Self.fresh(count))")
            } else if let begin, begin != queue.nextRun(before, now: now) {
                try record(.runTimer, name, words(ofRunAt: begin))
            }
        }
        runFacts = [:]
    }

    /// Why a batched queue opens a run now.
    func reason(toRun queue: QueueRecord) throws -> String {
        guard case .batched(let count, let delay) = queue.settings.start else { return "it is due" }
        let facts = try store.batchFacts(queue, now: now)
        if facts.freshCount >= count { return Self.fresh(count) }
        if let first = facts.firstFresh, first + delay <= now {
            return "the first fresh task came \(DurationText.short(now - first)) ago"
        }
        return "what an earlier run left is due"
    }

    private static func fresh(_ count: Int) -> String {
        count == 1 ? "1 fresh task waits" : "\(count) fresh tasks wait"
    }

    private func words(ofRunAt begin: Timestamp) -> String {
        let time = begin > now ? "in \(DurationText.short(begin - now))" : "now"
        return "the next run is due \(time)"
    }

    /// Notes the tasks that a run skipped with the groups that caused it; names only the first few.
    func recordSkipped(in name: String) throws {
        let queue = try queue(name)
        let counts = try store.counts(queue: name)
        var held: [(holder: QueueTask, members: [String])] = []
        var named = 0
        let flagSets = counts.waitingByFlags.filter { $0.value > 0 && $0.key.contains(.held) }.keys
        for waitFlags in flagSets.sorted(by: { $0.rawValue < $1.rawValue })
        where named < Self.namedMembers {
            let query = TaskQuery(
                queue: name, waitFlags: waitFlags, limit: Self.namedMembers - named)
            for task in try store.tasks(matching: query) {
                guard let holder = try store.holder(of: task, in: queue, now: now) else { continue }
                named += 1
                if let place = held.firstIndex(where: { $0.holder.id == holder.id }) {
                    held[place].members.append("#\(task.id)")
                } else {
                    held.append((holder, ["#\(task.id)"]))
                }
            }
        }
        guard !held.isEmpty else { return }
        var parts = held.map { holder, members in
            "\(members.joined(separator: ", ")) for the group \(holder.groupStart ?? ""), "
                + "whose start #\(holder.id) \(holder.type) has not succeeded"
        }
        let rest = counts.waiting(in: .held) - named
        if rest > 0 { parts.append("\(rest) more for their groups") }
        try record(.runSkipped, name, "skipped: \(parts.joined(separator: "; "))")
    }

    private static let namedMembers = 20

    /// Notes how many tasks a run left, and when the queue next runs automatically.
    func recordLeft(in name: String) throws {
        let left = try store.counts(queue: name)[.waiting]
        var text = left == 0 ? "nothing is left" : left == 1 ? "1 is left" : "\(left) are left"
        if let begin = try store.ownRunBegin(of: try queue(name), now: now) {
            text += ", \(words(ofRunAt: begin))"
        }
        try record(.runLeft, name, text)
    }

    func record(_ kind: JournalEvent.Detail, _ queue: String, _ text: String) throws {
        try store.append([
            JournalEvent(
                at: real, kind: kind.rawValue, queue: queue, task: nil, by: "sluice", text: text)
        ])
    }
}
