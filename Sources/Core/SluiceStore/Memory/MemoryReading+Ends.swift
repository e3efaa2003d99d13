package import SluiceModel

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
