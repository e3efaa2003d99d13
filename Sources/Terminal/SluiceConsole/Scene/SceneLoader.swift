package import SluiceControl
package import SluiceModel
import SluiceStore

/// Reads what the screen shows: a pure function of one moment of a store and a request.
package struct SceneLoader {
    let reading: Reading
    let hands: SearchWorkers
    /// Executions of another system's workers that ended between two looks.
    package var seen: [AttemptRecord] = []
    private let storeName: String
    private var store: any StoreReader { reading.store }
    private var now: Timestamp { reading.now }

    /// How many groups view 2 lists, timers view 3 lists.
    static let groupLimit = 200
    static let timerLimit = 200
    /// How many the pane at the left reads.
    static let paneTimerLimit = 20
    /// How many it reads of a further queue.
    static let queueTimerLimit = 4
    static let memberLimit = 50

    /// A loader at one moment of a store.
    package init(_ reading: Reading, of storeName: String = "", hands: SearchWorkers = .one) {
        self.reading = reading
        self.storeName = storeName
        self.hands = hands
    }

    /// Reads the whole scene and omits removed tasks. Throws the store's errors.
    package func load(_ request: LoadRequest) throws -> LoadedScene {
        var scene = LoadedScene(request: request, at: reading.real)
        let record = try store.storeRecord()
        scene.forcedNetwork = record.forcedNetwork
        scene.sharedFilters = record.filters
        if record.isProtected { scene.protectedName = storeName }
        scene.storePauses = record.pauses.filter { $0.isActive(at: now) }
        scene.faults = try reading.faults()
        scene.clock = record.clock
        scene.recording = record.recording
        if request.view == .debugger { scene.debugger = try reading.debuggerRows() }
        let inbox = try store.inbox()
        scene.refusedRows = inbox.refused.isEmpty ? nil : inbox.refusedWords
        scene.runners = try runners()
        let processes = try reading.processes()
        scene.edits = processes.compactMap(\.editing)
        scene.older = processes.filter(DebuggerPart.isEnded)
        scene.recorder = processes.first { $0.id == record.recording?.recorder }
        scene.counts = try store.counts()
        scene.lost = scene.counts[.running] > 0 ? try reading.lostTasks() : 0
        scene.hasRemains = try hasRemains(scene)
        try loadQueues(request, &scene)
        try loadTimers(isView: request.view == .timers, &scene)
        scene.recent = try store.journal(
            JournalQuery(limit: max(1, request.recentLimit), withUndo: false))
        if request.isAll, scene.queue != nil {
            try loadAll(request, &scene)
        } else if let queue = scene.queue {
            try loadQueue(queue, request, &scene)
        }
        if request.view == .flow { try loadFlow(request, &scene) }
        if request.view == .queues { try loadPulse(request, &scene) }
        if let scope = request.timeline { try loadTimeline(scope, &scene) }
        if request.withPlaces {
            scene.places = try reading.payloadPlaces(
                of: scene.page?.rows.map(\.task) ?? [],
                andNewestOf: request.isAll ? nil : scene.selected)
        }
        try loadSubject(request, &scene)
        let isOfHour = [.queues, .failures].contains(request.view) || request.depth == .preview
        if scene.queue != nil, isOfHour {
            scene.lastHour = try reading.lastHour(of: request.isHourOfAll ? nil : scene.selected)
        }
        scene.names = try reading.names(of: scene.namedTasks)
        scene.nextEvent = try nextEvent(scene)
        return scene
    }

    /// The tasks that match, as `*` marks them: their numbers and versions, up to a limit.
    package func collect(_ request: CollectRequest) throws -> [TaskTarget] {
        let queues = try request.queue.map { [try store.requireQueue($0)] } ?? store.queues()
        return try reading.targets(
            in: queues,
            sections: PageReader.sections(request.filter, withEnded: request.withEnded),
            matching: request.filter)
    }

    package func count(_ request: CountRequest) throws -> CountRequest {
        var request = request
        var left = Self.countedAtOnce
        let queues =
            try request.queue.map { name in try [store.queue(named: name)].compactMap(\.self) }
            ?? store.queues()
        for queue in queues where queue.name >= request.reached ?? "" {
            if queue.name != request.reached {
                (request.reached, request.place) = (queue.name, nil)
            }
            guard try count(&request, in: queue, &left) else { return request }
        }
        request.isDone = true
        return request
    }

    /// Counts on in a queue; false where it rests in it.
    private func count(
        _ request: inout CountRequest, in queue: QueueRecord, _ left: inout Int
    ) throws -> Bool {
        let filtered = FilteredQueue(reading, queue, try reading.ready(request.filter))
        let sections = PageReader.sections(request.filter, withEnded: request.withEnded)
        let begin = request.place.flatMap { place in
            sections.firstIndex { $0 == place.section }
        }
        for section in sections[(begin ?? 0)...] {
            var query = TaskQuery(queue: queue.name, state: section.state, limit: 1)
            query.after = request.place?.section == section ? request.place?.key : nil
            while left > 0 {
                query.limit = min(left, 1000)
                let page = try filtered.page(query)
                request.count += try filtered.matching(page.tasks).count
                request.looked += page.looked
                left -= page.looked
                guard let last = page.last else { break }
                query.after = last
                request.place = ListPlace(section, key: last)
                guard page.looked == query.limit else { break }
            }
            guard left > 0 else { return false }
        }
        return true
    }

    private static let countedAtOnce = 4000

    private func runners() throws -> [RunnerLine] {
        try reading.processes().filter { $0.role == .runner }.map { process in
            RunnerLine(process: process, tasks: try store.tasksRun(by: process.id))
        }
    }

    /// Whether dead processes left something to clean up: their records, open edits, or child
    /// processes.
    private func hasRemains(_ scene: LoadedScene) throws -> Bool {
        try !scene.edits.isEmpty || !reading.goneProcesses().isEmpty
            || scene.hasChildren
    }

    /// Loads the visible queues, the selected one, and a few before and after (K6).
    private func loadQueues(_ request: LoadRequest, _ scene: inout LoadedScene) throws {
        let wanted = request.queues
        scene.queueCount = try store.countQueues()
        if wanted.withNames { scene.queueNames = try store.queues().map(\.name) }
        let top = min(wanted.top, scene.queueCount - wanted.height)
        scene.queuesBefore = max(0, top - wanted.height)
        let isWide = request.view == .queues
        if isWide || request.isAll { scene.throughput = try reading.throughput(of: nil) }
        scene.queues = try reading.queues(
            behind: scene.queuesBefore, limit: 3 * wanted.height
        ).map { try line($0, withThroughput: isWide) }
        scene.sought = try request.sought.flatMap { try store.task($0) }
        scene.pinned = try request.rows.pinned.flatMap { try store.task($0) }
        guard let selected = try selectedQueue(request, scene) else { return }
        let place = try store.countQueues(before: selected)
        scene.queuePlace = place
        scene.queue =
            try isWide
            ? scene.queue(at: place)
            : nil
                ?? line(reading.overview(selected), withThroughput: true)
    }

    private func selectedQueue(
        _ request: LoadRequest, _ scene: LoadedScene
    ) throws -> QueueRecord? {
        if let task = scene.sought, !request.isAll { return try store.queue(named: task.queue) }
        let place = request.queues.place.map { min($0, scene.queueCount - 1) }
        if place == nil, let name = request.queue, let queue = try store.queue(named: name) {
            return queue
        }
        // No selection yet: choose the first queue with live tasks.
        if place == nil, request.queue == nil,
            let busy = scene.queues.first(where: { $0.tally.live > 0 })
        {
            return busy.overview.queue
        }
        return try store.queues(behind: max(0, place ?? 0), limit: 1).first
    }

    private func loadTimers(isView: Bool, _ scene: inout LoadedScene) throws {
        let limit = isView ? Self.timerLimit : Self.paneTimerLimit
        let ofQueues = try reading.queueTimers()
        scene.nextRun = ofQueues.filter { $0.kind == .run }.map(\.at).min()
        scene.timers = try reading.timers(beside: ofQueues, limit: limit)
        scene.areTimersCut = scene.timers.count >= limit
        guard isView else { return try loadOtherTimers(ofQueues, &scene) }
        scene.timeline = try reading.timeline(
            behind: scene.timers, limit: limit, beside: ofQueues,
            of: scene.queues.map(\.overview))
    }

    /// Adds timers of queues, and the first of other queues in sight, if one queue fills the pane.
    private func loadOtherTimers(_ ofQueues: [TimerLine], _ scene: inout LoadedScene) throws {
        guard scene.areTimersCut, let last = scene.timers.last else { return }
        scene.timers += ofQueues.filter { $0.at > last.at }.prefix(Self.paneTimerLimit)
        let known = Set(scene.timers.filter { $0.id != nil }.map(\.queue))
        let others = scene.queues.filter { line in
            !known.contains(line.name) && line.tally.retrying + line.tally.delayed > 0
        }
        for line in others.prefix(Self.paneTimerLimit) {
            scene.timers += try reading.taskTimers(of: line.name, limit: Self.queueTimerLimit)
        }
        scene.timers.sort { ($0.at, $0.id ?? 0) < ($1.at, $1.id ?? 0) }
    }

    private func line(_ overview: QueueOverview, withThroughput: Bool) throws -> QueueLine {
        QueueLine(
            overview: overview,
            throughput: withThroughput ? try reading.throughput(of: overview.queue.name) : nil)
    }

    /// The failures, and the common traits of the tasks in the row at the cursor.
    func loadFailures(
        of queue: String?, _ request: LoadRequest, _ scene: inout LoadedScene
    ) throws {
        scene.failing = try reading.failing(of: queue)
        let chosen = scene.failures.first { $0.kind == request.failure } ?? scene.failures.first
        scene.traits = try chosen.map { try reading.traits(of: $0, in: queue) }
    }

    private func loadQueue(
        _ line: QueueLine, _ request: LoadRequest, _ scene: inout LoadedScene
    ) throws {
        let queue = line.overview.queue
        scene.next = try next(queue)
        if scene.next == nil { scene.hindrances = try hindrances(queue, line.overview.counts) }
        switch request.view {
        case .inventory:
            let reader = try PageReader(
                reading, queue: queue, filter: request.rows.filter,
                withEnded: request.rows.withEnded, hands: hands)
            let sorter = try AllReader(
                reading, filter: request.rows.filter, withEnded: request.rows.withEnded)
            let ordered = try self.ordered(
                request.rows, sorter, queue, line.overview.counts)
            var page = try ordered ?? reader.page(request.rows)
            page.isTooLong = ordered == nil && request.rows.order != .running
            if request.rows.filter == nil, ordered == nil {
                page.countBefore = try reader.countBefore(page, line.overview.counts)
                page.total = line.tally.live
                if request.rows.withEnded {
                    page.total? += line.tally.succeeded + line.tally.deleted
                }
            }
            try dress(&page, request, in: queue.name)
            scene.page = page
        case .groups: try loadGroups(queue, request, &scene)
        case .activity: try loadActivity(of: queue.name, request, &scene)
        case .failures: try loadFailures(of: queue.name, request, &scene)
        case .timers, .runners, .queues, .debugger, .flow, .fleet: break
        }
    }

    /// Adds facts to the rows: about texts, breakpoints and faults that match, and remarks about
    /// the list. A `nil` queue is the list of all queues.
    func dress(_ page: inout TaskPage, _ request: LoadRequest, in queue: String?) throws {
        let tasks = page.rows.map(\.task)
        if let key = request.rows.filter?.onlyName(of: .failure) {
            let failure = try reading.failures(of: queue).first { $0.kind.name == key }
            page.remark = failure.map { "\(NumberText.tasks($0.count)) failed by: \($0.text)" }
        }
        page.about = try reading.about(tasks)
        page.stops = try reading.stopsAhead(of: tasks, [.before, .after])
        page.faults = try reading.faultsAhead(of: tasks)
    }

    private func next(_ queue: QueueRecord) throws -> NextTask? {
        guard let task = try reading.next(of: queue) else { return nil }
        let holds = try reading.heldBack(by: task)
        let limit = queue.settings.attemptLimit(of: task)
        let isLast = limit.map { task.attempts + 1 >= $0 } ?? false
        return NextTask(
            id: task.id, type: task.type, group: holds > 0 ? task.groupStart : nil,
            holdsBack: holds,
            retryMilliseconds: isLast
                ? nil
                : queue.settings.retry(of: task).delayMilliseconds(
                    afterFailure: task.attempts + 1, chance: 0.5),
            isRequired: task.isRequired)
    }

    private func hindrances(_ queue: QueueRecord, _ counts: QueueCounts) throws -> [Blocker] {
        guard counts.waitingByFlags[.ready] ?? 0 > 0 else { return [] }
        let first = TaskQuery(queue: queue.name, waitFlags: .ready, limit: 1)
        return try store.tasks(matching: first).first.map { try reading.line($0.id).blockers } ?? []
    }

    private func loadSubject(_ request: LoadRequest, _ scene: inout LoadedScene) throws {
        guard let id = request.subject ?? sample(request, scene), let task = try store.task(id)
        else { return }
        if scene.queue(named: task.queue) == nil {
            let queue = try store.requireQueue(task.queue)
            scene.subjectQueue = try line(reading.overview(queue), withThroughput: false)
        }
        switch request.depth {
        case .line: scene.chain = [try reading.line(id)]
        case .preview:
            scene.detail = try reading.preview(id)
            if request.subject != nil { scene.chain = scene.detail.map { [$0.line] } ?? [] }
        case .why:
            scene.chain = try reading.why(id)
            scene.cutOffSentence = try store.writtenAttempts(of: id).cutOffSentence
            scene.faultSentences = try reading.faultSentences(of: id)
        case .detail:
            scene.chain = try reading.why(id)
            scene.detail = try reading.detail(id)
            scene.payloadChanges = try reading.payloadChanges(of: id)
        }
    }

    /// A task of a row that is no task's own: one that fails so, or the first that a runner runs.
    private func sample(_ request: LoadRequest, _ scene: LoadedScene) -> TaskID? {
        guard request.depth == .preview else { return nil }
        switch request.view {
        case .failures: return scene.traits?.sample
        case .runners:
            let runner = scene.runners.first { $0.process.id == request.runner }
            return (runner ?? scene.runners.first)?.tasks.first?.id
        default: return nil
        }
    }

    private func nextEvent(_ scene: LoadedScene) throws -> Timestamp? {
        let cursor = TimerCursor(at: now, id: .max)
        var moments = try store.tasks(.timers(queue: nil, after: cursor), limit: 1).map(\.wakesAt)
        moments.append(try store.nextExpiry())
        moments += scene.storePauses.map(\.until)
        moments += scene.timers.prefix(1).map(\.at)
        moments += scene.runners.map(\.process.offlineUntil)
        // By the clock of the store, as it goes now.
        moments = moments.compactMap { $0 }.filter { $0 > now }.map(reading.time.moment)
        moments += scene.edits.map(\.until)
        moments += scene.debugger.map(\.until)
        let shown = ([scene.queue].compactMap(\.self) + scene.queues).map(\.throughput)
        if (shown + [scene.throughput]).contains(where: { $0?.perMinuteNow ?? 0 > 0 })
            || scene.queues.contains(where: \.isFailing)
            || scene.failures.contains(where: { $0.rate?.perMinute ?? 0 > 0 })
        {
            moments.append(Throughput.change(after: reading.real))
        }
        // A surviving child process gets a kill signal at this time (A2).
        if scene.hasChildren { moments.append(reading.real + Reaper.orphanGraceMilliseconds) }
        return moments.compactMap { $0 }.filter { $0 > reading.real }.min()
    }
}
