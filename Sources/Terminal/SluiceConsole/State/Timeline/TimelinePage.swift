import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// A timeline over the view: its tasks, the chosen row, and the part of time that is seen.
struct TimelinePage: Hashable, Sendable {
    let scope: TaskTimeline.Scope
    /// The chosen row; nil before the first one was read.
    var chosen: TimelineRow.Key?
    /// Whether a new row at the end is chosen, since no person moved.
    var follows = true
    /// The first row that is seen.
    var top = 0
    /// The part of time as a person placed it; nil for all.
    var window: TimelineWindow?

    init(_ scope: TaskTimeline.Scope) { self.scope = scope }

    /// Whether the picture always ends now: of the slots of workers.
    var endsNow: Bool { if case .workers = scope { true } else { false } }

    /// The part of time at a moment; nil for all. Before a person places it, it has the attempts of
    /// the rows that are seen.
    func window(
        _ timeline: TaskTimeline, _ layout: FrameLayout, at now: Timestamp
    ) -> TimelineWindow? {
        guard let window else {
            return TimelineWindow(timeline, of: seen(of: timeline, layout), at: now)
        }
        guard endsNow else { return window }
        return TimelineWindow(from: now + -window.length, length: window.length)
    }

    /// The rows that a layout has room for.
    func seen(of timeline: TaskTimeline, _ layout: FrameLayout) -> ArraySlice<TimelineRow> {
        timeline.rows.dropFirst(top).prefix(layout.timelineRows)
    }

    func place(in rows: [TimelineRow]) -> Int? {
        chosen.flatMap { key in rows.firstIndex { $0.key == key } }
    }

    /// The row that is chosen before a person moves: of a queue the last one that was attempted,
    /// else the first.
    private func first(of rows: [TimelineRow]) -> Int? {
        guard case .queue = scope else { return rows.isEmpty ? nil : 0 }
        return rows.lastIndex { $0.began != nil } ?? rows.indices.first
    }

    /// Applies the read rows without moving a visible row.
    mutating func apply(_ rows: [TimelineRow], after former: [TimelineRow], height: Int) {
        if !former.isEmpty, rows.first?.key != former.first?.key,
            let key = former.indices.contains(top) ? former[top].key : nil,
            let place = rows.firstIndex(where: { $0.key == key })
        {
            top = place
        }
        var place = place(in: rows)
        if place == nil || follows, let first = first(of: rows) {
            // The next row takes the place of a removed one.
            let gone = follows ? nil : self.place(in: former)
            place = gone.map { min($0, rows.count - 1) } ?? first
            chosen = place.map { rows[$0].key }
        }
        reveal(place ?? 0, of: rows.count, height: height)
    }

    /// Scrolls so that a row is seen.
    mutating func reveal(_ place: Int, of count: Int, height: Int) {
        top = min(max(top, place - height + 1), place)
        top = min(max(0, top), max(0, count - height))
    }
}

/// The timeline: its subject, its keys, and its updates after a read.
extension ConsoleState {
    /// The timeline on top, if one is.
    var timelinePage: TimelinePage? {
        if case .timeline(let page)? = page { return page }
        return nil
    }

    /// The scope of `W`. An open task's page gives its attempts, and view 6 the slots of workers.
    /// A slot gives the attempts of its last task. Other views give the marked tasks, the group at
    /// the cursor, the newest run of the queue, or the queue without a run. `nil` without a queue.
    var timelineScope: TaskTimeline.Scope? {
        if isOnLane { return timelinePage.flatMap(lastTask).map(TaskTimeline.Scope.attempts) }
        if let id = page?.subject { return .attempts(id) }
        if view == .runners, page == nil {
            return .workers(last: TaskTimeline.usualLast)
        }
        if !marks.isEmpty { return .tasks(marks.targets.map(\.id)) }
        if view == .groups, page == nil, let group = groupAtCursor?.summary.name,
            let queue = selectedQueue
        {
            return .group(group, queue: queue)
        }
        guard let queue = actedQueue else { return nil }
        guard let record = scene?.queue(named: queue)?.overview.queue,
            record.settings.start != .continuous, record.run != nil || record.lastRunEnd != nil
        else { return .queue(queue) }
        return .run(queue, back: 0)
    }

    mutating func openTimeline() {
        guard let scope = timelineScope else { return }
        open(.timeline(TimelinePage(scope)))
        sayTimelineCommand()
        reads.isStale = true
    }

    private mutating func sayTimelineCommand() {
        guard let scope = timelinePage?.scope, scene?.queue?.system == nil else { return }
        message = .note("$ sluice " + scope.command(names))
    }

    /// Whether the key did something in the timeline.
    mutating func handleTimeline(_ page: TimelinePage, _ key: Key) -> Bool {
        if let step = Self.step(of: key) {
            move(page, step)
            return true
        }
        switch key {
        case .left, .character("h"): moveWindow(page, later: false)
        case .right, .character("l"): moveWindow(page, later: true)
        case .character("+"), .character("="): zoom(page, by: 0.5)
        case .character("-"): zoom(page, by: 2)
        case .character("<"), .character(">"): goToRun(page, later: key == .character(">"))
        case .enter where page.chosen?.lane != nil: openLastTask(of: page)
        case .enter:
            guard let id = page.chosen?.task else { return true }
            guard scene?.chain.contains(where: { $0.task.id == id }) ?? false else {
                message = .refusal("\(names.name(id)) was removed: it finished or was purged")
                return true
            }
            open(.detail(id, DetailPlace()))
        default: return false
        }
        return true
    }

    /// Opens the task that a slot runs, or ran last.
    private mutating func openLastTask(of page: TimelinePage) {
        guard let id = lastTask(of: page) else {
            message = .refusal("nothing ran in this slot")
            return
        }
        open(.detail(id, DetailPlace()))
    }

    /// Whether the chosen row of a timeline is a slot of a worker.
    var isOnLane: Bool { timelinePage?.chosen?.lane != nil }

    /// The task that the chosen slot runs, or ran last.
    private func lastTask(of page: TimelinePage) -> TaskID? {
        let rows = scene?.taskTimeline?.rows ?? []
        return page.place(in: rows).flatMap { rows[$0].bars.last?.task }
    }

    private mutating func put(_ page: TimelinePage) { pages[pages.count - 1] = .timeline(page) }

    private mutating func move(_ page: TimelinePage, _ step: Step) {
        guard let rows = scene?.taskTimeline?.rows, !rows.isEmpty else { return }
        var page = page
        let height = layout.timelineRows
        let place = page.place(in: rows) ?? 0
        let wanted =
            switch step {
            case .rows(let rows): place + rows
            case .pages(let pages): place + pages * max(1, height - 1)
            case .start: 0
            case .end: rows.count - 1
            }
        let next = min(max(0, wanted), rows.count - 1)
        (page.chosen, page.follows) = (rows[next].key, false)
        page.reveal(next, of: rows.count, height: height)
        put(page)
        reads.isStale = true
    }

    private mutating func zoom(_ page: TimelinePage, by factor: Double) {
        guard let timeline = scene?.taskTimeline, timeline.scope == page.scope else { return }
        var page = page
        let now = clock.realNow
        let whole = TimelineWindow(timeline, at: now, withWaits: true)
        let fitted = TimelineWindow(timeline, of: page.seen(of: timeline, layout), at: now)
        let usual = fitted ?? TimelineWindow(timeline, at: now)
        let seen = page.window(timeline, layout, at: now) ?? usual
        if factor > 1, seen.length >= whole.length {
            message = .note("that is all of it")
            return
        }
        if factor < 1, seen.length <= 10 {
            message = .note("no time is shorter")
            return
        }
        let scaled = seen.scaled(by: factor, around: anchor(page, timeline, seen))
        let isAll = scaled.length >= whole.length
        page.window = !isAll ? scaled : whole.length > usual.length ? whole : nil
        put(page)
    }

    /// The moment around which a picture grows: the end of one that ends now, else the first
    /// attempt of the chosen row that is seen, else the middle.
    private func anchor(
        _ page: TimelinePage, _ timeline: TaskTimeline, _ seen: TimelineWindow
    ) -> Timestamp {
        if page.endsNow { return seen.to }
        let row = page.place(in: timeline.rows).map { timeline.rows[$0] }
        let moments = row?.bars.filter(\.kind.isWork).map(\.from) ?? []
        return moments.first { $0 >= seen.from && $0 <= seen.to } ?? seen.from + seen.length / 2
    }

    private mutating func moveWindow(_ page: TimelinePage, later: Bool) {
        guard !page.endsNow || page.window == nil else {
            message = .note("the lanes of workers end now: - shows more of the time before")
            return
        }
        guard let timeline = scene?.taskTimeline, timeline.scope == page.scope,
            let window = page.window(timeline, layout, at: clock.realNow)
        else {
            message = .note("all of it is seen: + zooms in")
            return
        }
        var page = page
        page.window = window.moved(later: later)
        put(page)
    }

    private mutating func goToRun(_ page: TimelinePage, later: Bool) {
        guard case .run(let queue, let back) = page.scope else {
            message = .refusal("that is for a run: a queue that works continuously has none")
            return
        }
        guard !later || back > 0 else {
            message = .note("that is the newest run")
            return
        }
        guard later || scene?.timelineTrouble == nil else {
            message = .note("that is the oldest run of the log")
            return
        }
        put(TimelinePage(.run(queue, back: back + (later ? -1 : 1))))
        sayTimelineCommand()
        reads.isStale = true
    }

    mutating func takeTimeline(_ scene: LoadedScene, former: LoadedScene?) {
        guard var page = timelinePage, let timeline = scene.taskTimeline,
            timeline.scope == page.scope
        else { return }
        let same = former?.taskTimeline.flatMap { $0.scope == page.scope ? $0.rows : nil }
        let chosen = page.chosen
        page.apply(timeline.rows, after: same ?? [], height: layout.timelineRows)
        put(page)
        if page.chosen != chosen { reads.isStale = true }
    }

    /// A click on a row of the timeline chooses it; a second one opens its task.
    mutating func clickTimeline(_ page: TimelinePage, line: Int) {
        let row = page.top + line - 1
        guard line > 0, line <= layout.timelineRows, let rows = scene?.taskTimeline?.rows,
            rows.indices.contains(row)
        else { return }
        if rows[row].key == page.chosen { return handle(.enter) }
        var page = page
        (page.chosen, page.follows) = (rows[row].key, false)
        put(page)
        reads.isStale = true
    }
}

extension TaskTimeline.Scope {
    func command(_ names: TaskNames) -> String {
        switch self {
        case .queue(let name, _): ShellWord.command("timeline", name)
        case .run(let name, let back): ShellWord.command("timeline", name, " --run \(back)")
        case .group(let group, let queue):
            ShellWord.command("timeline", queue, " --group \(ShellWord.quoted(group))")
        case .tasks(let ids): "timeline " + ids.map(names.word).joined(separator: " ")
        case .attempts(let id): "timeline " + names.word(id)
        case .workers: "timeline --workers"
        }
    }
}
