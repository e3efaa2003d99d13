import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// Questions: input lines, and yes or no.
extension ConsoleState {
    mutating func ask(_ prompt: Prompt) {
        message = nil
        modal = .prompt(prompt)
    }

    mutating func answerModal(_ key: Key) {
        switch modal {
        case .prompt(let prompt): answer(prompt, key)
        case .confirm(let confirmation): answer(confirmation, key)
        case .stop(let menu): answer(menu, key)
        case .columns(let menu): answer(menu, key)
        case nil: break
        }
    }

    private mutating func answer(_ confirmation: Confirmation, _ key: Key) {
        if key == .escape { return close("nothing was changed") }
        switch confirmation.answer {
        case .key:
            if key == .character("n") || key == .character("q") {
                return close("nothing was changed")
            }
            guard key == .character("y") else { return }
            modal = nil
            commit(confirmation.deed)
        case .typed(let wanted, var editor):
            let outcome = editor.handle(key)
            if outcome == .submitted, editor.text == wanted {
                modal = nil
                return commit(confirmation.deed)
            }
            var next = confirmation
            next.answer = .typed(wanted, editor)
            modal = .confirm(next)
        }
    }

    private mutating func answer(_ menu: StopMenu, _ key: Key) {
        var menu = menu
        if key == .escape || key == .character("q") { return close("nothing was changed") }
        if case .character(let character) = key, let digit = character.wholeNumberValue,
            menu.entries.indices.contains(digit - 1)
        {
            menu.choice = digit - 1
            return ask(Prompt(.pauseReason(menu.entries[menu.choice].request)))
        }
        if key == .enter { return ask(Prompt(.pauseReason(menu.entries[menu.choice].request))) }
        guard case .rows(let rows)? = Self.step(of: key) else { return }
        menu.choice = min(max(0, menu.choice + rows), menu.entries.count - 1)
        modal = .stop(menu)
    }

    mutating func close(_ text: String) {
        if view == .activity { reads.isStale = true }
        dropModal()
        message = .note(text)
    }

    /// Closes the question without its action.
    mutating func dropModal() {
        if case .confirm(let confirmation)? = modal,
            case .verb(let verb) = confirmation.deed, verb.onTasks?.verb is EditVerb
        {
            send(.endEdit)
        }
        modal = nil
    }

    private mutating func answer(_ prompt: Prompt, _ key: Key) {
        var prompt = prompt
        if prompt.question == .filter, prompt.editor.text.isEmpty, key == .character("?") {
            modal = nil
            return open(.text(title: "filter", lines: TaskFilter.help, top: 0))
        }
        if case .form(let form) = prompt.question, form.value.hasOptions,
            key == .tab || key == .backTab
        {
            return choose(form.value, key == .tab ? 1 : -1, in: prompt)
        }
        if prompt.question == .command, handlePalette(prompt, key) { return }
        prompt.awaitsPlaces = false
        switch prompt.editor.handle(key) {
        case .cancelled: close("nothing was changed")
        case .submitted: submit(prompt)
        case .completionRequested:
            complete(&prompt)
            modal = .prompt(prompt)
        case .edited:
            modal = .prompt(prompt)
            promptEdited()
        case .moved, .ignored: modal = .prompt(prompt)
        }
    }

    /// Reports an invalid filter immediately, and counts the matches of a valid one.
    mutating func promptEdited() {
        guard case .prompt(var prompt)? = modal else { return }
        prompt.note = nil
        prompt.isError = false
        switch prompt.question {
        case .filter: readFilter(&prompt)
        case .log: readLogFilter(&prompt)
        case .form(let form): check(form.value, &prompt)
        case .command: prompt.choice = prompt.editor.text.isEmpty ? nil : 0
        default: break
        }
        modal = .prompt(prompt)
    }

    private mutating func readFilter(_ prompt: inout Prompt) {
        prompt.counting = nil
        let text = Self.trimmed(prompt.editor.text)
        guard !text.isEmpty else { return }
        do throws(QueueError) {
            let filter = try TaskFilter(text, saved: savedFilters)
            let named = filter.queue.flatMap { name in
                scene?.knownQueueNames.contains(name) ?? false ? name : nil
            }
            guard let queue = named ?? selectedQueue else { return }
            let request = CountRequest(
                queue: isAll ? nil : queue, filter: filter, withEnded: showsEnded)
            prompt.counting = request
            send(.count(request))
        } catch {
            prompt.note = error.description
            prompt.isError = true
        }
    }

    /// Shows how many match, and has the rest counted, for as long as the line stays as it is.
    mutating func apply(_ request: CountRequest) {
        guard case .prompt(var prompt)? = modal,
            let counting = prompt.counting, counting.isSame(as: request)
        else { return }
        prompt.note = request.words
        prompt.counting = request
        modal = .prompt(prompt)
        if !request.isDone { send(.count(request)) }
    }

    private mutating func complete(_ prompt: inout Prompt) {
        let completion: Completion?
        switch prompt.question {
        case .setting(_, let setting):
            // Round: the next of the words.
            guard let words = setting.choices, !words.isEmpty else { return }
            let place = words.firstIndex(of: prompt.editor.text).map { $0 + 1 } ?? 0
            prompt.editor.replace(with: words[place % words.count])
            (prompt.note, prompt.isError) = (nil, false)
            return
        case .command:
            completion = Completion(
                command: prompt.editor.text, queues: scene?.knownQueueNames ?? [],
                stores: settings.recentStores)
        case .filter:
            completion = Completion(
                filter: prompt.editor.wordBeforeCursor,
                names: FilterCompletions(
                    list.page.rows.map(\.task), queues: scene?.knownQueueNames ?? [],
                    saved: savedFilters.keys.sorted(), places: scene?.places))
            prompt.awaitsPlaces = prompt.editor.text.contains("payload") && scene?.places == nil
        default: completion = nil
        }
        guard let completion else { return }
        if let word = completion.word { prompt.editor.complete(with: word) }
        prompt.awaitsPlaces = prompt.awaitsPlaces && completion.choices.isEmpty
        prompt.isError = completion.choices.isEmpty && !prompt.awaitsPlaces
        let none = prompt.awaitsPlaces ? "reads payloads" : "nothing to complete"
        prompt.note =
            completion.choices.isEmpty ? none : completion.choices.joined(separator: "  ")
    }

    /// Finishes a completion that waited for the payloads.
    mutating func completePlace() {
        guard case .prompt(var prompt)? = modal, prompt.awaitsPlaces, scene?.places != nil
        else { return }
        complete(&prompt)
        modal = .prompt(prompt)
    }

    mutating func submit(_ prompt: Prompt) {
        let text = Self.trimmed(prompt.editor.text)
        do throws(QueueError) {
            try submit(prompt.question, text)
        } catch {
            var next = prompt
            next.note = error.description
            next.isError = true
            modal = .prompt(next)
        }
    }

    private mutating func submit(_ question: Prompt.Question, _ text: String) throws(QueueError) {
        switch question {
        case .pauseReason(var request):
            request.reason = text.isEmpty ? nil : text
            modal = .prompt(Prompt(.pauseTime(request)))
        case .pauseTime(var request):
            if !text.isEmpty { request.forMilliseconds = try Self.duration(text) }
            modal = nil
            start(.pause(request))
        case .postpone(let targets):
            let verb = try postpone(targets, text)
            modal = nil
            start(verb)
        case .move(let targets):
            let verb = try move(targets, text)
            modal = nil
            start(verb)
        case .enqueue(let queue):
            let request = try Self.enqueue(text)
            modal = nil
            start(.enqueue(queue: queue, [request]))
        case .setting(let queue, let setting): try submit(queue, setting, text)
        case .filter:
            let filter = text.isEmpty ? nil : try TaskFilter(text, saved: savedFilters)
            modal = nil
            setFilter(filter)
        case .log: try setLogFilter(text)
        case .form(let form): try form.value.submit(text, in: &self)
        case .findInHelp:
            modal = nil
            if case .help? = page { pages[pages.count - 1] = .help(top: 0, find: text) }
        case .findInText:
            modal = nil
            goOnInText(to: text)
        case .command: try submitCommand(text)
        }
    }

    mutating func submitCommand(_ text: String) throws(QueueError) {
        modal = nil
        guard !text.isEmpty else { return }
        if commandHistory.last != text { commandHistory.append(text) }
        let bare = text.hasPrefix("sluice ") ? String(text.dropFirst(7)) : text
        if ["q", "quit", "exit"].contains(bare) { return quit() }
        if ShellLine(bare).all.first == "open" { return try openStore(bare) }
        if ShellLine(bare).all.first == "at" { return try goTo(ShellLine(bare).all) }
        if ShellLine(bare).all.first == "screenshot" { return try drawScreen(ShellLine(bare).all) }
        if bare == "record" { return recordOrEnd() }
        if bare.hasPrefix("record ") { return try record(String(bare.dropFirst(7))) }
        if let id = namedTask(bare) { return seek(id) }
        if try showListed(ShellLine(bare).all) { return }
        let tasks = targets.map { names.word($0.id) }
        startCommand(ShellLine(bare).taking(queue: actedQueue, tasks: tasks) ?? bare)
    }

    /// A time, or a time and how long the tasks are spread from there: `1h over 10m`.
    private func postpone(
        _ targets: [TaskTarget], _ text: String
    ) throws(QueueError) -> Verb {
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count == 1 || parts.count == 3 && parts[1] == "over",
            let until = TimeText.moment(parts[0], now: storeNow)
        else { throw QueueError(.badValue, "\"\(text)\" is no time", fix: "write +5m or 2h") }
        let over = parts.count == 3 ? try Self.duration(parts[2]) : nil
        return .postpone(targets, until: until, overMilliseconds: over)
    }

    private static func duration(_ text: String) throws(QueueError) -> Int64 {
        guard let milliseconds = DurationText.milliseconds(text), milliseconds > 0 else {
            throw QueueError(.badValue, "\"\(text)\" is no duration", fix: "write 30s, 15m or 2h")
        }
        return milliseconds
    }

    private func move(
        _ targets: [TaskTarget], _ text: String
    ) throws(QueueError) -> Verb {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? Self.trimmed(words[1]) : ""
        func one() throws(QueueError) -> TaskTarget {
            guard targets.count == 1, let target = targets.first else {
                throw QueueError(
                    .badValue, "\(targets.count) tasks cannot take one place",
                    fix: "queue NAME moves them all")
            }
            return target
        }
        func other() throws(QueueError) -> TaskID {
            guard let id = names.task(try TaskReference(rest)) else {
                throw QueueError(
                    .badValue, "\"\(rest)\" is no task that is shown",
                    fix: "write its name as the list shows it")
            }
            return id
        }
        switch words.first {
        case "first": return .move(try one(), .first)
        case "last": return .move(try one(), .last)
        case "before": return .move(try one(), .before(try other()))
        case "after": return .move(try one(), .after(try other()))
        case "queue" where !rest.isEmpty: return .moveToQueue(targets, rest)
        default:
            throw QueueError(
                .badValue, "\"\(text)\" is no place",
                fix: "write first, last, before #n, after #n or queue NAME")
        }
    }

    private static func enqueue(_ text: String) throws(QueueError) -> EnqueueRequest {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard let type = words.first else {
            throw QueueError(.badValue, "a task needs a type", fix: "write TYPE [PAYLOAD]")
        }
        try Names.check(type, of: "type")
        let payload = words.count > 1 ? trimmed(words[1]) : ""
        return EnqueueRequest(type: type, payload: Array(payload.utf8))
    }

    static func trimmed(_ text: String) -> String {
        var rest = text[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
