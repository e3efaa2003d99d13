package import SluiceModel

/// Why a task of another system does not run now.
package enum ForeignWhy {
    /// The reasons, the one that must go first at the front.
    package static func blockers(
        of task: ForeignTask, in queue: ForeignQueue?, runners: [ForeignRunner]?, now: Timestamp
    ) -> [Blocker] {
        guard task.display.state == .waiting else { return [] }
        var found: [Blocker] = []
        switch task.display {
        case .skipped:
            found.append(
                Blocker(
                    .skipped, text: "it was set aside", fix: .foreignTask(.unskip, task.reference)))
        case .delayed, .retrying:
            if let moment = task.notBefore, moment > now {
                found.append(
                    Blocker(
                        .notBefore, text: "it waits until \(TimeText.rfc3339(moment))",
                        until: moment, fix: .foreignTask(.retry, task.reference)))
            }
        case .blocked:
            found.append(
                Blocker(.requirement, text: "its own system waits for something else first"))
        default: break
        }
        if let hold = queue?.hold {
            let why = hold.note.reason.map { ": \($0)" } ?? ""
            found.append(
                Blocker(
                    .queuePaused, cause: "person",
                    text: "\(hold.note.by) holds \(task.queue)\(why)",
                    fix: .resume(queue: task.queue)))
        }
        if let own = queue?.ownPause {
            found.append(
                Blocker(.queuePaused, cause: "app", text: "its own system paused it: \(own)"))
        }
        guard let runners else { return found }
        let serving = runners.filter {
            // One that does not say what it serves may serve it.
            $0.queues.isEmpty || $0.queues.contains(task.queue)
        }
        if serving.isEmpty {
            found.append(
                Blocker(.noRunner, text: "no worker that is known serves \(task.queue)"))
        } else if task.display == .due, let slots = totalSlots(serving) {
            let busy = serving.reduce(0) { $0 + $1.running.count }
            if busy >= slots {
                found.append(Blocker(.noSlot, text: "all \(slots) slots of its workers are busy"))
            }
        }
        return found
    }

    private static func totalSlots(_ runners: [ForeignRunner]) -> Int? {
        let slots = runners.compactMap(\.slots)
        return slots.count == runners.count ? slots.reduce(0, +) : nil
    }
}
