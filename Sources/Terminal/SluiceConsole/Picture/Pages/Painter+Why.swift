import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Why a task is not running: its blockers, each with the command that removes it, and the
/// chain of the starts before it.
extension Painter {
    mutating func paintWhy(_ id: TaskID, _ choice: Int) {
        let area = layout.pageRect
        guard let chain = state.scene?.chain, let line = chain.first, line.task.id == id else {
            return paintWaiting(id)
        }
        var y = area.y
        let head =
            title(line).wrapped(to: area.width, indent: 2, glyphs: glyphs)
            + sentences(of: line.task)
        for text in head where y < area.maxY {
            buffer.put(text, x: area.x, y: y, maxWidth: area.width)
            y += 1
        }
        if layout.isRoomy { y += 1 }
        if case .failed(let failure) = line.task.state {
            return paintFailure(line, failure, y: y)
        }
        if let lease = line.task.running, line.display == .stuck, !line.isLost {
            return paintStuck(line, lease, y: y)
        }
        if line.task.running != nil, line.blockers.isEmpty {
            for (row, words) in inFlightText(line).enumerated() where y + row < area.maxY {
                buffer.put(words, x: area.x, y: y + row, role: .quiet, maxWidth: area.width)
            }
        }
        let blocks = line.blockers.enumerated().map { index, blocker in
            WhyBlock(
                blocker, number: index + 1, chain: chain, painter: self, width: area.width - 2)
        }
        let first = firstBlock(blocks, choice, height: area.maxY - y)
        for index in blocks.indices where index >= first && y < area.maxY {
            if index == choice { paintSelection(y: y) }
            for text in blocks[index].lines where y < area.maxY {
                buffer.put(text, x: area.x, y: y, maxWidth: area.width)
                y += 1
            }
            if layout.isRoomy { y += 1 }
        }
        if !blocks.isEmpty, y < area.maxY, !isUpToItsSystem(line) {
            let all =
                ["it", "both"].count >= blocks.count
                ? ["it", "both"][blocks.count - 1] : "all \(Self.spelled(blocks.count))"
            buffer.put(
                "with \(all) gone it can start", x: area.x, y: y, role: .quiet,
                maxWidth: area.width)
        }
    }

    /// Whether another system alone decides what follows, as for a revoked task.
    private func isUpToItsSystem(_ line: TaskLine) -> Bool {
        line.systemState != nil
            && line.blockers.contains {
                $0.kind == .requirement && $0.fix == nil && $0.until == nil
            }
    }

    /// Facts about a task apart from its blockers: its cut-off attempts and faults, and its last
    /// error while it waits for a retry.
    private func sentences(of task: QueueTask) -> [StyledLine] {
        func wrapped(_ text: String, _ role: Role) -> [StyledLine] {
            DisplayText.wrapped(text, to: layout.pageRect.width, limit: 4, glyphs: glyphs)
                .map { StyledLine($0, role) }
        }
        let cutOff = state.scene?.cutOffSentence.map { wrapped($0, .time) } ?? []
        let faults = (state.scene?.faultSentences ?? []).flatMap {
            wrapped("\(glyphs[.fault]) \($0)", .time)
        }
        guard task.waiting?.timer?.cause == .retry, let error = task.lastError else {
            return cutOff + faults
        }
        return cutOff + faults + wrapped("it failed last: \(state.names.text(error))", .failed)
    }

    /// The state of a running task in another system, and the way to stop it.
    private func inFlightText(ofSystem line: TaskLine) -> [String] {
        var words = [
            line.isTaken
                ? "it runs, or the worker keeps it for later: its system does not say which"
                : "a worker of its system runs it"
        ]
        if let reason = DisabledReasons(state: state).reason(.cancel) {
            words.append(reason)
        } else {
            words.append("\(state.key(.cancel)) asks its worker to stop it")
            words.append("$ sluice \(cancelCommand(line.task))")
        }
        if let own = state.scene?.ownStop { words.append("its system's own way: $ \(own)") }
        return words.flatMap {
            DisplayText.wrapped($0, to: layout.pageRect.width, limit: 4, glyphs: glyphs)
        }
    }

    private func inFlightText(_ line: TaskLine) -> [String] {
        guard line.systemState == nil else { return inFlightText(ofSystem: line) }
        let words = "nothing holds it back; its own page shows its log"
        guard DisabledReasons(state: state).reason(.cancel) == nil else { return [words] }
        return [words, "$ sluice \(cancelCommand(line.task)) asks it to stop"]
    }

    private func cancelCommand(_ task: QueueTask) -> String {
        CommandText(names: state.names, now: clock.now).of(.cancel([TaskTarget(task)]))
    }

    /// Reports that a task exceeds its time, and how to end it.
    private mutating func paintStuck(_ line: TaskLine, _ lease: Running, y: Int) {
        let area = layout.pageRect
        let limit = state.scene?.queue(named: line.task.queue)?.overview.queue.settings
            .stuckAfterMilliseconds
        let time = limit.map { "the \(DurationText.compact($0)) that" } ?? "what"
        let sentence = "longer than \(time) its queue takes for usual"
        var lines = DisplayText.wrapped(
            sentence, to: max(1, area.width - 2), limit: 2, glyphs: glyphs
        ).map { StyledLine($0, .failed) }
        if lease.stop != nil {
            lines.append(StyledLine("it was told to stop", .time))
        } else if !line.isPast {
            let command = cancelCommand(line.task)
            lines.append([Span("\(glyphs.enter) ", .key), Span("$ sluice \(command)", .quiet)])
            lines.append(StyledLine("  asks it to stop, then parks it", .quiet))
        }
        for (row, text) in lines.enumerated() where y + row < area.maxY {
            buffer.put(text, x: area.x + 2, y: y + row, maxWidth: area.width - 2)
        }
    }

    /// The whole error of a task that was given up, and what makes it wait again.
    private mutating func paintFailure(_ line: TaskLine, _ failure: Failure, y: Int) {
        let (task, area) = (line.task, layout.pageRect)
        let error = task.lastError ?? failure.reason
        let reason = error.hasSuffix(failure.reason) ? error : "\(failure.reason)\n\(error)"
        let lines = DisplayText.wrapped(
            state.names.text(reason), to: max(1, area.width - 2),
            limit: max(1, area.maxY - y - 2), glyphs: glyphs)
        var y = y
        for text in lines where y < area.maxY {
            buffer.put(text, x: area.x + 2, y: y, role: .failed, maxWidth: area.width - 2)
            y += 1
        }
        guard !line.isPast else { return }
        let retry = CommandText(names: state.names, now: clock.now).of(.retry([TaskTarget(task)]))
        let way: StyledLine = [
            Span(state.key(.retry), .key, emphasis: true),
            Span(" makes it wait again  ", .quiet), Span("$ sluice \(retry)", .quiet),
        ]
        let rows = way.wrapped(to: max(1, area.width - 2), indent: 2, glyphs: glyphs)
        for (row, text) in rows.enumerated() where y + 1 + row < area.maxY {
            buffer.put(text, x: area.x + 2, y: y + 1 + row, maxWidth: area.width - 2)
        }
    }

    /// The first visible block, chosen so that the selected one is in view. The reasons may have
    /// become fewer since the choice.
    private func firstBlock(_ blocks: [WhyBlock], _ choice: Int, height: Int) -> Int {
        let gap = layout.isRoomy ? 1 : 0
        let last = min(choice, blocks.count - 1)
        var first = 0
        while first < last {
            let used = blocks[first...last].reduce(0) {
                $0 + $1.lines.count + gap
            }
            if used <= height { break }
            first += 1
        }
        return first
    }

    private func title(_ line: TaskLine) -> StyledLine {
        let task = line.task
        let name = "\(state.names.name(task.id)) \(task.type)"
        var text: StyledLine = [Span(name, .title, emphasis: true)]
        switch task.state {
        case .waiting:
            switch line.blockers.count {
            case 0:
                text.append(" waits for nothing: ")
                text.append("it can start", .next)
            case 1: text.append(" waits for one reason:")
            default: text.append(" waits for \(Self.spelled(line.blockers.count)) reasons:")
            }
        case .running(let lease) where line.isLost:
            text.append(" was run by worker \(lease.owner), which died", .failed)
        case .running where line.isTaken: text.append(" is taken by a worker", .running)
        case .running(let lease):
            let who = "attempt \(lease.attempt) in worker \(lease.owner)"
            text.append(lease.owner > 0 ? " runs: \(who), " : " runs, ")
            text.append("for \(clock.lasting(since: lease.since))", .running)
        case .succeeded(let success):
            text.append(" succeeded\(time(of: success.at))", .running)
        case .failed(let failure):
            text.append(" was given up\(time(of: failure.at)):", .failed)
        case .deleted(let trash):
            text.append(" was deleted by \(trash.by)\(time(of: trash.at))", .quiet)
        }
        return text
    }

    /// The time of an end; empty if its system does not keep it.
    private func time(of end: Timestamp) -> String {
        end.ifKnown.map { " at \(clock.real.time($0))" } ?? ""
    }

    private static func spelled(_ count: Int) -> String {
        let words = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
        return words.indices.contains(count) ? words[count] : "\(count)"
    }
}

/// One blocker: its sentence, its details and its command.
struct WhyBlock {
    let lines: [StyledLine]

    init(_ blocker: Blocker, number: Int, chain: [TaskLine], painter: Painter, width: Int) {
        let clock = painter.clock
        var lines: [StyledLine] = []
        let sentence = DisplayText.wrapped(
            painter.state.names.text(blocker.text), to: max(1, width), limit: 6,
            glyphs: painter.glyphs)
        for (row, text) in sentence.enumerated() {
            let lead = row == 0 ? Span("\(number) ", .next, emphasis: true) : Span("  ")
            lines.append([lead, Span(text, blocker.kind.role, emphasis: true)])
        }
        if let until = blocker.until, until > clock.now {
            let text = "  it ends in \(clock.wait(until: until)), at \(clock.time(until))"
            lines.append(StyledLine(text))
        }
        if let id = blocker.task, let place = chain.firstIndex(where: { $0.task.id == id }) {
            lines += Self.chain(Array(chain[place...]), painter)
        }
        if let fix = blocker.fix {
            lines.append([
                Span("  \(painter.glyphs.enter) ", .key),
                Span(Self.offer(fix, blocker, painter), .quiet),
            ])
        }
        self.lines = lines.flatMap { line in
            line.wrapped(to: width + 2, indent: 4, glyphs: painter.glyphs)
        }
    }

    /// The command of a fix. A task that has the place leads to its own page, where a key stops it.
    private static func offer(_ fix: Blocker.Fix, _ blocker: Blocker, _ painter: Painter) -> String
    {
        let command = painter.state.names.offer(fix, prompt: "$ ")
        guard case .why = fix, blocker.kind == .noSlot else { return command }
        return "\(command)\(painter.separator)there \(painter.state.key(.cancel)) cancels it"
    }

    /// The starts before it, one per line: the state of each, and its own blocker.
    private static func chain(_ chain: [TaskLine], _ painter: Painter) -> [StyledLine] {
        chain.enumerated().map { depth, line in
            let words = painter.words(line)
            var text = StyledLine(String(repeating: "  ", count: min(depth + 1, 8)))
            text.append("\(painter.state.names.name(line.task.id)) \(line.task.type)  ")
            text = text + words.state()
            if line.task.attempts > 0 { text.append("  tried \(line.task.attempts)", .quiet) }
            if let error = line.task.lastError { text.append("  \(error)", .quiet) }
            return text
        }
    }
}

extension Blocker.Kind {
    var role: Role {
        switch self {
        case .queuePaused, .noRun, .noRunner, .notBefore, .requirement, .parked,
            .rate:
            .time
        case .groupStart, .headOfQueue: .held
        case .abandoned, .orphan: .failed
        case .skipped, .noSlot, .attemptedInRun: .text
        }
    }
}

/// The difference between two moments of the store, and one task in both columns (G5).
extension Painter {
    mutating func paintDifference(_ page: DifferencePage) {
        paintTitle("sluice \(page.title)")
        let area = layout.pageRect
        if page.heads.indices.contains(page.choice) {
            let row = page.heads[page.choice] - page.top
            if (0..<area.height).contains(row) { paintSelection(y: area.y + row) }
        }
        paintLines(
            page.lines.lazy.map(Self.styled), top: page.top, marking: state.lettersInText)
    }

    /// A line of a difference: what came, went or changed in its colour.
    private static func styled(_ line: StoreDifference.Line) -> StyledLine {
        switch line.change {
        case .added: StyledLine(line.text, .running)
        case .removed: StyledLine(line.text, .failed)
        case .changed: StyledLine(line.text, .time)
        case nil: StyledLine(line.text, line.text.hasPrefix("    ") ? .text : .quiet)
        }
    }
}

extension ConsoleState {
    /// The lines of a task next to its former values.
    func lines(of task: ChangedTask, width: Int) -> [StyledLine] {
        TaskDifference(task: task, glyphs: settings.glyphs, width: width).lines
    }
}

/// A task at two moments in two columns: first the differences, then the rest.
struct TaskDifference {
    let task: ChangedTask
    let glyphs: GlyphSet
    let width: Int

    var lines: [StyledLine] {
        let columns = SideBySide(labelWidth: 14, width: width, glyphs: glyphs)
        let change = task.change
        var lines = [columns.row("", moment(task.from), moment(task.to), .quiet, .quiet)]
        switch (change.before, change.after) {
        case (nil, let came?):
            lines.append(columns.row("", "was not there", "came", .quiet, .running))
            lines += Self.told(came.comparedFields).flatMap { name, value in
                columns.rows(name, "", value, .text, .text)
            }
            return lines
        case (let went?, nil):
            lines.append(columns.row("", "was there", "removed", .quiet, .failed))
            lines += Self.told(went.comparedFields).flatMap { name, value in
                columns.rows(name, value, "", .text, .text)
            }
            return lines
        default: break
        }
        for field in change.fields where field.name != "payload" {
            lines += columns.rows(
                field.name, FieldDifference.words(field.from), FieldDifference.words(field.to),
                .text, .time)
        }
        if let payload = change.fields.first(where: { $0.name == "payload" }) {
            lines.append(StyledLine("payload", .quiet))
            lines += PayloadDifference(
                before: Array((payload.from.string ?? "").utf8),
                after: Array((payload.to.string ?? "").utf8)
            ).lines(limit: 200, glyphs: glyphs).map { [Span("  ")] + $0 }
        }
        return lines + unchanged(columns)
    }

    private func moment(_ name: String) -> String {
        name == Reading.present ? name : "at \(name)"
    }

    /// The unchanged facts, with their values.
    private func unchanged(_ columns: SideBySide) -> [StyledLine] {
        let changed = Set(task.change.fields.map(\.name))
        let same = Self.told(task.change.task.comparedFields.filter { !changed.contains($0.name) })
            .map { "\($0.name) \($0.value)" }
        guard !same.isEmpty else { return [] }
        let text = same.joined(separator: glyphs == .ascii ? " - " : " · ")
        let room = max(8, width - columns.labelWidth - 1)
        let wrapped = DisplayText.wrapped(text, to: room, limit: 12, glyphs: glyphs)
        return wrapped.enumerated().map { index, line in
            [Span(columns.padded(index == 0 ? "as before" : ""), .quiet), Span(line, .quiet)]
        }
    }

    /// Fields that say something, in words.
    private static func told(
        _ fields: [(name: String, value: JSONValue)]
    ) -> [(name: String, value: String)] {
        fields.compactMap { name, value in
            let words = FieldDifference.words(value)
            return ["none", "no", "0", ""].contains(words) ? nil : (name, words)
        }
    }
}
