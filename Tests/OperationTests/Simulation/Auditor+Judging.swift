import SluiceModel

/// The rules for every start of an attempt.
extension Auditor {
    /// The task's own life: once at a time, explained, not after its end, not before its time.
    mutating func judgeLife(_ id: TaskID, _ task: Known, token: Int64, at now: Timestamp) {
        if let other = task.executing {
            complain("#\(id) runs twice at once: \(other) and \(token)")
        }
        if task.hasSucceeded { complain("#\(id) started after its success") }
        if task.hasFailed || task.isDeleted { complain("#\(id) started although it had ended") }
        if task.credit < 1 {
            complain("#\(id) started for the time \(task.starts + 1) unexplained")
        }
        if let moment = task.notBefore, moment > now {
            complain("#\(id) started \(moment - now) ms before its time (B3)")
        }
        if let limit = rules[task.queue]?.attemptLimit, task.counted >= limit {
            complain("#\(id) started after \(task.counted) counted attempts (Q7)")
        }
        if task.isParked { complain("#\(id) started although it is parked (B11)") }
        if task.isSkipped, rules[task.queue]?.isBatched != true {
            complain("#\(id) started although it is skipped (B4)")
        }
    }

    /// The task among the others: pauses, order, groups, slots and runs.
    mutating func judgeQueue(_ id: TaskID, _ task: Known, at now: Timestamp, isStep: Bool) {
        let name = task.queue
        let rules = rules[name] ?? Rules()
        let others = tasks.filter { $0.value.queue == name && $0.key != id }
        if others.values.filter({ $0.executing != nil && !$0.isAbandoned }).count
            >= rules.concurrency
        {
            complain("#\(id) started although \(name) has no free slot (B8)")
        }
        let starts = others.filter { other in
            other.value.arrival < task.arrival && !other.value.hasSucceeded
                && other.value.groupStart.map { task.groupMembers.contains($0) } ?? false
        }
        if let first = starts.keys.min() {
            complain("#\(id) started before #\(first), the start of its group (B5)")
        }
        guard !isStep else { return }
        if task.hasBreakpoint { complain("#\(id) started past its breakpoint (G1)") }
        if !asked.contains(name), isPaused(name, at: now) || isPaused(Self.wholeStore, at: now) {
            complain("#\(id) started although \(name) is paused (B1)")
        }
        let before = others.filter {
            $0.value.arrival < task.arrival && !$0.value.hasSucceeded && !$0.value.holdsNobody
        }
        if rules.isStrict, let first = before.keys.min() {
            complain("#\(id) started before #\(first) in the strict \(name) (B7)")
        }
        if let first = task.awaits.min() {
            complain("#\(id) started twice in one run, before #\(first) (B10)")
        }
    }

    /// An attempt takes the oldest fault with hits left, and no other.
    mutating func judgeFaults(_ id: TaskID, _ task: Known, _ lease: Running) {
        let due = task.faults.filter { $0.value.taken.count < $0.value.times }.keys.min()
        guard lease.injection?.fault != due else { return }
        let found = lease.injection.map { "fault \($0.fault)" } ?? "no fault"
        complain(
            "#\(id) started with \(found), not with \(due.map { "fault \($0)" } ?? "none") (G2)")
    }

    private func isPaused(_ name: String, at now: Timestamp) -> Bool {
        (pauses[name] ?? []).contains { $0.isActive(at: now) }
    }
}

/// The auditor's knowledge of pauses and runs (D1, D2, D4).
extension Auditor {
    /// Records the pause of a queue, or of the whole store.
    mutating func paused(
        _ name: String, by cause: Pause.Cause, for milliseconds: Int64?, at now: Timestamp
    ) {
        let pause = Pause(
            cause: cause, by: "", reason: nil, since: now, until: milliseconds.map { now + $0 })
        var known = (pauses[name] ?? []).filter { $0.isActive(at: now) }
        if let place = known.firstIndex(where: { $0.cause == cause }) {
            known[place] = known[place].joined(with: pause)
        } else {
            known.append(pause)
        }
        pauses[name] = known
        if name == Self.wholeStore { asked = [] } else { asked.remove(name) }
    }

    mutating func pausedByHandler(_ queue: String, at now: Timestamp) {
        paused(queue, by: .handler, for: World.handlerPause, at: now)
    }
}
