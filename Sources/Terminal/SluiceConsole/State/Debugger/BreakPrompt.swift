import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Suggested breakpoints for a row, narrowest first. Tab selects the next one, Shift-Tab the
/// previous.
struct BreakPrompt: Hashable, Sendable {
    /// The words after `break`, one line for each suggestion.
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
            failures.limit = .usual
            failures.forMilliseconds = nil
            requests.append(failures)
        }
        // A guard outlives the console that sets it.
        lines = requests.map { request in
            request.words + (request.limit == nil ? "" : " --keep")
        }
        self.choice = choice
    }

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

    var line: String { lines[choice] }

    /// Selects another line, and wraps around.
    mutating func step(_ rows: Int) { choice = (choice + rows + lines.count) % lines.count }

    /// The breakpoint that such a line asks for: it ends with the console that sets it, unless the
    /// line says `--keep`.
    static func request(
        _ line: String, saved: [String: String]
    ) throws(QueueError) -> BreakRequest {
        let arguments = try Arguments(action, line: line, saved: saved)
        var request = try BreakRequest(arguments)
        request.isOfConsole = !arguments.has("--keep")
        return request
    }
}

extension Arguments {
    /// Parses a line after an action's verb, with the quoting rules of a shell.
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

/// Breakpoints at the console: the line that `b` opens (G1).
extension BreakPrompt: DebuggerForm {
    static let action = Action.ID.setBreak
    static let takesQueue = true

    static func open(in state: inout ConsoleState) {
        guard
            let choices = state.selectedLine.map({ BreakPrompt($0.task) })
                ?? state.selectedQueue.map(BreakPrompt.init(queue:))
        else { return }
        state.ask(choices, choices.line)
    }

    var hint: String { "Tab widens, Shift-Tab narrows; --after --times --keep" }

    func next(_ rows: Int, after line: String, in state: ConsoleState) -> (Self, String)? {
        var choices = self
        choices.step(rows)
        return (choices, choices.line)
    }

    func filter(of line: String, in state: ConsoleState) throws(QueueError) -> TaskFilter? {
        try Self.request(line, saved: state.savedFilters).filter
    }

    func submit(_ line: String, in state: inout ConsoleState) throws(QueueError) {
        let request = try Self.request(line, saved: state.savedFilters)
        state.modal = nil
        state.start(.setBreakpoint(request))
    }
}

/// The cursor and the message at a stop (G1).
extension ConsoleState {
    /// A breakpoint has stopped the queue that is shown: the cursor goes to its task.
    mutating func goToStop(_ former: LoadedScene?) {
        guard let former, let scene, former.selected == scene.selected, page == nil, modal == nil,
            freeze == nil, view == .inventory, !isAll, let hit = scene.queue?.stop(at: scene.at),
            former.queue?.stop(at: former.at).map({ $0.isSame(as: hit) }) != true,
            hit.moment == .before || list.page.rows.contains(where: { $0.task.id == hit.task })
        else { return }
        if previewed != hit.task { recordMove() }
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
    /// The last breakpoint hit that still holds the queue.
    func stop(at now: Timestamp) -> BreakpointHit? {
        overview.queue.hits(at: now).last { !$0.isPassed }
    }
}
