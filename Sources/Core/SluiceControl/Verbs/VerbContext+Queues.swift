import SluiceModel
import SluiceStore

/// Pause, resume, run, settings (D1, D2, D4, section 3).
extension VerbContext {
    func pause(_ request: PauseRequest) throws {
        let cause: Pause.Cause = request.scope == .store ? .store : .person
        let asked = Pause(
            cause: cause, by: person, reason: request.reason, since: now,
            until: request.forMilliseconds.map { now + $0 }, direction: request.direction)
        switch request.scope {
        case .queue(let name):
            let name = try mutation.queue(name).name
            try mutation.addPause(asked, to: name)
            if request.stopsRunning { try stopRunning(in: name) }
            answer.pauses = try mutation.queue(name).activePauses(at: now, real: real)
            try journal(
                "pause", queue: name,
                pauseText(asked, of: name, ended: ShellWord.command("resume", name)),
                undo: try mutation.undoRecord(withQueue: name))
        case .store:
            var undo = UndoRecord()
            undo.storePausesBefore = try store.storeRecord().pauses
            try mutation.addStorePause(asked)
            if request.stopsRunning {
                for queue in try store.queues() { try stopRunning(in: queue.name) }
            }
            answer.pauses = try store.storeRecord().pauses.filter { $0.isActive(at: now) }
            try journal(
                "pause", queue: nil, pauseText(asked, of: "all queues", ended: "resume --all"),
                undo: undo)
        }
    }

    /// The pause that holds now, in words. A second pause joins the first (D1), so the request
    /// alone does not say how the store is paused.
    private func pauseText(_ asked: Pause, of what: String, ended resume: String) -> String {
        let held = answer.pauses.first { $0.isSame(as: asked) } ?? asked
        let way = held.direction == .work ? "" : " (\(held.direction.rawValue))"
        let time = held.until.map { " for the next \(DurationText.taken($0 - now))" } ?? ""
        let why = held.reason.map { ": \($0)" } ?? ""
        let isFirst = held == asked
        let isAsAsked =
            (held.until, held.direction, held.reason ?? "")
            == (asked.until, asked.direction, asked.reason ?? held.reason ?? "")
        if !isAsAsked {
            answer.consequences.append(
                "an earlier pause holds, and a second one never shortens or narrows it: "
                    + "sluice \(resume) ends it")
        }
        let verb = isFirst ? "paused" : what == "all queues" ? "stay paused" : "stays paused"
        return "\(what) \(verb)\(way) by \(held.by)\(time)\(why)"
    }

    /// `--now`: stops running tasks, which wait again without a counted attempt (A6).
    private func stopRunning(in queue: String) throws {
        let running = TaskQuery(queue: queue, state: .running, limit: 10_000)
        for task in try store.tasks(matching: running) where task.running?.stop == nil {
            try mutation.apply(.requestStop(.stopped, nil), to: task)
            answer.consequences.append("#\(task.id) \(task.type) is asked to stop")
        }
    }

    func resume(_ scope: VerbScope) throws {
        switch scope {
        case .queue(let name):
            let queue = try mutation.queue(name)
            answer.endedPauses = queue.activePauses(at: now, real: real)
            try mutation.changeQueue(name) { $0.pauses = [] }
            try mutation.forgetSpentBreakpoints()
            answer.pauses = try store.storeRecord().pauses.filter { $0.isActive(at: now) }
            if !answer.pauses.isEmpty {
                answer.consequences.append(
                    "the store is still paused: sluice resume --all ends that")
            }
            guard !answer.endedPauses.isEmpty else {
                answer.summary = "\(name) was not paused"
                return
            }
            let causes = answer.endedPauses.map { "\($0.cause.rawValue) (\($0.by))" }
            try journal(
                "resume", queue: name,
                "\(name) resumed by \(person), ended: \(causes.joined(separator: ", "))",
                undo: try mutation.undoRecord(withQueue: name))
            answer.endedPauses = try answer.endedPauses.map(store.named)
        case .store:
            var record = try store.storeRecord()
            var undo = UndoRecord()
            undo.storePausesBefore = record.pauses
            answer.endedPauses = record.pauses.filter { $0.isActive(at: now) }
            guard !answer.endedPauses.isEmpty else {
                answer.summary = "the store was not paused"
                return
            }
            record.pauses = []
            record.version += 1
            try store.put(record)
            let others = try store.queues().filter { $0.isPaused(at: now, real: real) }.map(\.name)
            if !others.isEmpty {
                let names = others.prefix(5).joined(separator: ", ")
                let more = others.count > 5 ? " and \(others.count - 5) more" : ""
                answer.consequences.append("paused by themselves still: \(names)\(more)")
            }
            let what = others.isEmpty ? "all queues resumed" : "the pause of all queues ended"
            try journal("resume", queue: nil, "\(what) by \(person)", undo: undo)
        }
    }

    /// Opens a run, or continues a run that steps or a pause left open (D4).
    func run(_ name: String, limit: RunLimit?) throws {
        let queue = try mutation.queue(name)
        try queue.refuseElsewhere()
        try checkEnd(limit, in: name)
        let pauses = try store.storeRecord().pauses
        if let run = queue.run,
            queue.goesOnByItself, !run.isSpent(at: now),
            !queue.isStopped(at: now, real: real, storePauses: pauses)
        {
            let count = run.attempted == 1 ? "1 attempt" : "\(run.attempted) attempts"
            answer.summary = "a run of \(name) is already open, after \(count)"
            answer.run = run
            return
        }
        let runners = try store.processes().filter { $0.role == .runner && !$0.isStopping }
        let first = try store.eligible(
            queue, for: runners, assumesRunner: runners.isEmpty, now: now, limit: 1)
        guard !first.isEmpty else {
            try journal("run", queue: name, "nothing in \(name) could run", undo: nil)
            return
        }
        try mutation.openRun(name, limit: nil)
        try mutation.goPastStops(of: name)
        try mutation.changeQueue(name) { $0.run?.limit = self.end(limit, after: queue.run) }
        answer.run = try mutation.queue(name).run
        if runners.isEmpty {
            answer.consequences.append(
                "\(RunnerLack.nobody.sentence): sluice work --handlers FILE begins it, "
                    + "a step takes one")
        }
        var undo: UndoRecord?
        if queue.run == nil, let opened = answer.run {
            undo = UndoRecord()
            undo?.run = opened.number
        }
        let verb = queue.run == nil ? "opened" : "taken up again"
        try journal("run", queue: name, "a run of \(name) \(verb) by \(person)", undo: undo)
    }

    private func checkEnd(_ limit: RunLimit?, in queue: String) throws {
        switch limit {
        case .task(let id):
            let task = try store.requireTask(id)
            guard task.queue == queue, task.waiting != nil else {
                throw QueueError.notLegal(
                    "#\(id) does not wait in \(queue)", fix: "name a waiting task of the queue")
            }
        case .count(let count) where count < 1:
            throw QueueError(.badValue, "the count is \(count)", fix: "allowed: 1 or more")
        case .count, .time, nil: break
        }
    }

    /// A count adds to the attempts of the open run.
    private func end(_ limit: RunLimit?, after run: Run?) -> RunLimit {
        guard case .count(let count)? = limit else { return limit ?? .toItsEnd }
        return .count(count > .max / 2 ? .max : count + (run?.attempted ?? 0))
    }

    func forceNetwork(_ forced: Bool?) throws {
        var record = try store.storeRecord()
        record.forcedNetwork = forced
        record.version += 1
        try store.put(record)
        let word = Self.networkWord(forced)
        try journal("network", queue: nil, "the network is \(word) by \(person)", undo: nil)
    }

    /// Forces the network of one queue, whatever the store's is (B6).
    func forceNetwork(_ forced: Bool?, of name: String) throws {
        let queue = try mutation.queue(name)
        try mutation.changeQueue(queue.name) { $0.settings.forcedNetwork = forced }
        if forced == nil, let store = try store.storeRecord().forcedNetwork {
            answer.consequences.append(
                "it is forced \(store ? "on" : "off") for every queue")
        }
        let word = forced == nil ? "that of the store again" : Self.networkWord(forced)
        try journal(
            "network", queue: queue.name, "the network of \(queue.name) is \(word) by \(person)",
            undo: try mutation.undoRecord(withQueue: queue.name))
    }

    private static func networkWord(_ forced: Bool?) -> String {
        forced.map { $0 ? "forced on" : "forced off" } ?? "measured again"
    }

    func enqueue(_ name: String, _ requests: [EnqueueRequest]) throws {
        var rest = CollectionOfOne(requests).makeIterator()
        try enqueue(name) { rest.next() }
    }

    func enqueue(_ name: String, _ next: () throws -> [EnqueueRequest]?) throws {
        var (hasPriority, hasMembers, type): (Bool, Bool, String?) = (false, false, nil)
        let result = try mutation.enqueue(to: name) {
            let requests = try next()
            hasPriority =
                hasPriority
                || requests?.contains { $0.priority != 0 || $0.priorityName != nil } ?? false
            hasMembers = hasMembers || requests?.contains { !$0.groupMembers.isEmpty } ?? false
            type = type ?? requests?.first?.type
            keep(requests ?? [])
            return requests
        }
        answer.changed = result.ids
        answer.createdQueue = result.createdQueue ? Names.composed(name) : nil
        if hasPriority, try mutation.queue(name).settings.order != .priority {
            answer.consequences.append(
                "the order of \(name) is not priority, so the priority has no effect")
        }
        if hasMembers {
            answer.consequences += try store.groupMistakes(of: result.added).map(\.description)
        }
        try tellKept(result)
        guard let first = result.added.first else { return }
        let text =
            result.added.count == 1
            ? "#\(first) \(type ?? "task") enqueued by \(person)"
            : "\(result.added.count) tasks enqueued by \(person)"
        let isOne = result.added.count == 1
        try journal(
            "enqueue", queue: name, task: isOne ? first : nil, text, undo: mutation.undo)
    }

    /// Says which tasks were kept by their unique keys, and the state of each.
    private func tellKept(_ result: EnqueueResult) throws {
        guard !result.kept.isEmpty else { return }
        let reading = try Reading(store, now: real)
        var shown: [TaskID: Display] = [:]
        for id in result.kept {
            let state = try shown[id] ?? reading.line(id).display
            shown[id] = state
            answer.kept.append(Answer.Kept(id: id, state: state))
        }
        let lines = answer.kept.prefix(Self.namedAtMost).map { kept in
            "kept #\(kept.id), which is \(kept.state.rawValue) and has that unique key"
        }
        if result.added.isEmpty, lines.count == 1 {
            answer.summary = lines[0]
            return
        }
        if result.added.isEmpty {
            answer.summary = "nothing is new: \(NumberText.tasks(answer.kept.count)) kept"
        }
        let rest = answer.kept.count - lines.count
        answer.consequences += lines + (rest > 0 ? ["kept: \(rest) more"] : [])
    }

    /// A sentence names no more tasks than this.
    private static let namedAtMost = 10

    /// Keeps enqueued tasks for the script, up to one more than its limit.
    private func keep(_ requests: [EnqueueRequest]) {
        let known = enqueued ?? []
        guard known.count <= VerbScript.taskLimit else { return }
        enqueued = known + requests.prefix(VerbScript.taskLimit + 1 - known.count)
    }

    func setQueue(_ named: String, _ changes: [SettingChange]) throws {
        try Names.check(named, of: "queue")
        let known = try store.queue(named: named)
        let isNew = known == nil
        let name = known?.name ?? Names.composed(named)
        if isNew { try store.put(QueueRecord(name: name, createdAt: now)) }
        let former = try mutation.queue(name).settings
        var settings = former
        for change in changes { try settings.apply(change) }
        try settings.checkKeys(queue: name)
        try mutation.changeQueue(name) { $0.settings = settings }
        if isNew { answer.createdQueue = name }
        let kept = try mutation.queue(name).settings
        let isFolder = try !former.expiresAlike(kept) && store.isAppFolder(name)
        if isFolder { try expireInFolder(name, before: former, now: kept) }
        try tellUnreached(in: name, before: former, now: kept, isExpiryGiven: isFolder)
        if kept.ranks != former.ranks, !kept.ranks.ranks.isEmpty, kept.order != .priority {
            answer.consequences.append(
                "the order of \(name) is not priority, so ranks have no effect: "
                    + "add --order priority")
        }
        try journal(
            "queueSet", queue: name,
            isNew
                ? "\(name) made by \(person)"
                : "settings of \(name) changed by \(person)" + Self.words(of: changes, in: kept),
            undo: isNew ? nil : try mutation.undoRecord(withQueue: name))
    }

    /// The named settings with their new values.
    private static func words(of changes: [SettingChange], in kept: QueueSettings) -> String {
        var all: [String] = []
        for change in changes {
            guard let words = kept.words(of: change), !all.contains(words) else { continue }
            all.append(words)
        }
        guard !all.isEmpty else { return "" }
        let more = all.count > 4 ? " and \(all.count - 4) more" : ""
        return ": " + all.prefix(4).joined(separator: ", ") + more
    }

    /// Reports the waiting tasks that a new setting does not affect. A task copies its expiry and
    /// priority from the settings at enqueue.
    private func tellUnreached(
        in name: String, before: QueueSettings, now after: QueueSettings, isExpiryGiven: Bool
    ) throws {
        let waiting = try store.counts(queue: name)[.waiting]
        guard waiting > 0 else { return }
        let copied: [(isChanged: Bool, what: String)] = [
            (!isExpiryGiven && !before.expiresAlike(after), "expiry"),
            (
                before.priorityNames != after.priorityNames || before.ranks != after.ranks,
                "priority"
            ),
        ]
        let verb = waiting == 1 ? "waits keeps its" : "wait keep their"
        for setting in copied where setting.isChanged {
            answer.consequences.append(
                "\(NumberText.tasks(waiting)) that \(verb) \(setting.what): the setting holds "
                    + "for tasks that are enqueued from now on")
        }
    }

    func deleteQueue(_ name: String, _ evenWithTasks: Bool) throws {
        _ = try mutation.queue(name)
        let counts = try store.counts(queue: name)
        if counts[.running] > 0 {
            let run = counts[.running] == 1 ? "runs" : "run"
            throw QueueError.notLegal(
                "\(NumberText.tasks(counts[.running])) of \(name) \(run)",
                fix: "pause it with --now first")
        }
        if counts[.waiting] > 0, !evenWithTasks {
            let wait = counts[.waiting] == 1 ? "waits" : "wait"
            throw QueueError.notLegal(
                "\(NumberText.tasks(counts[.waiting])) \(wait) in \(name)",
                fix: "sluice \(ShellWord.command("queue delete", name, " --yes")) forgets them too")
        }
        try store.removeQueue(named: name)
        answer.consequences += try Reading(store, now: real).breakpoints()
            .filter { $0.filter.queue == name }
            .map { kept in
                "\(kept.name) stays, and watches a new queue of that name: "
                    + "sluice break remove \(kept.number) removes it"
            }
        try journal("queueDelete", queue: name, "\(name) deleted by \(person)", undo: nil)
    }
}
