import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The actions on a row of view 8.
extension ConsoleState {
    /// The row under the cursor of view 8.
    var selectedDebuggerRow: DebuggerRow? {
        guard isInDebugger, case .debugger(let key)? = cursors[.debugger]?.key
        else { return nil }
        return scene?.debugger.first { $0.key == key }
    }

    /// Whether view 8 is visible, without a page over it.
    var isInDebugger: Bool { view == .debugger && page == nil }

    /// Why an action on a task or a queue cannot be done there: none is shown, so it is about the
    /// row.
    func debuggerReason(_ id: Action.ID) -> String? {
        if DebuggerForms.named(id)?.takesQueue == true {
            return selectedQueue == nil ? "no queue is there yet: there is nothing to stop" : nil
        }
        guard let row = selectedDebuggerRow else {
            return "nothing is selected here: 1 shows tasks and queues"
        }
        if case .recording = row, id == .delete, ownTape != nil { return nil }
        return row.reason(against: id)
    }

    /// Whether the action is about view 8, and was done.
    mutating func performOnDebugger(_ id: Action.ID) -> Bool {
        guard isInDebugger else { return false }
        guard let row = selectedDebuggerRow, debuggerReason(id) == nil else { return false }
        switch (id, row) {
        case (.delete, .recording): endRecording()
        case (.delete, .checkpoint(let shown)): askToForget(shown.checkpoint.name)
        case (.delete, _): if let verb = row.removal { start(verb) }
        case (.detail, .clock): ClockPrompt.open(in: &self)
        case (.detail, .checkpoint(let shown)):
            startCommand(ShellWord.command("diff", shown.checkpoint.name))
        case (.detail, _): if let filter = row.filter { list(filter) }
        case (.retry, .checkpoint(let shown)): start(.restore(shown.checkpoint.name))
        case (.run, _): if let queue = row.stopped { start(Verb.goOn(queue: queue)) }
        default: return false
        }
        return true
    }

    /// Ask first, because undo restores a checkpoint only between an older and a newer one.
    private mutating func askToForget(_ name: String) {
        message = nil
        modal = .confirm(
            Confirmation(
                verb: .removeCheckpoints([name]), title: "forget the checkpoint \(name)?",
                lines: [
                    StyledLine("undo brings it back only between an older and a newer one", .quiet)
                ], answer: .key))
    }

    /// Lists what a row is about, in its queue or in all.
    private mutating func list(_ filter: TaskFilter) {
        if filter.queue == nil, scene?.listsAll ?? false { selectAll() }
        show(.inventory)
        setFilter(filter)
    }
}

extension DebuggerRow {
    /// Why an action does not apply to the row; nil if it does.
    func reason(against id: Action.ID) -> String? {
        switch (id, self) {
        case (.delete, .recording(let recording)), (.detail, .recording(let recording)):
            "a recording ends with its process, \(recording.recorder); its tape is opened then"
        case (.delete, _), (.detail, _), (.retry, .checkpoint): nil
        case (.retry, _): "a \(word) is not put back: that is for a checkpoint"
        case (.run, _): stopped == nil ? "the \(word) stops no queue" : nil
        default: "that is for a task or a queue: 1 shows them"
        }
    }

    private var word: String { String(name.prefix { $0 != " " }) }
}

/// The line that `V` opens (G6).
struct RecordPrompt: DebuggerForm {
    static let action = Action.ID.record

    static func open(in state: inout ConsoleState) { state.recordOrEnd() }

    var hint: String { "a new file; Tab: this queue alone; --redact payload.PATH --for 10m" }

    /// Narrows the recording to the queue that is shown, or widens it to the whole store again.
    func next(_ rows: Int, after line: String, in state: ConsoleState) -> (Self, String)? {
        var words = ShellLine(line).all
        if let place = words.firstIndex(of: "--queue") {
            words.removeSubrange(place..<min(place + 2, words.count))
        } else if let queue = state.selectedQueue, !state.isAll {
            words += ["--queue", queue]
        }
        return (self, words.map(ShellWord.quoted).joined(separator: " "))
    }

    func filter(of line: String, in state: ConsoleState) throws(QueueError) -> TaskFilter? {
        _ = try ConsoleState.recording(line)
        return nil
    }

    func submit(_ line: String, in state: inout ConsoleState) throws(QueueError) {
        try state.record(line)
    }
}

/// Recordings of the console (G6).
extension ConsoleState {
    /// Ends the recording of this console, or asks for the file of a new one.
    mutating func recordOrEnd() {
        guard ownTape == nil else { return endRecording() }
        if let recording = scene?.recording {
            message = .refusal(
                "\(recording.by) records this store already: process \(recording.recorder)"
                    + (scene?.recorder.map { " (pid \($0.pid), \($0.host))" } ?? ""))
            return
        }
        ask(RecordPrompt(), freshTape)
    }

    mutating func endRecording() {
        guard let ownTape else { return }
        message = MessageLine(
            command: ShellWord.command("record", ownTape), text: "ending", role: .quiet)
        send(.endRecording)
    }

    /// Begins a recording from a command line. Throws if the line is invalid.
    mutating func record(_ line: String) throws(QueueError) {
        let arguments = try Self.recording(line)
        if let reason = DisabledReasons(state: self).reason(.record) {
            throw QueueError.notLegal(reason)
        }
        modal = nil
        if !arguments.has("--yes"), asksToEnd(.recording, .record("\(line) --yes")) { return }
        begin(recording: line)
    }

    mutating func begin(recording line: String) {
        message = MessageLine(command: "record \(line)", text: "begins", role: .quiet)
        send(.record(line))
    }

    /// Parses the words after `record`. Throws if they are invalid.
    static func recording(_ line: String) throws(QueueError) -> Arguments {
        let arguments = try Arguments(.record, line: line, saved: [:])
        _ = try arguments.one("FILE")
        return arguments
    }

    /// Applies a change of this console's recording.
    mutating func apply(_ news: RecordingNews) {
        reads.isStale = true
        switch news {
        case .begun(let path, let line):
            ownTape = path
            message = MessageLine(
                command: "record \(line)",
                text: "recording · \(key(.record)) ends it, and so does leaving", role: .running)
        case .ended(let lines, let isWhole):
            ownTape = nil
            message = MessageLine(
                text: lines.joined(separator: " · "), role: isWhole ? .running : .time)
        case .failed(let error):
            ownTape = nil
            message = MessageLine(text: error.description, role: .failed)
        }
    }

    /// A file that names the store and the moment: `app-20260301-140322.tape`.
    private var freshTape: String {
        let last = settings.storeName.split(separator: "/").last.map(String.init) ?? ""
        let stem = last.split(separator: ".").first.map(String.init) ?? ""
        let name = stem.filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
        let parts = TimeText.parts(zone.local(now))
        let day = "\(parts.year)\(TimeText.padded(parts.month))\(TimeText.padded(parts.day))"
        let time = [parts.hour, parts.minute, parts.second].map { TimeText.padded($0) }.joined()
        return "\(name.isEmpty ? "store" : name)-\(day)-\(time).tape"
    }
}

/// Going along a tape (G6).
extension ConsoleState {
    /// Whether the action goes along a tape, and was done.
    mutating func performOnTape(_ id: Action.ID) -> Bool {
        switch id {
        case .earlier: moveOnTape(by: -1)
        case .later: moveOnTape(by: 1)
        case .muchEarlier: moveOnTape(by: -100)
        case .muchLater: moveOnTape(by: 100)
        case .detail where entryOnTape != nil:
            if let entry = entryOnTape { go(to: .moment(entry.at)) }
        default: return false
        }
        return true
    }

    private mutating func moveOnTape(by events: Int) {
        guard let place = scene?.tape else { return }
        // Keys may arrive faster than the tape loads.
        var event = place.event
        if case .event(let wanted) = tapeGoal { event = wanted }
        let wanted = event + events
        let next = min(max(0, wanted), place.count)
        if next == event {
            message = .note(events < 0 ? "this is the beginning" : place.endWords)
        }
        go(to: .event(next))
    }

    private mutating func go(to goal: TapeGoal) {
        guard goal != tapeGoal else { return }
        tapeGoal = goal
        reads.isStale = true
    }

    /// The line of view 4 that Enter goes to: on a tape alone.
    var entryOnTape: LogEntry? {
        guard scene?.tape != nil, view == .activity, page == nil,
            case .entry(let id, _)? = cursors[.activity]?.key
        else { return nil }
        return scene?.activity.first { $0.entry.id == id }?.entry
    }

    /// Applies the tape position of a load for `goal`.
    mutating func applyTape(_ place: TapePlace?, for goal: TapeGoal) {
        guard let place else { return }
        // The load resolved the time to an event number.
        if case .moment(let moment) = tapeGoal, goal == tapeGoal {
            tapeGoal = .event(place.event)
            if moment > place.at, place.event == place.count { message = .note(place.endWords) }
            if moment < place.at, place.event == 0 { message = .note("this is the beginning") }
        }
        if scene?.tape == nil, let remark = place.remark { message = .refusal(remark) }
    }

    /// Whether the error concerns a tape position. If so, reports it and keeps the former position.
    mutating func staysOnTape(_ error: QueueError) -> Bool {
        guard let place = scene?.tape, tapeGoal != .event(place.event) else { return false }
        tapeGoal = .event(place.event)
        message = .refusal(error.description)
        return true
    }

    /// Handles `at EVENT` and `at TIME`. Throws if the line is invalid.
    mutating func goTo(_ words: [String]) throws(QueueError) {
        guard let place = scene?.tape else {
            throw QueueError.notLegal(
                "at is for a tape, and this is a store", fix: "sluice FILE opens a tape")
        }
        guard words.count == 2, let goal = goal(words[1], place) else {
            throw QueueError(
                .badValue, "at takes an event or a time",
                fix: "write at 120, at 14:03:22, at +5m, at -30s or at 2026-01-31T14:03:22Z")
        }
        if case .event(let event) = goal, event > place.count {
            throw QueueError(
                .badValue, "there is no event \(event)", fix: "the last one is \(place.count)")
        }
        modal = nil
        go(to: goal)
    }

    private func goal(_ word: String, _ place: TapePlace) -> TapeGoal? {
        if let event = Int(word), !word.hasPrefix("+"), !word.hasPrefix("-") {
            return .event(event)
        }
        if word.hasPrefix("-") {
            return DurationText.milliseconds(String(word.dropFirst())).map {
                .moment(place.at + -$0)
            }
        }
        if let moment = TimeText.moment(word, now: place.at), word != "now" {
            return .moment(moment)
        }
        // A time on the visible day, in the screen's format.
        let zone = timeFormat == .utc ? .utc : zone
        let day = TimeText.parts(zone.local(place.at))
        let date =
            "\(TimeText.padded(day.year, 4))-\(TimeText.padded(day.month))-"
            + TimeText.padded(day.day)
        let time = word.utf8.count == 5 ? "\(word):00" : word
        return TimeText.rfc3339("\(date)T\(time)Z").map { .moment(zone.moment(ofLocal: $0)) }
    }
}

extension TapePlace {
    /// The message at the end of the tape.
    var endWords: String { remark ?? "this is the end of the tape" }
}
