import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The pages over the view: why, detail, help, text.
extension ConsoleState {
    mutating func open(_ page: Page) {
        if case .why(let id, _) = page, case .why(id, _)? = pages.last { return }
        pages.append(page)
        wordInText = ""
        focus = .view
        reads.isStale = reads.isStale || page.subject != nil
    }

    /// Whether the page on top took the key.
    mutating func handleOnPage(_ key: Key) -> Bool {
        guard let page else { return false }
        if case .timeline(let timeline) = page, handleTimeline(timeline, key) { return true }
        if key == .escape || key == .character("q") || key == .left || key == .backspace {
            goBack()
            return true
        }
        switch page {
        case .why(let id, let choice): return handleWhy(id, choice, key)
        case .detail(let id, var place):
            if key == .tab {
                (place.top, place.lens) = (0, place.lens == .opened ? .raw : .opened)
                pages[pages.count - 1] = .detail(id, place)
                return true
            }
            let isToEnd = if case .end? = Self.step(of: key) { true } else { false }
            return scroll(key, shownTop(place)) { top in
                (place.top, place.follows) = (top, isToEnd)
                return .detail(id, place)
            }
        case .help(let top, let find):
            if key == .character("/") {
                ask(Prompt(.findInHelp, text: find))
                return true
            }
            if key == .enter {
                showsAllKeys.toggle()
                pages[pages.count - 1] = .help(top: 0, find: "")
                return true
            }
            return scroll(key, top) { .help(top: $0, find: find) }
        case .text(let title, let lines, let top):
            if key == .character("/") {
                ask(Prompt(.findInText, text: wordInText))
                return true
            }
            return scroll(key, top) { .text(title: title, lines: lines, top: $0) }
        case .difference(let page): return handleDifference(page, key)
        case .changed(let task, let top):
            guard key == .enter else { return scroll(key, top) { .changed(task, top: $0) } }
            openChanged(task)
            return true
        case .timeline: return false
        case .settings(let queue, let choice): return handleSettings(queue, choice, key)
        }
    }

    private mutating func scroll(_ key: Key, _ top: Int, _ make: (Int) -> Page) -> Bool {
        guard let step = Self.step(of: key) else { return false }
        let height = layout.pageRect.height
        let last = max(0, pageLineCount - height)
        let wanted: Int
        switch step {
        case .rows(let rows): wanted = top + rows
        case .pages(let pages): wanted = top + pages * max(1, height - 1)
        case .start: wanted = 0
        case .end: wanted = last
        }
        pages[pages.count - 1] = make(min(max(0, wanted), last))
        return true
    }

    /// Keeps the choice among the reasons, which may have become fewer.
    mutating func fitReason(_ scene: LoadedScene) {
        guard case .why(let id, let choice)? = page, let line = scene.chain.first,
            line.task.id == id
        else { return }
        let last = max(0, line.blockers.count - 1)
        pages[pages.count - 1] = .why(id, choice: min(choice, last))
    }

    private mutating func handleWhy(_ id: TaskID, _ choice: Int, _ key: Key) -> Bool {
        let count = scene?.chain.first?.blockers.count ?? 0
        func chosen(_ wanted: Int) -> Page {
            .why(id, choice: min(max(0, wanted), max(0, count - 1)))
        }
        if let step = Self.step(of: key) {
            switch step {
            case .rows(let rows): pages[pages.count - 1] = chosen(choice + rows)
            case .pages(let rows): pages[pages.count - 1] = chosen(choice + 3 * rows)
            case .start: pages[pages.count - 1] = chosen(0)
            case .end: pages[pages.count - 1] = chosen(count - 1)
            }
            return true
        }
        if case .character(let character) = key, let digit = character.wholeNumberValue {
            guard (1...max(1, count)).contains(digit), count > 0 else {
                message = .refusal("there is no reason \(digit)")
                return true
            }
            pages[pages.count - 1] = chosen(digit - 1)
            return true
        }
        guard key == .enter else { return false }
        removeBlocker(choice)
        return true
    }

    /// Ask first if the verb affects another task or a whole queue.
    private mutating func askBeyond(_ task: QueueTask, _ verb: Verb) {
        let due = scene?.queue(named: task.queue)?.tally.due ?? 0
        let isOfTask = !verb.targets.isEmpty
        let words =
            isOfTask
            ? "\(names.name(task.id)) waits for it"
            : "\(NumberText.tasks(due)) of \(task.queue) can start then"
        let command = commandText(of: verb).of(verb)
        message = nil
        modal = .confirm(
            Confirmation(
                verb: verb, title: isOfTask ? title(of: verb) : "\(command)?",
                lines: [StyledLine(words, .time)], answer: .key))
    }

    private mutating func removeBlocker(_ choice: Int) {
        guard let chain = scene?.chain, let line = chain.first,
            line.blockers.indices.contains(choice)
        else {
            if let line = scene?.chain.first, line.display == .stuck, !line.isLost {
                return perform(.cancel)
            }
            let isFailed = scene?.chain.first?.task.state.name == .failed
            message = .refusal(
                isFailed ? "it was given up: \(key(.retry)) makes it wait" : "nothing holds it back"
            )
            return
        }
        let refusal = DisabledReasons(state: self).readOnlyReason.map(MessageLine.refusal)
        guard let fix = line.blockers[choice].fix else {
            let isUpToItself = MessageLine.refusal("nothing but its end removes that")
            message = line.isPast ? refusal : isUpToItself
            return
        }
        let remedy = Remedy(fix) { id in
            // A task of the chain has the version on the screen.
            chain.first { $0.task.id == id }.map { TaskTarget($0.task) } ?? TaskTarget(id)
        }
        switch remedy {
        case .why(let id): open(.why(id, choice: 0))
        case _ where refusal != nil: message = refusal
        case .verb(let verb) where verb.targets.map(\.id) == [line.task.id]: start(verb)
        case .verb(let verb): askBeyond(line.task, verb)
        case .step(let request): start(request)
        case .elsewhere(let command):
            message = .refusal("in another terminal: $ sluice \(command)")
        }
    }
}

/// The first actions of the palette.
enum ActionMenu {
    /// Every verb of the table that acts on a task, a queue or the store and is not only a command.
    static let entries: [Action] = Action.all.filter { action in
        if let verb = action.verb { return action.key != nil || verb.unsaid(on: nil) != nil }
        return others.contains(action.id)
    }

    private static let others: Set<Action.ID> = [
        .step, .stepTask, .stepBack, .run, .pause, .pauseWithReason, .resume, .enqueue, .undo,
        .redo, .takeCheckpoint, .network, .setQueue, .deleteQueue, .why, .detail, .results, .mark,
        .markMatching,
        .filter, .previousLink, .nextLink, .copy, .report,
    ]
}

/// The form of a queue's settings: moving in it, and changing one of them in one commit.
extension ConsoleState {
    mutating func handleSettings(_ queue: String, _ choice: QueueSetting, _ key: Key) -> Bool {
        guard let form = scene?.form(of: queue) else { return false }
        let row = form.index(of: choice)
        if let step = Self.step(of: key) {
            let wanted: Int
            switch step {
            case .rows(let rows): wanted = row + rows
            case .pages(let pages): wanted = row + pages * max(1, layout.settingsHeight - 1)
            case .start: wanted = 0
            case .end: wanted = form.rows.count - 1
            }
            let bounded = min(max(0, wanted), form.rows.count - 1)
            pages[pages.count - 1] = .settings(queue, form.rows[bounded].setting)
            return true
        }
        guard key == .enter || key == .right else { return false }
        change(form.rows[row], in: form)
        return true
    }

    private mutating func change(_ row: SettingsForm.Row, in form: SettingsForm) {
        if let reason = DisabledReasons(state: self).readOnlyReason {
            message = .refusal(reason)
            return
        }
        if row.value == nil {
            message = .refusal(
                "\(form.queue) is \(form.settings.start.name), so it has no \(row.setting.name)")
            return
        }
        let text = row.setting == .preset ? form.settings.preset ?? "" : row.value ?? ""
        ask(Prompt(.setting(form.queue, row.setting), text: text))
    }

    /// Takes the value that was typed: checked as the command checks it, asked about where it
    /// changes more than itself.
    mutating func submit(
        _ queue: String, _ setting: QueueSetting, _ text: String
    ) throws(QueueError) {
        guard let form = scene?.form(of: queue) else {
            throw QueueError(.unknownQueue, "\(queue) was removed", fix: "Esc leaves")
        }
        let change = try setting.change(text)
        let after = try form.settings.changed(change)
        modal = nil
        guard after != form.settings else {
            message = .note("\(setting.name) stays \(text)")
            return
        }
        let verb = Verb.setQueue(queue, [change])
        guard setting == .preset else { return start(verb) }
        message = nil
        modal = .confirm(
            Confirmation(
                verb: verb, title: "preset \(text) for \(queue)?",
                lines: presetLines(form.changes(by: after)), answer: .key))
    }

    private func presetLines(_ rows: [SettingsForm.Row]) -> [StyledLine] {
        guard !rows.isEmpty else { return [StyledLine("no value changes", .quiet)] }
        let glyphs = settings.glyphs
        let width = rows.map { $0.setting.name.count }.max() ?? 0
        let old = rows.map { DisplayText.width($0.ground ?? glyphs[.dash]) }.max() ?? 0
        return rows.map { row in
            [
                Span(DisplayText.paddedRight(row.setting.name, to: width) + "  "),
                Span(
                    DisplayText.paddedRight(row.ground ?? glyphs[.dash], to: old), .quiet),
                Span(" \(glyphs[.arrow]) ", .quiet), Span(row.value ?? glyphs[.dash]),
            ]
        }
    }

    /// Closes a form whose queue was removed, and reports it.
    mutating func closeLostForm() {
        guard case .settings(let queue, _)? = page, scene?.form(of: queue) == nil else { return }
        pages.removeLast()
        if case .prompt(let prompt)? = modal, case .setting = prompt.question { dropModal() }
        message = .refusal("the queue \(queue) was removed")
    }
}
