package import SluiceModel

/// Why a task of another system does not run now.
package enum ForeignWhy {
    /// The blockers of a task in its system's words, the one to fix first at the front. `title` is
    /// the system's name, `obstacle` the reason that the system reports.
    package static func blockers(
        of task: ForeignTask, in queue: ForeignQueue?, title: String, obstacle: String?,
        runners: [ForeignRunner]?, now: Timestamp
    ) -> [Blocker] {
        if task.display == .taken {
            return [obstacle.map { Blocker(.requirement, text: $0) }].compactMap { $0 }
        }
        guard task.display.state == .waiting else { return [] }
        var found: [Blocker] = []
        switch task.display {
        case .skipped:
            found.append(
                Blocker(
                    .skipped, text: "it was set aside", fix: .foreignTask(.unskip, task.reference)))
        case .delayed, .retrying:
            if let moment = task.notBefore {
                let time = TimeText.rfc3339(moment)
                let isLate = moment <= now
                let late = "its time was \(time), and \(title) has not put it into its queue yet"
                // A retry would end the series.
                let again = task.recurrence.map {
                    ", \($0): sluice \(ShellWord.command("postpone", task.reference, " 1s"))"
                }
                found.append(
                    Blocker(
                        .notBefore,
                        text: (isLate ? late : "it waits until \(time)") + (again ?? ""),
                        until: isLate ? nil : moment,
                        fix: again == nil ? .foreignTask(.retry, task.reference) : nil))
            }
        case .left:
            found.append(
                Blocker(
                    .requirement, text: "it is held since a hold that ended",
                    fix: .resume(queue: task.queue)))
        case .blocked where obstacle == nil:
            found.append(
                Blocker(.requirement, text: "\(title) lets something else come first"))
        default: break
        }
        if let obstacle { found.append(Blocker(.requirement, text: obstacle)) }
        found += queue.map { stops($0, title) } ?? []
        if let lack = runners.flatMap({ lack(of: task, among: $0, title) }) { found.append(lack) }
        return found
    }

    /// The queue's hold, and the system's own pause.
    private static func stops(_ queue: ForeignQueue, _ title: String) -> [Blocker] {
        var found: [Blocker] = []
        if let hold = queue.hold {
            let why = hold.note.reason.map { ": \"\($0)\"" } ?? ""
            let slips = hold.slips.map { "; \($0)" } ?? ""
            found.append(
                Blocker(
                    .queuePaused, cause: "person",
                    text: "\(hold.note.by) holds \(queue.name)\(why)\(slips)",
                    fix: .resume(queue: queue.name)))
        }
        if let own = queue.ownPause {
            found.append(
                Blocker(
                    .queuePaused, cause: "app", text: "\(queue.name) is paused by \(title): \(own)")
            )
        }
        return found
    }

    /// Why no worker takes a queue's tasks, where it has some and none runs; `nil` if a worker
    /// serves it. `name` is its name on the screen.
    package static func lack(
        of queue: ForeignQueue, named name: String, among runners: [ForeignRunner]
    ) -> RunnerLack? {
        guard queue.inFlight == 0, queue.waiting + queue.delayed > 0 else { return nil }
        // A worker without listed queues may serve any queue.
        let isServed = runners.contains { runner in
            runner.queues.isEmpty || runner.queues.contains { $0.isSame(as: queue.name) }
        }
        guard !isServed else { return nil }
        let served = Set(runners.flatMap(\.queues)).sorted()
        return runners.isEmpty
            ? .nobody : .queue(name, runners: runners.count, serve: served)
    }

    /// The reason no worker takes the task, if known.
    private static func lack(
        of task: ForeignTask, among runners: [ForeignRunner], _ title: String
    ) -> Blocker? {
        // A worker without listed queues may serve any queue.
        let serving = runners.filter { $0.queues.isEmpty || $0.queues.contains(task.queue) }
        guard !serving.isEmpty else {
            return Blocker(
                .noRunner, text: "no worker of \(title) serves \(task.queue)\(others(runners))")
        }
        guard task.display == .due, let slots = totalSlots(serving),
            serving.reduce(0, { $0 + $1.running.count }) >= slots
        else { return nil }
        let who = serving.count == 1 ? serving[0].name : "\(serving.count) workers"
        return Blocker(
            .noSlot, text: "\(who) of \(title): all \(slots) slots for \(task.queue) are busy")
    }

    /// The queues that the known workers serve, in words.
    private static func others(_ runners: [ForeignRunner]) -> String {
        guard !runners.isEmpty else { return ": none is known" }
        let words = runners.prefix(3).map {
            "\($0.name) serves \($0.queues.joined(separator: ", "))"
        }
        let more = runners.count > 3 ? " and \(runners.count - 3) more" : ""
        return ": \(words.joined(separator: "; "))\(more)"
    }

    private static func totalSlots(_ runners: [ForeignRunner]) -> Int? {
        let slots = runners.compactMap(\.slots)
        return slots.count == runners.count ? slots.reduce(0, +) : nil
    }
}

extension ForeignStore {
    /// Why no worker takes the tasks of queues that nothing stops, by the queues' places in a list.
    /// Asks the workers of a system only if an answer needs them.
    package func lacks(of queues: [ForeignQueue]) throws -> [Int: RunnerLack] {
        let names = ForeignQueueName.names(of: queues)
        var found: [Int: RunnerLack] = [:]
        for system in systems where system.listsRunners {
            let open = queues.indices.filter { place in
                let queue = queues[place]
                return queue.system == system.name && !queue.isStopped
                    && ForeignWhy.lack(of: queue, named: "", among: []) != nil
            }
            guard !open.isEmpty else { continue }
            let runners = try system.runners()
            for place in open {
                found[place] = ForeignWhy.lack(
                    of: queues[place], named: names[place].shown, among: runners)
            }
        }
        return found
    }
}

extension ForeignSystem {
    /// Why a task does not run now.
    package func blockers(of detail: ForeignDetail, now: Timestamp) throws -> [Blocker] {
        let display = detail.task.display
        guard display.state == .waiting || display == .taken else { return [] }
        let isTaken = display == .taken
        let queue = isTaken ? nil : try stops(of: detail.task.queue)
        var detail = detail
        detail.task = detail.task.shown(in: queue)
        let found = ForeignWhy.blockers(
            of: detail.task, in: queue, title: title, obstacle: try obstacle(of: detail),
            runners: listsRunners && !isTaken ? try runners() : nil, now: now)
        guard refusal(of: .retry) != nil else { return found }
        // Omit fixes that the system does not support.
        return found.map { blocker in
            var blocker = blocker
            if case .foreignTask(.retry, _) = blocker.fix { blocker.fix = nil }
            return blocker
        }
    }
}
