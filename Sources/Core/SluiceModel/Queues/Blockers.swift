extension QueueTask {
    /// The reasons why this waiting task is not running, in the order B1 B2 B11 B12 B4 B3 B5 B7 B6
    /// B9 B8 B13 B10. Empty if it is eligible. Empty for other tasks, unless the runner of a
    /// running task is dead or in doubt.
    ///
    /// With `runner` the answer concerns only that runner; otherwise any attached one (N1).
    package func blockers(
        in place: EligibilityContext, for runner: ProcessRecord? = nil
    ) -> [Blocker] {
        if let runner = goneRunner(place) { return [goneBlocker(runner)] }
        if let runner = doubtedRunner(place) { return [doubtBlocker(runner)] }
        guard let waiting else { return [] }
        return queueBlockers(place) + ownBlockers(waiting, place) + orderBlockers(place)
            + roomBlockers(waiting, place, runner)
    }

    /// The queue's reasons not to start work; a permit passes them.
    private func queueBlockers(_ place: EligibilityContext) -> [Blocker] {
        guard !place.hasPermit else { return [] }
        let pauses = place.queue.run?.isAsked == true ? [] : place.workPauses
        return pauses.map { Self.pauseBlocker($0, place) } + [runBlocker(place)].compactMap { $0 }
    }

    /// The task's own blockers.
    private func ownBlockers(_ waiting: Waiting, _ place: EligibilityContext) -> [Blocker] {
        var found: [Blocker] = []
        if isExpired(at: place.now, settings: place.queue.settings) {
            found.append(
                Blocker(
                    .parked, cause: "expired",
                    text: "it has expired and is given up at the worker's next sweep",
                    fix: .task(.retry, id)))
        }
        if let parking = waiting.parking, parking.cause != .editing {
            found.append(parkingBlocker(parking))
        }
        if let edit = editBlocker(place) { found.append(edit) }
        if let lingering = waiting.lingering { found.append(lingeringBlocker(lingering)) }
        if let skip = waiting.skip, skip.until.map({ $0 > place.now }) ?? true {
            found.append(skipBlocker(skip))
        }
        if let timer = waiting.timer, timer.until > place.now {
            found.append(timerBlocker(timer, place))
        }
        return found
    }

    /// The blockers of order: a start of its groups, pending work for members, and the head.
    private func orderBlockers(_ place: EligibilityContext) -> [Blocker] {
        [
            place.holder.map { groupBlocker($0, place) },
            place.queue.barrier(before: self).map(wakeBlocker), headBlocker(place),
        ].compactMap { $0 }
    }

    /// The blockers of runners and capacity: a runner, a slot in the queue and room in the run.
    private func roomBlockers(
        _ waiting: Waiting, _ place: EligibilityContext, _ runner: ProcessRecord?
    ) -> [Blocker] {
        var found = runnerBlockers(place, runner)
        let others = place.running.filter { $0.id != id }
        if others.count >= place.queue.settings.concurrency {
            found.append(slotBlocker(others, place))
        }
        let peers = place.queue.settings.limitsTypes ? others.filter { $0.type == type } : []
        if let limit = place.queue.settings.types[type]?.concurrency, peers.count >= limit {
            found.append(slotBlocker(peers, place, ofType: limit))
        }
        if let rate = rateBlocker(place) { found.append(rate) }
        if waiting.attemptedInRun, place.queue.run != nil {
            found.append(
                Blocker(
                    .attemptedInRun, text: "it was already attempted in the run that is open",
                    fix: .step(id)))
        }
        return found
    }

    private func rateBlocker(_ place: EligibilityContext) -> Blocker? {
        guard !place.hasPermit, let rate = place.queue.settings.rate,
            let opens = place.queue.rateOpens(for: place.rateKey, after: place.now)
        else { return nil }
        let next = rate.per == nil ? "the next task" : "the next task with its value"
        return Blocker(
            .rate,
            text: "the rate of \(place.queue.name), \(rate.words), lets \(next) start in "
                + DurationText.left(opens - place.now), until: opens, fix: .step(id))
    }

    /// The runner that was executing it when it died (A2).
    func goneRunner(_ place: EligibilityContext) -> ProcessRecord? {
        running.flatMap { lease in place.gone.first { $0.id == lease.owner } }
    }

    /// The recorded runner of its execution, if no sign shows whether that process lives.
    private func doubtedRunner(_ place: EligibilityContext) -> ProcessRecord? {
        running.flatMap { lease in place.doubted.first { $0.id == lease.owner } }
    }

    private func doubtBlocker(_ runner: ProcessRecord) -> Blocker {
        Blocker(
            .noRunner, cause: "unknown",
            text: "worker \(runner.id) (pid \(runner.pid) on \(runner.host)) runs it, and "
                + "whether that lives cannot be told: its lock cannot be opened by this user",
            fix: .task(.reclaim, id))
    }

    private func goneBlocker(_ runner: ProcessRecord) -> Blocker {
        Blocker(
            .noRunner, cause: "dead",
            text: "worker \(runner.id) (pid \(runner.pid)) died while it ran it; it waits again as "
                + "soon as a process that may write recovers it", fix: .doctor)
    }

    private static func pauseBlocker(_ pause: Pause, _ place: EligibilityContext) -> Blocker {
        let isStore = pause.isOfStore
        let what = isStore ? "the store" : "the queue \(place.queue.name)"
        let why = pause.reason.map { ": \"\($0)\"" } ?? ""
        if pause.cause == .breakpoint {
            let ago = DurationText.short(max(0, place.real - pause.stoppedAt))
            let stopped = "\(pause.by) stopped \(what)\(pause.stopSign)"
            return Blocker(
                .queuePaused, cause: pause.cause.rawValue,
                text: "\(stopped) \(pause.reason ?? ""), \(ago) ago"
                    + Self.end(of: pause, at: place.real),
                task: pause.hits.last?.task, until: pause.until,
                fix: .goOn(queue: place.queue.name))
        }
        let ago = DurationText.short(max(0, place.now - pause.since))
        return Blocker(
            .queuePaused, cause: pause.cause.rawValue,
            text: "\(what) is paused by \(pause.by) for \(ago)\(why)"
                + Self.end(of: pause, at: place.now),
            until: pause.until,
            fix: isStore ? .resumeStore : .resume(queue: place.queue.name))
    }

    private static func end(of pause: Pause, at now: Timestamp) -> String {
        pause.until.map { ", ends in \(DurationText.left(max(0, $0 - now)))" } ?? ""
    }

    private func runBlocker(_ place: EligibilityContext) -> Blocker? {
        if let run = place.queue.run {
            guard !place.queue.goesOnByItself || run.isSpent(at: place.now) else { return nil }
            guard run.limit == nil || run.limit == .stepsOnly else {
                return Blocker(
                    .noRun, text: "the run that is open has gone as far as it was asked to",
                    fix: .run(queue: place.queue.name))
            }
            var text = "steps alone drive the run that is open"
            if let next = place.nextRun {
                let wait = DurationText.left(next - place.now)
                text += "; it resumes " + (next > place.now ? "in \(wait)" : "now")
            }
            return Blocker(
                .noRun, text: text, until: place.nextRun, fix: .run(queue: place.queue.name))
        }
        switch place.queue.settings.start {
        case .continuous: return nil
        case .manual:
            return Blocker(
                .noRun, text: "its queue is manual and no run is open",
                fix: .run(queue: place.queue.name))
        case .batched(let count, _):
            var text = "no run is open"
            if let missing = place.missingToThreshold, missing > 0 {
                text += "; \(count - missing) of \(count) fresh tasks are there"
            }
            if let next = place.nextRun {
                let wait = DurationText.left(next - place.now)
                text += "; the next run " + (next > place.now ? "begins in \(wait)" : "is due")
            }
            return Blocker(
                .noRun, text: text, until: place.nextRun,
                fix: .run(queue: place.queue.name))
        }
    }

    private func parkingBlocker(_ parking: Parking) -> Blocker {
        if let system = parking.system {
            return Blocker(
                .parked, cause: "system", text: "\(system) blocked it: \(parking.detail)",
                fix: .task(.retry, id))
        }
        let why: String
        switch parking.cause {
        case .handler: why = "its handler parked it"
        case .cancelled: why = "it was cancelled"
        case .lost: why = "its worker died"
        case .missing: why = "its file is missing or cannot be read"
        case .editing: why = "it is being edited"
        case .breakpoint: why = "a breakpoint holds it"
        }
        let detail = parking.detail.isEmpty ? "" : ": \(parking.detail)"
        return Blocker(
            .parked, cause: parking.cause.rawValue, text: "parked, since \(why)\(detail)",
            fix: .task(.retry, id))
    }

    /// An edit that is in progress, also of a task that is parked for another cause.
    private func editBlocker(_ place: EligibilityContext) -> Blocker? {
        let lease = place.processes.lazy.compactMap(\.editing).first { $0.holds(self) }
        let parking = waiting?.parking.flatMap { $0.cause == .editing ? $0 : nil }
        guard let person = lease?.by ?? parking?.detail else { return nil }
        return Blocker(
            .parked, cause: Parking.Cause.editing.rawValue, text: "\(person) is editing it",
            until: lease?.until, fix: .task(.retry, id))
    }

    private func lingeringBlocker(_ lingering: Lingering) -> Blocker {
        let pid = lingering.pid.map { " (pid \($0))" } ?? ""
        switch lingering.kind {
        case .abandoned:
            return Blocker(
                .abandoned,
                text: "its attempt \(lingering.attempt) was asked to stop and still runs in "
                    + "worker \(lingering.owner)", fix: .task(.reclaim, id))
        case .orphan:
            return Blocker(
                .orphan,
                text: "a process of its attempt \(lingering.attempt)\(pid) still runs, and no "
                    + "worker has the task", fix: .task(.reclaim, id))
        }
    }

    private func skipBlocker(_ skip: Skip) -> Blocker {
        let end = skip.endsWithRun && skip.until == nil ? ", until the run ends" : ""
        return Blocker(
            .skipped, text: "skipped by \(skip.by)\(end)", until: skip.until,
            fix: .task(.unskip, id))
    }

    private func timerBlocker(_ timer: WaitTimer, _ place: EligibilityContext) -> Blocker {
        let wait = DurationText.left(timer.until - place.now)
        let limit = place.queue.settings.attemptLimit(of: self)
        let count = limit.map { "\(attempts + 1) of \($0)" } ?? "\(attempts + 1)"
        var text =
            timer.cause == .retry
            ? "it waits out a retry: attempt \(count) in \(wait)" : "it begins in \(wait)"
        if timer.cause == .retry, place.queue.settings.types[type]?.retry != nil {
            text += ", by the rule of its type"
        }
        if timer.isBeyondRule(at: place.now) {
            let rule = place.queue.settings.retry(of: self)
            text += ", which is beyond what its rule (\(rule)) can give: "
            text += "the clock was ahead when it failed"
        } else if timer.isAhead(at: place.now) {
            text += ": it was set for \(DurationText.rounded(timer.until - timer.since)) later "
            text += "while the clock was ahead"
        }
        return Blocker(.notBefore, text: text, until: timer.until, fix: .task(.retry, id))
    }

    private func groupBlocker(_ holder: QueueTask, _ place: EligibilityContext) -> Blocker {
        let group = holder.groupStart ?? ""
        let how: String
        var fix: Blocker.Fix? = .task(.retry, holder.id)
        switch holder.state {
        case .running: (how, fix) = ("is running", nil)
        case .failed: how = "was given up"
        case .deleted: (how, fix) = ("was deleted", .task(.undelete, holder.id))
        case .succeeded: (how, fix) = ("succeeded", nil)
        case .waiting(let waiting):
            if let parking = waiting.parking {
                how = parking.display == .blocked ? "is blocked" : "is parked"
            } else if waiting.skip != nil {
                (how, fix) = ("is skipped", .task(.unskip, holder.id))
            } else if let timer = waiting.timer, timer.until > place.now {
                how = "retries in \(DurationText.left(timer.until - place.now))"
            } else {
                (how, fix) = ("waits before it", .why(holder.id))
            }
        }
        let end = holder.endedStartPolicy == .skipRun ? ", until the run ends" : ""
        return Blocker(
            .groupStart, cause: group,
            text: "its group \(group) is held by #\(holder.id) \(holder.type), which \(how)\(end)",
            task: holder.id, fix: fix)
    }

    private func wakeBlocker(_ wake: GroupWake) -> Blocker {
        let what = wake.taking == nil ? "freed, or held," : "taken with their start"
        return Blocker(
            .groupStart, cause: wake.group,
            text: "members of \(wake.group) are being \(what) one after the other, and nothing "
                + "overtakes them")
    }

    private func headBlocker(_ place: EligibilityContext) -> Blocker? {
        guard place.queue.settings.afterFailure == .block, let head = place.head, head.id != id
        else { return nil }
        return Blocker(
            .headOfQueue,
            text: "strict order: #\(head.id) \(head.type) comes first", task: head.id,
            fix: .task(.skip, head.id))
    }

    private func runnerBlockers(_ place: EligibilityContext, _ runner: ProcessRecord?) -> [Blocker]
    {
        // A process that only executes steps counts for permits alone.
        let attached = place.processes.filter {
            $0.isWorking || place.hasPermit && $0.role == .runner && !$0.isStopping
        }
        let able = (runner.map { [$0] } ?? attached).filter {
            $0.handles(type: type, queue: queue)
        }
        var found: [Blocker] = []
        if let blocker = networkBlocker(place, able) { found.append(blocker) }
        if able.isEmpty { found.append(lonelyBlocker(attached)) }
        return found
    }

    private func lonelyBlocker(_ attached: [ProcessRecord]) -> Blocker {
        let contest = attached.lazy.compactMap { runner in
            runner.contested.first { $0.queue == self.queue }.map { (runner.id, $0.words) }
        }.first
        if let (id, words) = contest {
            return Blocker(.noRunner, cause: "contested", text: "in worker \(id) \(words)")
        }
        let lack = RunnerLack(of: type, in: queue, among: attached)
        return Blocker(.noRunner, text: lack.sentence, fix: .work)
    }

    private func networkBlocker(_ place: EligibilityContext, _ able: [ProcessRecord]) -> Blocker? {
        guard !requires.isEmpty else { return nil }
        switch place.queue.forcedNetwork(else: place.forcedNetwork) {
        case true?: return nil
        case false?:
            let own = place.queue.settings.forcedNetwork.map { _ in queue }
            return Blocker(
                .requirement, cause: "network",
                text: "the network was forced off" + (own.map { " for \($0)" } ?? ""),
                fix: .network(forced: nil, queue: own))
        case nil: break
        }
        let offline = able.compactMap { runner in
            runner.offlineCause(at: place.now).map { (runner: runner, cause: $0) }
        }
        guard let first = offline.first, offline.count == able.count else { return nil }
        var text = "it needs the network, and "
        if offline.count == 1 {
            text += "worker \(first.runner.id) is offline: \(first.cause.words)"
        } else {
            let named = offline.prefix(3).map { "\($0.runner.id), \($0.cause.words)" }
            text += "all \(offline.count) workers for it are offline: "
            text += named.joined(separator: "; ")
        }
        let ends = offline.filter { $0.cause == .handler }.compactMap(\.runner.offlineUntil)
        return Blocker(
            .requirement, cause: "network", text: text, until: ends.min(),
            fix: .network(forced: true))
    }

    /// No place in the queue, or in that of its type.
    private func slotBlocker(
        _ executed: [QueueTask], _ place: EligibilityContext, ofType typeLimit: Int? = nil
    ) -> Blocker {
        let limit = typeLimit ?? place.queue.settings.concurrency
        let owner = typeLimit == nil ? "its queue's" : "in its queue, \(type)'s"
        let named = executed.prefix(3).map { "#\($0.id)" }
        let more = max(executed.count, limit) - named.count
        let names = WordList.and(named + (named.count == 3 && more > 0 ? ["\(more) more"] : []))
        let places = limit == 1 ? "\(owner) one place is" : "\(owner) \(limit) places are"
        let lost = executed.filter { $0.goneRunner(place) != nil }.map { "#\($0.id)" }
        let fate = lost.count == 1 ? "is lost: its worker died" : "are lost: their workers died"
        return Blocker(
            .noSlot, cause: lost.count == executed.count ? "dead" : nil,
            text: "\(places) taken by \(names)"
                + (lost.isEmpty ? "" : "; \(WordList.and(lost)) \(fate)"),
            task: executed.first?.id,
            fix: lost.isEmpty ? executed.first.map { .why($0.id) } : .doctor)
    }
}
