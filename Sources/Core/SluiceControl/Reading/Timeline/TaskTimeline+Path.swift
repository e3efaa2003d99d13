package import SluiceModel

/// The causes of waits, and the tasks that decided the whole length.
extension TaskTimeline {
    /// A task that ran while another one waited.
    package struct Earlier: Hashable, Sendable {
        package let task: TaskID
        package let type: String
        /// How long it ran in that time.
        package let milliseconds: Int64
    }

    /// The waits of a task.
    package struct Wait: Hashable, Sendable {
        /// How long it waited for its turn.
        package var turn: Int64 = 0
        /// How long a start or a person held it.
        package var held: Int64 = 0
        /// How long it waited for a time.
        package var timed: Int64 = 0
        /// The tasks of its queue that ran while it waited for its turn, the longest first.
        package var earlier: [Earlier] = []
        /// How long it waited in all.
        package var whole: Int64 { turn + held + timed }
    }

    package func wait(of row: TimelineRow) -> Wait {
        var wait = Wait()
        var ran: [TaskID: Earlier] = [:]
        for bar in row.bars {
            let length = bar.milliseconds(at: at)
            switch bar.kind {
            case .waits:
                wait.turn += length
                for found in overlaps(with: bar, of: row) {
                    let sum = (ran[found.task]?.milliseconds ?? 0) + found.milliseconds
                    ran[found.task] = Earlier(
                        task: found.task, type: found.type, milliseconds: sum)
                }
            case .held: wait.held += length
            case .timed: wait.timed += length
            case .ran, .failed, .stopped, .running: break
            }
        }
        wait.earlier = ran.values.sorted {
            ($1.milliseconds, $0.task) < ($0.milliseconds, $1.task)
        }
        return wait
    }

    private func overlaps(with wait: TimelineBar, of row: TimelineRow) -> [Earlier] {
        let end = wait.to ?? at
        return rows.flatMap { other -> [Earlier] in
            guard other.task != row.task, other.queue == row.queue else { return [] }
            return other.bars.filter(\.kind.isWork).compactMap { bar in
                let length = min(end, bar.to ?? at) - max(wait.from, bar.from)
                return length <= 0
                    ? nil : Earlier(task: other.task, type: other.type, milliseconds: length)
            }
        }
    }

    /// The tasks that decided when the last one ended, the first one first: before each is the one
    /// that ended last before it began, if it waited then.
    package var criticalPath: [Earlier] {
        if case .workers = scope { return [] }
        struct Step {
            let row: TimelineRow
            let bar: TimelineBar
            let end: Timestamp
        }
        let steps = rows.flatMap { row in
            row.bars.filter(\.kind.isWork).map { Step(row: row, bar: $0, end: $0.to ?? at) }
        }.sorted { ($0.end, $0.bar.from) < ($1.end, $1.bar.from) }
        var path: [Earlier] = []
        var place = steps.indices.last
        while let current = place {
            let step = steps[current]
            let length = step.bar.milliseconds(at: at)
            if let next = path.last, next.task == step.row.task {
                path[path.count - 1] = Earlier(
                    task: next.task, type: next.type, milliseconds: next.milliseconds + length)
            } else {
                path.append(
                    Earlier(task: step.row.task, type: step.row.type, milliseconds: length))
            }
            let waitedSince = step.row.bars.first?.from ?? step.bar.from
            place = steps[..<current].lastIndex { earlier in
                earlier.end <= step.bar.from && earlier.end >= waitedSince
            }
        }
        return path.reversed()
    }
}
