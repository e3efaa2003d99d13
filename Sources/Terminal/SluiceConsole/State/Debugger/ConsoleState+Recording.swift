import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

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
