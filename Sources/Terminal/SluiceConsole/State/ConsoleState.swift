import SluiceControl
package import SluiceModel
import SluiceStore
package import SluiceTerminalUI

/// Everything that the screen is made of, as a value: `update` turns what happens into a new state
/// and effects, `view` draws it. It reads no clock and does nothing itself.
package struct ConsoleState: Equatable, Sendable {
    /// Which pane the arrows move in.
    enum Focus: Hashable, Sendable {
        case queues, timers, view
    }
    /// The time of the frozen picture, and the number of commits since.
    struct Freeze: Hashable, Sendable {
        var at: Timestamp
        var changes = 0
    }
    var settings: ConsoleSettings
    var size: Size
    var now: Timestamp
    var zone = ZoneRules.utc
    var timeFormat = TimeFormat.relative

    var scene: LoadedScene?
    /// The names of tasks shown so far. A removed task keeps its name.
    var names = TaskNames()
    var reads = SceneReads()
    /// The content of the right pane.
    package internal(set) var view = ConsoleView.inventory
    /// The time span of view 9, and its known counts.
    var flowSpan = FlowSpan.twoMinutes
    var flow = FlowHistory()
    /// The time span of view 7, and its known counts.
    var pulseSpan = PulseSpan.hour
    var pulse = PulseHistory()
    /// Whether it draws a single read for a command, without earlier readings.
    var looksOnce = false
    var pages: [Page] = []
    /// The search term in the page on top, which highlights its matches.
    var wordInText = ""
    var focus = Focus.view
    var timerCursor: TimerCursor?
    var selectedQueue: String?
    /// Whether the list shows all queues. The selected queue does not change.
    var isAll = false
    /// Whether the list shows ended tasks, and whether the cursor is on their fold.
    var showsEnded = false
    var isOnFold = false
    var order = ListOrder.running
    var columns: InventoryColumns
    /// The task that the person jumps to, in any queue.
    var sought: TaskID?
    /// The way to the next queue with a match.
    var seeking: Seeking?
    /// The last step, until the person moves the cursor.
    var stepping: Stepping?
    var queueCursor = QueueCursor()
    var list = ListState()
    /// Whether the cursor keeps its screen row when tasks move. A move, a mark or a filter pins it
    /// to its task.
    var isFollowing = true
    var cursors: [ConsoleView: RowCursor] = [:]
    var folds: [String: Bool] = [:]
    var showsDetail = false
    /// The filter of the log; `nil` shows all lines.
    var logFilter: LogSearch?
    var marks = MarkedTasks()
    var modal: Modal?
    var message: MessageLine?
    /// The message about the cursor's removed task. The next such message may replace it.
    var cursorNote: MessageLine?
    var freeze: Freeze?
    /// The person's places in other stores, by name.
    var places: [String: StorePlace] = [:]
    /// The view and queue of the place that is being opened.
    var fleetEntry: FleetEntry?
    /// The requested position on a tape.
    var tapeGoal = TapeGoal.event(0)
    /// The file into which this console records.
    var ownTape: String?
    /// The last copied item, as words for a message.
    var copied = ""
    /// Whether a person opened or closed the preview; nil where its room decides.
    var wantsPreview: Bool?
    /// Whether the panes at the left and below are shown.
    var showsPanes: Bool
    var commandHistory: [String]

    /// Rows that changed a moment ago, and until when their glyph says so.
    var changed: [TaskID: Timestamp] = [:]
    var underWay = VerbsUnderWay()
    /// The verbs that were done here.
    var undoHistory = UndoHistory()
    /// How far the person has come on the tour.
    var progress = TourProgress()
    /// The place for the next load, if the person jumped there.
    var jump: RowsRequest?
    var lastWake: Timestamp?
    var outbox: [ConsoleEffect] = []
    /// Whether an editor is on its way to the terminal, or has it.
    var isEditing = false
    /// The stores of other systems in which the person allowed changes.
    var allowedStores: Set<String> = []
    /// The conditions of queues for `--notify`.
    var alerts = AlertWatch()
    /// Whether the page of keys shows all of them.
    var showsAllKeys = false
    /// The commands of the person's own keys.
    var own = OwnCommands()
    /// Keys typed before the first load. They apply once the data is there.
    var early: [InputEvent] = []

    /// A console before the first load of its store.
    package init(settings: ConsoleSettings, size: Size, now: Timestamp) {
        self.settings = settings
        self.size = size
        self.now = now
        commandHistory = settings.commandHistory
        columns = settings.columns
        showsPanes = settings.showsPanes
        if settings.storeKind == FleetReading.name { view = .fleet }
    }

    /// Takes in what happened; the effects are to be done in their order.
    package mutating func update(_ message: ConsoleMessage) -> [ConsoleEffect] {
        handle(message)
        loadIfStale()
        askForAlerts()
        askForWake()
        defer { outbox = [] }
        return outbox
    }

    private mutating func handle(_ message: ConsoleMessage) {
        switch message {
        // Keys typed before the editor takes the terminal belong to the editor.
        case .input(let event) where isEditing && event != .key(.control("c")): break
        case .input(let event): if isEarly(event) { early.append(event) } else { handle(event) }
        case .resized(let size): resize(to: size)
        case .tick(let now): tick(now)
        case .zone(let zone): self.zone = zone
        case .storeChanged: noticeChange()
        case .loaded(let scene):
            apply(scene)
            handleEarly()
        case .loadFailed(let error, let generation):
            apply(error, of: generation)
            handleEarly()
        case .reopened(let kind, let isSame): reopen(kind: kind, isSame: isSame)
        case .opened(let name, let kind, let isReadOnly):
            showStore(name, kind: kind, isReadOnly: isReadOnly)
        case .told(let isNotified): settings.isNotified = isNotified
        case .joins(let joins): settings.glyphs = settings.glyphs.joining(joins)
        case .collected(let request, let targets): mark(targets, of: request)
        case .counted(let request): apply(request)
        case .progressed(let token, let progress, let secondsLeft):
            apply(progress, secondsLeft: secondsLeft, of: token)
        case .answered(let token, let result): apply(result, of: token)
        case .rehearsed(let token, let result): applyRehearsal(result, of: token)
        case .stepped(let token, let result): applyStep(result, of: token)
        case .commanded(let token, let report): apply(report, of: token)
        case .edited(let report):
            isEditing = false
            apply(report)
        case .copied(let isDone): applyCopied(isDone)
        case .reported(let ids, let result): applyReport(ids, result)
        case .drawn(let result): applyDrawn(result)
        case .recorded(let news): apply(news)
        case .kept(let result): applyKept(result)
        case .payload(let id, let result): apply(result, ofPayload: id)
        case .ran(let launch, let end): apply(end, of: launch)
        case .alerts(let found): apply(found)
        case .terminated: send(.quit)
        }
    }

    mutating func send(_ effect: ConsoleEffect) { outbox.append(effect) }

    private mutating func resize(to size: Size) {
        self.size = size
        fitWindows()
        reads.isStale = true
    }

    private mutating func applyReport(
        _ ids: [TaskID], _ result: Result<ReportPlace, QueueError>
    ) {
        let what = ids.count == 1 ? names.name(ids[0]) : NumberText.tasks(ids.count)
        switch result {
        case .success(.clipboard):
            // A terminal does not say whether it took it.
            let command = "sluice report \(commandText().tasks(ids)) > FILE"
            message = MessageLine(
                text: "the report of \(what) was sent to the terminal's clipboard · to a file:"
                    + " \(command)",
                role: .running)
        case .success(.file(let path)):
            message = MessageLine(
                text: "too long for the clipboard: the report of \(what) is in \(path)",
                role: .running)
        case .failure(let error):
            message = MessageLine(text: names.text(error.description), role: .failed)
        }
    }

    private mutating func applyCopied(_ isDone: Bool) {
        message =
            isDone
            ? MessageLine(text: "\(copied) was sent to the terminal's clipboard", role: .running)
            : .refusal("too long for the clipboard of a terminal")
    }
}

extension ConsoleState {
    /// The filters for `@`: the person's, and the store's.
    var savedFilters: [String: String] {
        (scene?.sharedFilters ?? [:]).merging(settings.savedFilters) { $1 }
    }

    /// The page on top of the view, if any.
    var page: Page? { pages.last }

    /// How the clock of the store follows the real time (G3).
    var storeTime: StoreTime { scene?.clock?.time ?? .real }

    /// The time on the store's clock.
    var storeNow: Timestamp { storeTime.time(at: now) }

    /// The time of the picture, and the time format.
    var clock: ScreenClock {
        let real = freeze?.at ?? scene?.tape?.at ?? now
        return ScreenClock(
            now: storeTime.time(at: real), realNow: real, format: timeFormat,
            zone: zone, ticks: ticks || scene?.tape != nil)
    }

    var layout: FrameLayout { FrameLayout(size: size, state: self) }

    /// Whether the task of the row under the cursor is shown at the right of the list, or below it.
    var showsPreview: Bool {
        guard view.hasPreview, page == nil, hasPreviewRoom else { return false }
        return wantsPreview ?? (size.width >= FrameLayout.wideWidth || size.height >= 44)
    }

    /// Whether a preview leaves the list some rows: at its right, or below.
    var hasPreviewRoom: Bool {
        let least = view == .inventory ? FrameLayout.besideWidth : FrameLayout.wideWidth
        if size.width >= least { return size.height >= 22 }
        return view == .inventory && size.width >= 80 && size.height >= 30
    }

    /// The keys of the rows of the shown view.
    var rowKeys: [RowKey] { scene?.keys(of: view) ?? [] }

    /// The task that the cursor or the page is on, as it was read.
    var selectedLine: TaskLine? {
        if let id = page?.subject { return scene?.chain.first { $0.task.id == id } }
        if view == .inventory {
            // No row is selected until the rows of a new filter arrive.
            let isFiltered = scene?.request.rows.filter == list.filter
            return isListCurrent && isFiltered && !isOnFold ? list.line : nil
        }
        if view == .groups { return selectedInGroups }
        guard let id = cursors[view]?.key?.task else { return nil }
        return scene?.chain.first { $0.task.id == id }
    }

    /// The row of view 2 that the cursor is on.
    var groupRow: GroupRow? {
        guard let key = cursors[.groups]?.key else { return nil }
        return scene?.groupRows.first { $0.key == key }
    }

    /// The group that this row unfolds, if it is one's.
    var groupAtCursor: GroupLine? { groupRow?.group.flatMap { scene?.groups[$0] } }

    /// The task under the cursor, or the start of the group.
    private var selectedInGroups: TaskLine? {
        groupRow.map { $0.line ?? groupAtCursor?.start } ?? nil
    }

    /// The queue that queue verbs act on.
    var selectedQueueLine: QueueLine? {
        scene?.queue(named: actedQueue)
    }
}

/// When time alone changes the picture (K3, K4).
extension ConsoleState {
    /// Whether something on the screen counts by seconds.
    var ticks: Bool {
        guard freeze == nil, let scene, scene.tape == nil else { return false }
        if scene.hasRunning || whyCounts || flowMoves || view == .fleet { return true }
        let hour: Int64 = 3_600_000
        if view == .debugger,
            scene.debugger.contains(where: { row in
                row.until.map { $0 > self.now && $0 - self.now < hour } ?? false
            })
        {
            return true
        }
        // The offset from real time changes every second and appears in seconds.
        if storeTime.rate != 1, storeTime.offset(at: self.now).magnitude < 60_000 { return true }
        // A stopped clock has no countdown.
        guard storeTime.rate > 0 else { return false }
        let now = storeNow
        if scene.timers.contains(where: { $0.at > now && $0.at - now < hour }) { return true }
        if let run = scene.nextRun, run > now { return true }
        return scene.storePauses.contains { $0.until.map { $0 > now && $0 - now < hour } ?? false }
    }

    /// Whether the why page shows a running duration or countdown.
    private var whyCounts: Bool {
        guard freeze == nil, let scene, scene.tape == nil, case .why? = page else { return false }
        return scene.chain.contains { line in
            line.blockers.contains { $0.until != nil || $0.kind == .queuePaused }
        }
    }

    /// Whether a preview or page shows an attempt whose child may print. Output makes no notice.
    private var showsOutput: Bool {
        guard freeze == nil, let scene, scene.tape == nil, let detail = scene.detail,
            detail.line.task.running != nil, let attempt = detail.attempts.last
        else { return false }
        return attempt.outcome == nil && attempt.childPID != nil
            && (showsPreview || page?.depth == .detail)
    }

    mutating func tick(_ moment: Timestamp) {
        let former = now
        now = moment
        changed = changed.filter { $0.value > now }
        guard freeze == nil else { return }
        if let event = scene?.nextEvent, event <= now { reads.isStale = true }
        let isNewMinute = former.milliseconds / 60_000 != now.milliseconds / 60_000
        if isNewMinute, scene?.tape == nil, scene.map({ $0.taskCount > 0 }) ?? true {
            reads.isStale = true
        }
        let isNewSecond = former.milliseconds / 1000 != now.milliseconds / 1000
        if reads.trouble != nil || (isNewSecond && (whyCounts || showsOutput)) {
            reads.isStale = true
        }
    }

    /// Requests the next tick unless that tick is already requested.
    mutating func askForWake() {
        let wake = nextWake
        guard wake != lastWake else { return }
        lastWake = wake
        send(.wakeAt(wake))
    }

    private var nextWake: Timestamp? {
        var moments = [changed.values.min(), nextAlerts].compactMap { $0 }
        if freeze == nil {
            if ticks || reads.trouble != nil {
                moments.append(nextMultiple(of: 1000))
            } else {
                moments.append(nextMultiple(of: 60_000))
            }
            if !attemptsInFlight.isEmpty {
                moments.append(nextMultiple(of: Self.frameMilliseconds))
            }
            // For a past event the reload already runs.
            if let event = scene?.nextEvent, event > now { moments.append(event) }
        }
        return moments.min()
    }

    private func nextMultiple(of milliseconds: Int64) -> Timestamp {
        let rest = now.milliseconds % milliseconds
        return now + (milliseconds - (rest < 0 ? rest + milliseconds : rest))
    }
}
