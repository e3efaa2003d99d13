import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// One task as lines: its state and reasons, payload, attempts and relatives.
struct DetailText {
    let detail: TaskDetail
    /// The edits of its payload, oldest first.
    let changes: [PayloadChange]
    /// The end of the output of a running child.
    let output: ShownOutput?
    /// Why that output cannot be read.
    let outputTrouble: String?
    let place: DetailPlace
    let names: TaskNames
    let clock: ScreenClock
    let glyphs: GlyphSet
    let keys: Keymap
    let width: Int

    var lines: [StyledLine] { beforeDifference + section(differenceTitle, difference) + rest }

    /// The first line of the comparison of two attempts, or `nil` without one.
    var differenceTop: Int? { difference.isEmpty ? nil : beforeDifference.count + 1 }

    /// The top line for a page of `height` lines that ends with the log and the output of the
    /// running attempt.
    func tailTop(height: Int) -> Int {
        guard let last = detail.attempts.indices.last, detail.attempts[last].outcome == nil,
            !detail.attempts[last].log.isEmpty || output != nil
        else { return 0 }
        let end = beforeDifference.count - attempts().count + attempt(at: last, log: nil).count
        return max(0, end - height)
    }

    /// The lines of the preview. Attempts and reasons have priority over the payload.
    func preview(height: Int) -> [StyledLine] {
        let head = Array(facts.prefix(2))
        // For a running task the end of the log says most, and it grows.
        let isRunning = task.running != nil
        let logRoom = isRunning ? logRoom(height) : nil
        let told =
            section("attempts", attempts(log: logRoom)) + section("why", blockers)
        let runningShare = output == nil ? height / 2 : height * 2 / 3
        let share = isRunning ? runningShare : height / 3
        let room = max(3, height - head.count - 2 - min(told.count, share))
        var shown = Array(payload.prefix(room))
        if payload.count > room { shown[room - 1].append(" \(glyphs[.ellipsis])", .quiet) }
        return head + section(payloadTitle, shown) + told
    }

    /// The rows for the log and the output of a running attempt. An output takes what the payload
    /// and the heads of the attempts leave.
    private func logRoom(_ height: Int) -> Int {
        let least = max(3, height / 2 - 4)
        guard output != nil else { return least }
        let heads = 10 + 2 * min(3, detail.attempts.count - 1)
        return max(least, height - heads - min(payload.count, height / 3))
    }

    private var payload: [StyledLine] {
        guard detail.leftOutBytes == nil else {
            return [StyledLine("\(keys.name(of: .detail) ?? "show") opens it", .quiet)]
        }
        let text = PayloadText(detail.payload, clock: clock, glyphs: glyphs)
        return place.lens == .opened ? text.opened : text.raw
    }

    private var payloadTitle: String {
        if let bytes = detail.leftOutBytes { return "payload  \(bytes) bytes" }
        let kind = PayloadText(detail.payload, clock: clock, glyphs: glyphs).kind
        return "payload  \(detail.payload.count) bytes  \(kind)"
    }

    private var beforeDifference: [StyledLine] {
        var lines = facts.flatMap { $0.wrapped(to: width, indent: 2, glyphs: glyphs) }
        lines += section("why", broken(blockers))
        lines += section(payloadTitle, payload)
        lines += section("versions of the payload", versions)
        if let result = detail.result {
            lines += section(
                "result", PayloadText(result, clock: clock, glyphs: glyphs).opened)
        }
        let cutOff = detail.cutOffSentence.map { wrapped($0, .time) } ?? []
        lines += section("attempts", cutOff + attempts())
        return lines
    }

    private var rest: [StyledLine] {
        section("group", broken(groups)) + section("lineage", broken(lineage))
    }

    /// Lines of a section, none of them cut.
    private func broken(_ lines: [StyledLine]) -> [StyledLine] {
        lines.flatMap { $0.wrapped(to: width - 2, indent: 4, glyphs: glyphs) }
    }

    private func section(_ title: String, _ body: [StyledLine]) -> [StyledLine] {
        guard !body.isEmpty else { return [] }
        return [StyledLine(), StyledLine(title, .quiet)] + body.map { [Span("  ")] + $0 }
    }

    private var task: QueueTask { detail.line.task }

    private var facts: [StyledLine] {
        let words = TaskWords(line: detail.line, names: names, clock: clock, glyphs: glyphs)
        var title: StyledLine = [
            Span("\(names.name(task.id)) \(task.type)", .title, emphasis: true)
        ]
        if let label = task.label { title.append("  \(label)", .text) }
        title = title + StyledLine("  ")
        title = title + words.state(width: max(0, width - title.width))
        let limit = detail.queue.settings.attemptLimit(of: task)
        let priority = detail.queue.settings.priorityNames.both(task.priority)
        var facts = ["priority \(priority)"]
        facts.append("tried \(TaskWords.tries(task.attempts, limit))")
        if task.losses > 0 { facts.append("lost \(task.losses)") }
        if let key = task.uniqueKey { facts.append("unique \(key)") }
        if !task.requires.isEmpty {
            facts.append("needs \(task.requires.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        if task.isRequired { facts.append("required") }
        if let expires = task.expiresAt { facts.append("expires \(clock.date(expires))") }
        if !names.isEmpty { facts.append("number \(task.id)") }
        // Other systems keep no creation times or versions.
        let isKnown = task.createdAt != .unknown
        let enqueued = "enqueued \(clock.date(task.createdAt))"
        let changed = "changed \(clock.date(task.updatedAt))  version \(task.version)"
        let isWide = enqueued.count + 2 + changed.count <= width
        let times = isWide ? ["\(enqueued)  \(changed)"] : [enqueued, changed]
        if !names.isEmpty { title.append("  \(names.reference(task.id))", .quiet) }
        return [title, StyledLine(facts.joined(separator: "  "))] + session + headers
            + (isKnown ? times : []).map { StyledLine($0, .quiet) }
    }

    private var headers: [StyledLine] {
        TaskHeaders.sorted(task.headers).map { header in
            [Span("header \(header.name) ", .quiet), Span(header.value)]
        }
    }

    /// The task's session, and the session's wish for the result (S1, S4).
    private var session: [StyledLine] {
        var line = StyledLine()
        if let session = task.session {
            line = [Span("session ", .quiet), Span(session)]
            let isOver = task.endedAt != nil
            let word = task.isAcknowledged ? "acknowledged" : "not acknowledged"
            line.append(isOver ? ", \(word)  " : "  ", .quiet)
        }
        if let string = task.clientString {
            line = line + [Span("client string ", .quiet), Span(Self.shown(string))]
        }
        return line.width == 0 ? [] : [line]
    }

    /// A client string in quotes, so that an empty one is visible.
    private static func shown(_ string: ClientString) -> String {
        string.text.map { "\"\($0)\"" } ?? "of \(string.bytes.count) bytes that are no text"
    }

    private var blockers: [StyledLine] {
        detail.line.blockers.flatMap { blocker -> [StyledLine] in
            let reason = DisplayText.wrapped(
                names.text(blocker.text), to: max(10, width - 2), limit: 6, glyphs: glyphs
            ).map { StyledLine($0, blocker.kind.role) }
            guard let fix = blocker.fix, let last = reason.last else { return reason }
            let command = StyledLine("  " + names.offer(fix, prompt: "$ "), .quiet)
            // A command that does not fit after its reason takes a separate line.
            return reason.count == 1 && last.width + command.width <= width - 2
                ? [last + command] : reason + [command]
        }
    }

    /// The attempts, newest first. A running attempt shows the last lines of its log if they do not
    /// all fit.
    private func attempts(log room: Int? = nil) -> [StyledLine] {
        detail.attempts.indices.reversed().flatMap { attempt(at: $0, log: room) }
    }

    private func attempt(at index: Int, log room: Int?) -> [StyledLine] {
        let attempt = detail.attempts[index]
        let words = detail.words(of: attempt)
        var lines = broken([head(of: attempt, words, isCompared: compared.contains(index))])
        if let consequence = words.rest.map({ "  \(names.text($0))" }) {
            // Put the consequence on a separate line if it does not fit.
            if lines.count == 1, lines[0].width + DisplayText.width(consequence) <= width - 2 {
                lines[0].append(consequence, .quiet)
            } else {
                lines += wrapped(String(consequence.dropFirst(2)), .quiet)
            }
        }
        if let error = attempt.error { lines += wrapped(error, .failed) }
        if let person = detail.stepper(of: attempt) {
            lines += wrapped("stepped by \(person)", .quiet)
        }
        if let injection = attempt.injection { lines += wrapped(injection.sentence, .time) }
        if attempt.outcome == nil { lines += progress(attempt) }
        let log = attempt.shownLog.flatMap { wrapped($0, .text) }
        guard attempt.outcome == nil else { return lines + log }
        guard let room else { return lines + log + printed() }
        // The output says most, and the last lines of the log stay above it.
        let told = output == nil && outputTrouble == nil ? room : min(3, room / 2)
        let shown = Array(log.suffix(told))
        return lines + shown + printed(room: room - shown.count)
    }

    /// The last lines of the output of the running child, below their title.
    private func printed(room: Int = .max) -> [StyledLine] {
        if let outputTrouble {
            return wrapped("its output cannot be shown: \(outputTrouble)", .time)
        }
        guard let output, room > 1 else { return [] }
        let rows = output.rows(columns: max(10, width - 8), glyphs: glyphs)
        let title = wrapped(output.title, .quiet)
        return title + rows.suffix(room - 1).map { [Span("    "), Span($0, .text)] }
    }

    /// The indexes of the compared attempts.
    private var compared: [Int] {
        let pair = place.pair.chosen(of: detail.attempts)
        return [pair?.earlier, pair?.later].compactMap { $0 }
    }

    private func head(
        of attempt: AttemptRecord, _ words: AttemptText, isCompared: Bool
    ) -> StyledLine {
        let role = attempt.outcome?.role ?? (detail.line.isLost ? .failed : .running)
        let goesOn = attempt.endedAt == nil && !detail.line.isLost
        let age = goesOn ? DurationText.taken(clock.realNow - attempt.startedAt) : nil
        var line: StyledLine = [
            Span(isCompared ? glyphs[.collapsed] : " ", .next),
            Span(DisplayText.paddedLeft("\(attempt.number)", to: 2) + "  "),
            Span("\(clock.moment(of: attempt))  ", .quiet),
            Span(words.ending, role, emphasis: true),
        ]
        if let took = words.took ?? age { line.append(" \(took)", role) }
        line.append("  worker \(attempt.runner)", .quiet)
        if attempt.outcome != nil, !attempt.isCounted { line.append("  not counted", .quiet) }
        return line
    }

    /// The progress of an attempt, if it reports any. Draws no bar if the total is unknown.
    private func progress(_ attempt: AttemptRecord) -> [StyledLine] {
        var line: StyledLine = [Span("    ")]
        if let fraction = attempt.fraction {
            let bar = ProgressBar(fraction: fraction, width: 20)
            line = line + bar.line(.running, glyphs: glyphs)
            line.append(" \(Int((fraction * 100).rounded()))% ", .running)
        }
        if let text = attempt.progressText { line.append(text, .text) }
        return line.width > 4 ? [line] : []
    }

    private func wrapped(_ text: String, _ role: Role) -> [StyledLine] {
        DisplayText.wrapped(text, to: max(10, width - 8), limit: 40, glyphs: glyphs).map {
            [Span("    "), Span($0, role)]
        }
    }

    private var groups: [StyledLine] {
        var lines: [StyledLine] = []
        if let group = task.groupStart {
            lines.append([Span("\(glyphs[.groupStart]) starts ", .held), Span(group, .held)])
        }
        for group in task.groupMembers {
            var line: StyledLine = [
                Span("\(glyphs[.groupMiddle]) member of ", .held), Span(group, .held),
            ]
            if let holder = detail.line.heldBy {
                line.append("  held by \(names.name(holder))", .held)
            }
            lines.append(line)
        }
        return lines
    }

    private var lineage: [StyledLine] {
        var lines: [StyledLine] = []
        if let parent = task.parent {
            lines.append([Span("enqueued by ", .quiet), Span(names.name(parent))])
        }
        if let scheduled = task.scheduled {
            lines.append([Span("made by ", .quiet), Span(scheduled.sentence)])
        }
        lines += named("enqueued", detail.followUps)
        return lines + named("twins, with this type and payload within a minute:", detail.twins)
    }

    private func named(_ title: String, _ tasks: [TaskID]) -> [StyledLine] {
        guard !tasks.isEmpty else { return [] }
        let all = tasks.prefix(20).map(names.name).joined(separator: " ")
        let more = tasks.count > 20 ? " and \(tasks.count - 20) more" : ""
        return [[Span("\(title) ", .quiet), Span(all + more)]]
    }
}

/// The changes of a task: between two attempts, and between versions of its payload.
extension DetailText {
    var differenceTitle: String {
        let later = [Action.ID.olderAttempt, .newerAttempt].compactMap { keys.name(of: $0) }
        let earlier = [Action.ID.withOlder, .withNewer].compactMap { keys.name(of: $0) }
        guard detail.attempts.count > 2 else { return "difference" }
        return "difference  \(later.joined(separator: " ")) another attempt  "
            + "\(earlier.joined(separator: " ")) next to another"
    }

    var difference: [StyledLine] {
        guard let (first, second) = place.pair.chosen(of: detail.attempts) else { return [] }
        let (earlier, later) = (detail.attempts[first], detail.attempts[second])
        func payload(_ attempt: AttemptRecord) -> [UInt8] {
            changes.payload(at: attempt.endSequence, current: detail.payload)
        }
        let end = later.endSequence == 0 ? Int64.max : later.endSequence
        let between = changes.filter {
            $0.undoneAt == nil && $0.sequence > earlier.endSequence && $0.sequence < end
        }
        var editors: [String] = []
        for change in between where !editors.contains(change.by) { editors.append(change.by) }
        return AttemptDifference(
            earlier: earlier, later: later, payloads: (payload(earlier), payload(later)),
            editors: editors, isLost: detail.line.isLost, names: names, clock: clock,
            glyphs: glyphs,
            width: width - 2
        ).lines
    }

    /// The edits of the payload, newest first, each with its changes.
    var versions: [StyledLine] {
        changes.indices.reversed().flatMap { index -> [StyledLine] in
            let change = changes[index]
            var line: StyledLine = [
                Span("\(clock.real.time(change.at))  ", .quiet), Span("edited by \(change.by)"),
            ]
            if let end = change.undoneAt {
                line.append("  taken back \(clock.real.time(end))", .quiet)
            }
            guard let after = changes.payload(after: index, current: detail.payload) else {
                return [line]
            }
            let difference = PayloadDifference(before: change.before, after: after)
            return [line] + difference.lines(limit: 12, glyphs: glyphs).map { [Span("  ")] + $0 }
        }
    }
}

extension ConsoleState {
    /// The text of a task's page, or `nil` until the task is loaded.
    func detailText(_ place: DetailPlace, width: Int) -> DetailText? {
        scene.flatMap { scene in
            scene.detail.map { detail in
                DetailText(
                    detail: detail, changes: scene.payloadChanges, output: scene.output,
                    outputTrouble: scene.outputTrouble, place: place, names: names,
                    clock: clock, glyphs: settings.glyphs, keys: settings.keys, width: width)
            }
        }
    }

    /// Compares other executions. An invisible comparison is only scrolled into view.
    mutating func compare(later: Int = 0, earlier: Int = 0) {
        guard case .detail(let id, var place)? = page, let attempts = scene?.detail?.attempts
        else { return }
        let height = layout.pageRect.height
        let text = detailText(place, width: layout.pageRect.width)
        if let top = text?.differenceTop, place.top > top || top + 4 > place.top + height {
            let last = max(0, pageLineCount - height)
            place.top = min(top, last)
        } else {
            place.pair = place.pair.moved(later: later, earlier: earlier, of: attempts)
        }
        pages[pages.count - 1] = .detail(id, place)
    }
}
