import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The lines above a view: the queue's state and settings, its counts and the tabs. The line below
/// the view shows the next task.
extension Painter {
    /// Paints the selected queue, or above a task's page the queue of that task.
    mutating func paintHeadline(y: Int, about task: TaskID? = nil) {
        let subject = state.scene?.chain.first { $0.task.id == task }
        guard let line = state.scene?.queue(named: subject?.task.queue) ?? state.scene?.queue else {
            buffer.put("no queue yet", x: contentX, y: y, role: .quiet)
            return
        }
        var text: StyledLine = [Span(line.name, .title, emphasis: true), Span("  ")]
        let status = status(line)
        let isLong = text.width + status.width > contentWidth
        text = text + (isLong ? self.status(line, isShort: true) : status)
        text = text + faultWords(room: contentWidth - text.width)
        let room = contentWidth - text.width - 3
        buffer.put(text, x: contentX, y: y, maxWidth: contentWidth)
        let choices = [false, true].map { QueueWords.settings(line, separator, isShort: $0) }
        if let settings = choices.first(where: { DisplayText.width($0) <= room }) {
            let x = contentX + contentWidth - DisplayText.width(settings)
            buffer.put(settings, x: x, y: y, role: .quiet)
        }
    }

    /// The state of the queue and its reason. `isShort` omits the duration.
    func status(_ line: QueueLine, isShort: Bool = false) -> StyledLine {
        if let stopped = stopWords(line) { return stopped }
        let look = QueueLook(line)
        var text: StyledLine = [
            Span("\(glyphs[look.glyph]) ", look.role), Span(look.words, look.role, emphasis: true),
        ]
        if look.role == .quiet { text = StyledLine("\(glyphs[look.glyph]) \(look.words)", .quiet) }
        if line.overview.state == .pausing {
            text.append(" (\(line.tally.inFlightText))", .time)
        }
        let pauses = line.overview.pauses
        if let pause = pauses.first {
            let isSaid = ["paused", "pausing"].contains(look.words)
            text.append(isSaid ? "" : "\(separator)paused", .time)
            text.append(pauseWords(pause, isShort: isShort), .time)
            if pauses.count > 1 { text.append(" and \(pauses.count - 1) more", .time) }
            // A run that a person requested continues during the pause (D4).
            if let run = line.overview.queue.run, run.isAsked {
                text.append("\(separator)its run is open, \(run.attempted) tried", .running)
            }
            if isSaid, let lack = line.overview.lack {
                text.append("\(separator)\(lack.words)", .time)
            }
        } else if let run = line.overview.queue.run {
            text.append("\(separator)run open, \(run.attempted) tried", .running)
        } else if let words = QueueWords.nextRun(line, clock) {
            // The sign alone: the words already say that it waits for a run.
            if look.role == .quiet { text = StyledLine("\(glyphs[look.glyph]) ", .quiet) }
            text.append(look.role == .quiet ? words : "\(separator)\(words)", .time)
        }
        let inbox = line.overview.inbox
        if inbox > 0 {
            let words = InboxSummary.words(inbox, isCapped: line.overview.isInboxCapped)
            text.append("\(separator)\(words) in the inbox", .time)
        }
        if let words = line.overview.expiring.words, !isShort {
            text.append("\(separator)\(words)", .time)
        }
        return text
    }

    func pauseWords(_ pause: Pause, isShort: Bool = false) -> String {
        let scope = pause.isOfStore ? (isShort ? " (store)" : " with the store") : ""
        let since = isShort ? "" : clock.sinceWords(pause.since)
        var text = "\(scope) by \(pause.by)"
        if !since.isEmpty { text += " \(since)" }
        if pause.direction == .enqueues { text += ", enqueues only" }
        if let until = pause.until { text += ", until \(clock.time(until))" }
        if let reason = pause.reason, !reason.isEmpty {
            text += ": \"\(state.names.text(reason))\""
        }
        return text
    }

    /// Each count with its share of one bar; if not all have room the least telling go.
    mutating func paintCounts(y: Int) {
        guard let scene = state.scene, let line = scene.queue else { return }
        let all =
            state.isAll
            ? QueueWords.parts(
                scene.counts, lost: scene.lost, isAbout: scene.estimated,
                isCapped: scene.isBounded)
            : QueueWords.parts(line.tally)
        guard !all.isEmpty else {
            let text = line.tally.succeeded > 0 ? "nothing waits" : "empty"
            buffer.put(text, x: contentX, y: y, role: .quiet)
            return
        }
        let parts = fitting(all)
        let words = parts.reduce(0) { $0 + DisplayText.width($1.label) } + 2 * parts.count
        let sum = parts.reduce(0) { $0 + $1.count }
        // A few tasks make a short bar: its length says how many there are.
        let room = min(40, contentWidth - words, max(sum, parts.count) + parts.count)
        var x = contentX
        for part in parts {
            let numberX = buffer.put("\(part.word) ", x: x, y: y, role: .quiet)
            x = buffer.put(part.text, x: numberX, y: y) + 1
            guard room >= parts.count else { continue }
            let share = Double(part.count) / Double(max(1, sum)) * Double(room - parts.count)
            let bar = StackedBar([StackedBar.Part(1, part.role, letter: part.letter)])
            let width = max(1, Int(share.rounded()))
            buffer.put(bar.line(width: width, glyphs: glyphs), x: x, y: y)
            x += width + 1
        }
    }

    private func fitting(_ all: [QueueWords.Part]) -> [QueueWords.Part] {
        var parts = all
        func width() -> Int { parts.reduce(-1) { $0 + DisplayText.width($1.label) + 1 } }
        for word in ["skipped", "blocked", "parked", "delayed", "running", "retrying"]
        where width() > contentWidth {
            parts.removeAll { $0.word == word }
        }
        return parts
    }

    /// The views that exist; the shown one bold.
    mutating func paintTabs(y: Int) {
        for tab in tabs {
            let isShown = tab.view == state.view
            var text: StyledLine = [Span("\(tab.view.rawValue)", .key)]
            if !tab.name.isEmpty {
                text.append(" \(tab.name)", isShown ? .next : .quiet, emphasis: isShown)
            }
            buffer.put(text, x: tab.x, y: y, maxWidth: max(0, layout.right.maxX - tab.x))
        }
    }

    struct Tab {
        var view: ConsoleView
        var name: String
        var x: Int
    }

    /// A line that tabs and health share leaves health at least this much.
    private var healthWidth: Int { contentWidth >= 70 ? 34 : 20 }

    /// The column after the last tab.
    var tabsEnd: Int {
        tabs.last.map { $0.x + 1 + ($0.name.isEmpty ? 0 : $0.name.count + 1) } ?? contentX
    }

    /// The tabs that fit. Shortens the last names first, then drops the last ones; the current
    /// view keeps its name.
    var tabs: [Tab] {
        let all = ConsoleView.allCases
        var names = Dictionary(uniqueKeysWithValues: all.map { ($0, $0.name) })
        // With a blank between digit and name.
        func width(gap: Int) -> Int {
            names.values.reduce(-gap) { $0 + 1 + gap + ($1.isEmpty ? 0 : $1.count + 1) }
        }
        let isAlone = layout.healthY != layout.tabsY
        let room = contentWidth - (isAlone ? 0 : healthWidth)
        let gap = width(gap: 2) <= room ? 2 : 1
        let others = all.reversed().filter { $0 != state.view }
        // Health shares the line at 80 columns, and needs the room more.
        for view in others where isAlone && width(gap: gap) > room {
            names[view] = view.shortName
        }
        for view in others where width(gap: gap) > room { names[view] = "" }
        var x = contentX
        return all.map { view in
            let name = names[view] ?? ""
            let tab = Tab(view: view, name: name, x: x)
            x += 1 + gap + (name.isEmpty ? 0 : name.count + 1)
            return tab
        }
    }

    /// The next task, and the effect of its failure.
    mutating func paintNext(y: Int) {
        guard let scene = state.scene, let queue = scene.queue else { return }
        guard state.foldY(layout) != y else { return }
        var status = ""
        if state.view == .inventory, !isStatusBelow { status = listStatus }
        if !layout.isRoomy, state.view == .activity { status = logStatus }
        if !layout.isRoomy, state.view == .timers { status = timerStatus }
        let statusX = contentX + contentWidth - DisplayText.width(status)
        buffer.put(status, x: statusX, y: y, role: .quiet)
        let width = max(0, (status.isEmpty ? contentX + contentWidth : statusX - 2) - contentX)
        buffer.put(nextWords(scene, queue, width: width), x: contentX, y: y, maxWidth: width)
    }

    /// The words that fit: all, the short ones, or the task or reason alone.
    private func nextWords(
        _ scene: LoadedScene, _ queue: QueueLine, width: Int
    ) -> StyledLine {
        let words = [false, true].map { nextWords(scene, queue, isShort: $0) }
        if let fitting = words.first(where: { $0.width <= width }) { return fitting }
        guard state.view != .groups, state.marks.isEmpty else { return words[1] }
        return StyledLine(Array(words[1].spans.prefix(scene.next == nil ? 1 : 2)))
    }

    private func nextWords(
        _ scene: LoadedScene, _ queue: QueueLine, isShort: Bool = false
    ) -> StyledLine {
        if !state.marks.isEmpty {
            let word = state.marks.count == 1 ? "task is" : "tasks are"
            let rest =
                isShort ? "Esc unmarks" : "the next verb is for them; Esc takes the marks away"
            return [
                Span("\(state.marks.count) \(word) marked", .text, emphasis: true),
                Span("\(separator)\(rest)", .quiet),
            ]
        }
        if state.isAll { return StyledLine() }
        if state.view == .groups, let words = groupWords(scene) { return words }
        guard let next = scene.next else {
            return queue.tally.waiting > 0 ? hindered(scene, queue, isShort) : StyledLine()
        }
        var text: StyledLine = [
            Span("next ", .quiet),
            Span("\(state.names.name(next.id)) \(next.type)", .title, emphasis: true),
        ]
        // Another system decides about its failed tasks.
        if queue.system != nil { return text }
        text.append("\(separator)if it fails: ", .quiet)
        if let group = next.group {
            text.append(heldWords(next.holdsBack, of: group, isShort: isShort), .held)
            if isShort { return text }
            text.append(", ", .held)
        }
        let retry = next.retryMilliseconds
        if queue.overview.queue.settings.isStrict, retry != nil {
            text.append("the queue waits for it, ", .time)
        }
        text.append(
            retry.map {
                $0 == 0 ? "it waits for the next try" : "retry in \(DurationText.short($0))"
            }
                ?? (next.isRequired ? "it is given up and the queue pauses" : "it is given up"),
            retry == nil ? .failed : .time)
        return text
    }
}

extension Painter {
    /// The reason why a queue has no next task: `blocked: paused · no runner for mail`, or the time
    /// when the next task is due.
    private func hindered(
        _ scene: LoadedScene, _ queue: QueueLine, _ isShort: Bool
    ) -> StyledLine {
        let lack = queue.overview.lack
        let reasons = scene.hindrances.map { blocker -> String in
            if blocker.kind == .noRunner, isShort, let lack { return lack.words }
            let isExplained = [.noRunner, .requirement, .headOfQueue].contains(blocker.kind)
            return isExplained && !isShort ? state.names.text(blocker.text) : blocker.kind.word
        }
        if reasons.isEmpty, let lack {
            // To attach a worker is a word of this program's own stores.
            let isForeign = queue.system != nil && lack == .nobody
            return StyledLine(isShort || isForeign ? lack.words : lack.sentence, .time)
        }
        var text =
            reasons.isEmpty
            ? StyledLine("nothing is due", .quiet)
            : StyledLine("blocked: \(reasons.joined(separator: separator))", .time)
        let timer = scene.timers.first { $0.queue == queue.name && $0.at > clock.now }
        if let timer, let id = timer.id {
            text.append("\(separator)\(state.names.name(id)) \(clock.coming(timer.at))", .time)
        }
        return text
    }

    /// `2 tasks of dana stay held`, or `2 stay held`.
    private func heldWords(_ count: Int, of group: String, isShort: Bool) -> String {
        let (word, stay) = count == 1 ? ("task", "stays") : ("tasks", "stay")
        return "\(count)\(isShort ? "" : " \(word) of \(group)") \(stay) held"
    }

    /// The wait reason of the group under the cursor, and its fix.
    private func groupWords(_ scene: LoadedScene) -> StyledLine? {
        guard case .group(let name)? = state.cursors[.groups]?.key,
            let group = scene.groups.first(where: { $0.summary.name == name }), group.held > 0,
            let start = group.start
        else { return nil }
        let word = group.held == 1 ? "task waits" : "tasks wait"
        var text: StyledLine = [
            Span("\(name)  ", .title, emphasis: true),
            Span("\(group.held) \(word) for \(state.names.name(start.task.id)): "),
        ]
        if DisabledReasons(state: state).reason(.retry) == nil {
            text.append("\(state.key(.retry))", .key, emphasis: true)
            text.append(" retry it\(separator)", .quiet)
        }
        text.append("\(state.key(.why))", .key, emphasis: true)
        text.append(" says why", .quiet)
        return text
    }
}

enum QueueWords {
    /// `fifo · 1 at a time · a failure does not block`. `isShort` leaves out the usual course after
    /// a failure.
    static func settings(
        _ line: QueueLine, _ separator: String, isShort: Bool = false
    ) -> String {
        if line.system != nil { return "" }
        let settings = line.overview.queue.settings
        var parts = [settings.order.rawValue, settings.concurrencyWords]
        if let rate = settings.rate { parts.append(rate.words) }
        if let isOn = settings.forcedNetwork { parts.append("network \(isOn ? "on" : "off")") }
        if !isShort || settings.afterFailure == .block { parts.append(settings.afterFailure.words) }
        switch settings.start {
        case .continuous: break
        case .manual: parts.append("manual")
        case .batched(let count, let delay):
            parts.append("batched \(count) or \(DurationText.compact(delay))")
        }
        return parts.joined(separator: separator)
    }

    /// `7/10 to the next run, or in 12s`.
    static func nextRun(_ line: QueueLine, _ clock: ScreenClock) -> String? {
        guard case .batched(let count, _) = line.overview.queue.settings.start,
            line.overview.queue.run == nil
        else { return nil }
        let fresh = line.overview.freshCount.map { "\($0)/\(count) to the next run" }
        let time = line.overview.nextRun.map { clock.coming($0) }
        switch (fresh, time) {
        case (let fresh?, let time?): return "\(fresh), or \(time)"
        case (let fresh?, nil): return fresh
        case (nil, let time?): return "next run \(time)"
        case (nil, nil): return nil
        }
    }

    /// One count of the line of counts.
    struct Part {
        var word: String
        var count: Int
        var role: Role
        var letter: Character
        var isCapped = false
        var isAbout = false
        var text: String {
            (isAbout ? "~" : "") + NumberText.grouped(count) + (isCapped ? "+" : "")
        }
        var label: String { "\(word) \(text)" }
    }

    /// The counts above zero. A bound of zero says nothing.
    static func parts(_ tally: QueueTally) -> [Part] {
        [
            Part(
                word: "running", count: tally.running, role: .running, letter: "R",
                isCapped: tally.bounded.contains(.running),
                isAbout: tally.estimated.contains(.running)),
            Part(word: "taken", count: tally.taken, role: .running, letter: "W"),
            Part(
                word: "due", count: tally.due, role: .next, letter: "D",
                isCapped: tally.isDueCapped, isAbout: tally.estimated.contains(.due)),
            Part(word: "retrying", count: tally.retrying, role: .time, letter: "T"),
            Part(
                word: "delayed", count: tally.delayed, role: .time, letter: "T",
                isAbout: tally.estimated.contains(.delayed)),
            Part(word: "held", count: tally.held, role: .held, letter: "H"),
            Part(
                word: "skipped", count: tally.skipped, role: .quiet, letter: "S",
                isAbout: tally.estimated.contains(.skipped)),
            Part(word: "parked", count: tally.parked, role: .time, letter: "P"),
            Part(
                word: "blocked", count: tally.blocked, role: .quiet, letter: "B",
                isAbout: tally.estimated.contains(.blocked)),
            Part(
                word: "failed", count: tally.failed, role: .failed, letter: "F",
                isCapped: tally.bounded.contains(.failed),
                isAbout: tally.estimated.contains(.failed)),
        ].filter { $0.count > 0 }
    }
}
