import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Reads of the store: one load at a time, and another if the request changed during the load.
extension ConsoleState {
    mutating func loadIfStale() {
        if wantsQueueNames, scene?.queueNames == nil { reads.isStale = true }
        if wantsPlaces, scene?.request.withPlaces == false { reads.isStale = true }
        if view == .inventory, showsPreview, freeze == nil, let scene,
            scene.request.subject != previewed
        {
            reads.isStale = true
        }
        if view == .runners, showsPreview, freeze == nil, let scene, scene.request.view == view,
            case .runner(let id)? = cursors[view]?.key, scene.request.runner != id
        {
            reads.isStale = true
        }
        if let kind = selectedFailure?.kind, let traits = scene?.traits, traits.kind != kind,
            freeze == nil
        {
            reads.isStale = true
        }
        guard let generation = reads.begin() else { return }
        send(.load(request(generation)))
    }

    private func request(_ generation: Int) -> LoadRequest {
        var request = LoadRequest()
        request.generation = generation
        request.queue = selectedQueue
        request.isAll = isAll
        request.sought = sought
        request.queues = queuesRequest()
        request.view = view
        request.withNeighbours = showsNeighbours
        request.rows = rowsRequest()
        request.withPlaces = wantsPlaces
        request.folds = folds
        request.isClose = showsDetail
        request.log = wantedLog?.filter
        if view == .flow { request.flowSince = flow.wantedSince(now) }
        if view == .queues { request.pulseSince = pulse.wantedSince(now) }
        if case .failure(let kind)? = cursors[.failures]?.key { request.failure = kind }
        request.timeline = timelinePage?.scope
        request.tape = tapeGoal
        // View 9 draws a dot for each of them.
        request.recentLimit = max(isInFlow ? 24 : 1, layout.activity.height)
        if let page, let id = page.subject {
            request.subject = id
            request.depth = page.depth
        } else if view != .inventory {
            request.subject = cursors[view]?.key?.task
            if showsPreview { request.depth = .preview }
            if case .runner(let id)? = cursors[view]?.key { request.runner = id }
        } else if showsPreview {
            request.subject = previewed
            request.depth = .preview
        } else if readsRowQueue {
            request.subject = list.line?.task.id
        }
        return request
    }

    /// A read of the payload of a task on the screen.
    func payloadRequest(of id: TaskID) -> LoadRequest {
        var request = request(reads.generation)
        (request.subject, request.depth) = (id, .detail)
        return request
    }

    private func queuesRequest() -> QueuesRequest {
        var queues = QueuesRequest()
        queues.place = queueCursor.goal?.cursor
        queues.top = queueCursor.wanted.top
        queues.height = max(5, queuesHeight)
        queues.withNames = wantsQueueNames
        return queues
    }

    /// Whether the prompt completes a queue name while some names are not loaded.
    private var wantsQueueNames: Bool {
        guard let scene, scene.queues.count < scene.queueCount, case .prompt(let prompt)? = modal
        else { return false }
        return prompt.question == .command || prompt.question == .filter
    }

    /// Whether the prompt completes a payload path.
    private var wantsPlaces: Bool {
        guard case .prompt(let prompt)? = modal else { return false }
        return prompt.question == .filter && prompt.editor.text.contains("payload")
    }

    /// The rows of the pane of queues, or of view 7.
    private var queuesHeight: Int {
        view.listsQueues && page == nil ? layout.rowsHeight : layout.queueRowsHeight
    }

    private func rowsRequest() -> RowsRequest {
        var rows = jump ?? RowsRequest()
        rows.height = max(5, layout.rowsHeight)
        rows.filter = list.filter
        rows.order = order
        rows.withEnded = showsEnded
        rows.row = list.position.map { $0 - 1 }
        let former = scene?.request.rows
        let isSameList = former?.filter == rows.filter && former?.withEnded == rows.withEnded
        if jump == nil, list.page.search != nil, isSameList {
            rows.search = list.page.search
            rows.searchLimit = list.cursor + 2 * rows.height
        }
        if list.page.search?.isTooMuch ?? false, isSameList {
            rows.search = list.page.search
        }
        guard !isFollowing || holdsPlace else { return rows }
        if jump == nil { rows.pinned = list.line?.task.id }
        // The view stays if the cursor's task moves elsewhere.
        rows.stays = jump == nil && keepsView
        let followed = holdsPlace || keepsView ? list.neighbour ?? list.line : list.line
        guard jump == nil, let scene, let line = followed, isListCurrent,
            let order = scene.queue?.overview.queue.settings.order
        else { return rows }
        rows.follow = line.task.id
        let isAtStart = list.page.reachesStart && list.cursor < 2 * rows.height
        let place = ListPlace(line.task, order: order)
        rows.anchor = isAtStart ? .start : isAll ? .number(line.task.id) : .around(place)
        return rows
    }

    /// Whether the view stays where its task goes out of sight: in the running order of a queue,
    /// where a row moves only for what becomes of its task.
    private var keepsView: Bool { order == .running && !isAll }

    /// Some process committed something: read again, or count it while the picture is frozen.
    mutating func noticeChange() {
        guard freeze == nil else {
            freeze?.changes += 1
            return
        }
        reads.isStale = true
    }

    mutating func apply(_ error: QueueError, of generation: Int?) {
        flow.lose()
        reads.fail(staysOnTape(error) ? nil : error, of: generation, at: now)
    }

    /// Resets the state for another store. No cursor, mark, question or name of the former store
    /// may affect tasks of this one (K1). Keeps the person's settings.
    mutating func reopen(kind: String, isSame: Bool) {
        guard !isSame else {
            // The answer about the former connection is dropped.
            alerts = AlertWatch()
            reads.beginAgain()
            return
        }
        var settings = settings
        settings.storeKind = kind
        var fresh = ConsoleState(settings: settings, size: size, now: now)
        fresh.zone = zone
        fresh.timeFormat = timeFormat
        fresh.view = view
        fresh.showsDetail = showsDetail
        fresh.commandHistory = commandHistory
        // Answers about the former store carry old tokens, so nothing handles them.
        fresh.underWay = VerbsUnderWay(after: underWay.lastToken)
        fresh.progress = progress
        fresh.places = places
        fresh.reads = SceneReads(after: reads.generation)
        fresh.outbox = outbox
        fresh.message = .refusal("this is another store: it took the place of the former one")
        self = fresh
    }

    mutating func apply(_ scene: LoadedScene) {
        let isNewest = reads.end(scene.request.generation)
        learn(scene.names)
        guard isNewest else { return }
        // The request is outdated. A later load brings the wanted data.
        guard scene.request.view == view, scene.request.isAll == isAll else {
            reads.isStale = true
            return
        }
        applyTape(scene.tape, for: scene.request.tape)
        progress.record(scene, lastToken: underWay.lastToken)
        flow.apply(scene.tape == nil ? scene.flow : nil, at: scene.at)
        pulse.apply(scene)
        let former = self.scene
        let wantedQueue = selectedQueue
        self.scene = scene
        queueCursor.record(nameColumns: QueuePaneWidths(scene).name)
        if freeze != nil { freeze = Freeze(at: scene.at) }
        if scene.request.queues.place == nil, queueCursor.goal == nil,
            wantedQueue == nil || wantedQueue == scene.request.queue
        {
            if scene.request.sought != nil, scene.selected != wantedQueue { marks.clear() }
            selectedQueue = scene.selected
            applyRows(scene, former: former)
        } else if let place = scene.request.queues.place, let goal = queueCursor.goal {
            selectedQueue = scene.selected
            leaveQueue()
            applyRows(scene, former: former)
            if goal.cursor == place {
                queueCursor.arrive(at: scene.queuePlace)
            } else {
                jump = RowsRequest()
                reads.isStale = true
            }
        } else {
            reads.isStale = true
        }
        completePlace()
        goToStop(former)
        tellStops(former)
        arrive(scene)
        goOnSeeking()
        fitWindows()
        recordLogCount(scene)
        readQueuesInSight()
        takeTimeline(scene, former: former)
        closeLostPages(scene)
        fitReason(scene)
        closeLostForm()
    }

    mutating func learn(_ new: TaskNames) {
        if names.count > Self.nameLimit { names = TaskNames() }
        names.add(new)
    }

    private static let nameLimit = 20_000

    private mutating func applyRows(_ scene: LoadedScene, former: LoadedScene?) {
        let height = layout.rowsHeight
        if let page = scene.page {
            let isSame =
                former?.selected == scene.selected && former?.page != nil
                && former?.request.isAll == scene.request.isAll
                && former?.request.rows.filter == scene.request.rows.filter
            // Further results of a search are not changes.
            if isSame, page.search == nil {
                recordChanges(in: page, after: list.page, since: former?.at ?? now)
            }
            let wanted = list.line
            let isJump = jump != nil && jump == scene.request.rows.asked
            if isJump { jump = nil }
            if ended == nil { isOnFold = false }
            list.apply(
                page, height: height,
                keeping: isJump
                    ? nil
                    : holdsPlace
                        ? .place(with: followed(in: page))
                        : isFollowing ? .row : .task(leaves: keepsView))
            goOnStepping(scene)
            if lacksRowQueue, scene.request.subject != list.line?.task.id { reads.isStale = true }
            if !isFollowing { sayWhereCursorWent(wanted, scene, isSame: isSame && !isJump) }
            let isSearch = page.search.map { !$0.isTooMuch } ?? false
            let goesOn = isSearch && (page.isCut || list.needsMore(height: height))
            if goesOn || isJump && list.needsMore(height: height) { reads.isStale = true }
        }
        if scene.page == nil, scene.queue == nil, view == .inventory {
            // Without queues the list has no rows.
            list.page = TaskPage()
            (list.cursor, list.top, list.pendingMove) = (0, 0, 0)
            marks.clear()
        }
        // Expanded groups stay expanded (K2).
        if view == .groups { folds.merge(scene.folds) { $1 } }
        guard view != .inventory, !view.listsQueues else { return }
        var cursor = cursors[view] ?? RowCursor()
        cursor.apply(scene.keys(of: view), height: height, sticksToEnd: view == .activity)
        cursors[view] = cursor
        if page == nil, let id = cursor.key?.task, scene.request.subject != id {
            reads.isStale = true
        }
    }

    private mutating func recordChanges(
        in page: TaskPage, after former: TaskPage, since moment: Timestamp
    ) {
        let known = Dictionary(
            former.rows.map { ($0.task.id, $0) }, uniquingKeysWith: { first, _ in first })
        let range = former.rows.map(\.task.id).max() ?? 0
        for row in page.rows {
            let before = known[row.task.id]
            let isNew = before == nil && row.task.id > range && row.task.createdAt >= moment
            let isOther = before.map { $0.task.version != row.task.version } ?? false
            if isNew || isOther { changed[row.task.id] = now + 1000 }
        }
    }

    /// Moves the cursor to the next task if its task was removed, and reports that.
    private mutating func sayWhereCursorWent(
        _ former: TaskLine?, _ scene: LoadedScene, isSame: Bool
    ) {
        guard isSame, let former, let line = list.line, line.task.id != former.task.id,
            scene.request.rows.pinned == former.task.id, underWay.isEmpty,
            message == nil || message == cursorNote
        else { return }
        let name = names.name(former.task.id)
        message = .note(
            scene.pinned.flatMap { wayTo($0, from: former.task, name) }
                ?? "\(name) left the list; the cursor is on \(names.name(line.task.id))")
        cursorNote = message
    }

    /// The new place of a task that left the visible part of the list, and the key that leads
    /// there. `nil` if the task is no longer in the list.
    private func wayTo(_ task: QueueTask, from former: QueueTask, _ name: String) -> String? {
        guard task.queue == former.queue || isAll, list.filter == nil else { return nil }
        let seek = "\(key(.commandLine))\(name) goes there"
        let tally = keepsView ? scene?.queue?.tally : nil
        switch task.state.name {
        case .running:
            let way = tally?.running == 1 ? "\(key(.top)) goes there" : seek
            return "\(name) runs and went to the top · \(way)"
        case .failed:
            // The newest of several is the first of them.
            let isLast = tally?.failed == 1 && !showsEnded
            return "\(name) failed and went to the end · "
                + (isLast ? "\(key(.end)) goes there" : seek)
        case .waiting: return "\(name) went to another place · \(seek)"
        case .succeeded, .deleted: return nil
        }
    }

    /// A page about a task that no longer exists closes, and says so.
    private mutating func closeLostPages(_ scene: LoadedScene) {
        guard let id = page?.subject, scene.request.subject == id, scene.chain.isEmpty,
            timelinePage == nil
        else { return }
        pages.removeLast()
        message = .refusal("\(names.name(id)) was removed: it finished or was purged")
        reads.isStale = true
    }

    /// Fits every window to the size of the screen.
    mutating func fitWindows() {
        let layout = layout
        list.reveal(height: layout.rowsHeight, margin: 0)
        queueCursor.window.resize(height: queuesHeight)
        queueCursor.window.update(total: scene?.queueCount)
        if let scene, scene.selected == selectedQueue { queueCursor.follow(scene.queuePlace) }
        if var cursor = cursors[view] {
            cursor.window.resize(height: layout.rowsHeight)
            cursors[view] = cursor
        }
    }
}

extension RowsRequest {
    /// The request without what every load fills in, to know a jump again.
    var asked: RowsRequest {
        var rows = RowsRequest()
        rows.anchor = anchor
        rows.follow = follow
        rows.linkFrom = linkFrom
        return rows
    }
}
