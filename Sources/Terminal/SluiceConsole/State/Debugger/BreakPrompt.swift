import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// What a breakpoint from a row may be about, the narrowest first; Tab goes on, Shift-Tab back.
struct BreakPrompt: Hashable, Sendable {
    /// The words behind `break`, one line for each.
    let lines: [String]
    /// The line that was chosen last.
    private(set) var choice: Int

    /// This task, its type in its queue, its group, its queue, failures there: from the type on.
    init(_ task: QueueTask) { self.init(Self.filters(of: task), choice: 1) }

    /// A queue, failures there.
    init(queue: String) { self.init([Self.filter(.queue, queue)], choice: 0) }

    private init(_ filters: [TaskFilter], choice: Int) {
        var requests = filters.map { BreakRequest($0) }
        if let queue = filters.last {
            var failures = BreakRequest(queue)
            failures.moment = .onFailure
            requests.append(failures)
        }
        lines = requests.map { String($0.command.dropFirst("break ".count)) }
        self.choice = choice
    }

    /// What has a value in a field.
    static func filter(_ field: TaskFilter.Field, _ value: String) -> TaskFilter {
        TaskFilter(.term(.field(field, [FilterPattern(value)])))
    }

    /// This task, its type in its queue, its group there, its queue.
    static func filters(of task: QueueTask) -> [TaskFilter] {
        func field(_ field: TaskFilter.Field, _ value: String) -> TaskFilter.Expression {
            .term(.field(field, [FilterPattern(value)]))
        }
        let queue = field(.queue, task.queue)
        let group = task.groupStart ?? task.groupMembers.first
        let places =
            [.term(.id([task.id...task.id])), .all([field(.type, task.type), queue])]
            + (group.map { [.all([field(.group, $0), queue])] } ?? []) + [queue]
        return places.map { TaskFilter($0) }
    }

    /// The chosen line.
    var line: String { lines[choice] }

    /// Goes on to another line, round and round.
    mutating func step(_ rows: Int) { choice = (choice + rows + lines.count) % lines.count }

    /// The breakpoint that such a line asks for: it ends with the console that sets it, unless the
    /// line says `--keep`.
    static func request(
        _ line: String, saved: [String: String]
    ) throws(QueueError) -> BreakRequest {
        let arguments = try Arguments(.setBreak, line: line, saved: saved)
        var request = try BreakRequest(arguments)
        request.isOfConsole = !arguments.has("--keep")
        return request
    }
}

extension Arguments {
    /// What a line says behind the verb of an action, as a shell reads it.
    init(
        _ action: Action.ID, line: String, saved: [String: String]
    ) throws(QueueError) {
        let shell = ShellLine(line)
        if let quote = shell.quote {
            throw QueueError(.badValue, "a \(quote) is not closed", fix: "close it")
        }
        guard let command = Action.named(action)?.command else {
            throw .unknownVerb(action.rawValue)
        }
        try self.init(command, words: shell.all.map { Word($0) }[...])
        savedFilters = saved
    }
}

/// Breakpoints at the console: the line that `b` opens, and where the cursor goes at a stop (G1).
extension ConsoleState {
    mutating func askForBreakpoint() {
        guard
            let choices = selectedLine.map({ BreakPrompt($0.task) })
                ?? selectedQueue.map(BreakPrompt.init(queue:))
        else { return }
        ask(Prompt(.breakpoint(choices), text: choices.line))
        promptEdited()
    }

    /// Puts the next, or the former, of the lines in the place of what is typed.
    mutating func chooseBreakpoint(_ choices: BreakPrompt, _ rows: Int, in prompt: Prompt) {
        var (choices, prompt) = (choices, prompt)
        choices.step(rows)
        prompt.question = .breakpoint(choices)
        prompt.editor.replace(with: choices.line)
        modal = .prompt(prompt)
        promptEdited()
    }

    /// Says at once what is wrong with the line, and has counted what matches now.
    mutating func countMatches(
        _ prompt: inout Prompt,
        of filter: (String, [String: String]) throws(QueueError) -> TaskFilter
    ) {
        prompt.counting = nil
        do throws(QueueError) {
            let filter = try filter(prompt.editor.text, savedFilters)
            // It holds for every queue, unless it names one.
            let count = CountRequest(queue: filter.queue, filter: filter)
            prompt.counting = count
            send(.count(count))
        } catch {
            prompt.note = error.description
            prompt.isError = true
        }
    }

    /// A breakpoint has stopped the queue that is shown: the cursor goes to its task.
    mutating func goToStop(_ former: LoadedScene?) {
        guard let former, let scene, former.selected == scene.selected, page == nil, modal == nil,
            freeze == nil, view == .inventory, !isAll, let hit = scene.queue?.stop(at: scene.at),
            former.queue?.stop(at: former.at).map({ $0.isSame(as: hit) }) != true,
            hit.moment == .before || list.page.rows.contains(where: { $0.task.id == hit.task })
        else { return }
        if previewed != hit.task { noteMove() }
        guard list.line?.task.id != hit.task else { return }
        var rows = RowsRequest()
        rows.follow = hit.task
        jump = rows
        reads.isStale = true
    }
}

extension ConsoleState {
    /// Breakpoints have stopped queues since the last reading: the message says so, once.
    mutating func tellStops(_ former: LoadedScene?) {
        guard let former, let scene, scene.tape == nil else { return }
        let others = scene.queues.filter { $0.name != scene.selected }
        let words = ([scene.queue].compactMap(\.self) + others).compactMap { line -> String? in
            guard let stop = line.stop(at: scene.at), let before = former.queue(named: line.name),
                let pause = line.overview.pauses.first(where: { $0.hits.contains(stop) }),
                !before.overview.queue.pauses.contains(where: { pause in
                    pause.hits.contains { $0.isSame(as: stop) }
                })
            else { return nil }
            return "\(pause.by) stopped \(line.name) \(stop.place)"
        }
        guard !words.isEmpty else { return }
        message = MessageLine(text: names.text(words.joined(separator: " · ")), role: .time)
    }
}

extension QueueLine {
    /// Where a breakpoint stopped it last, and nobody has gone on from.
    func stop(at now: Timestamp) -> BreakpointHit? {
        overview.queue.hits(at: now).last { !$0.isPassed }
    }
}
