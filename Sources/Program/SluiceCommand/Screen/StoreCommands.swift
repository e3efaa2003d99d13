import SluiceConsole
import SluiceControl
import SluiceModel
import SluiceReports
import SluiceStore
import SluiceSystem

/// How the screen changes the store; each change may block its thread.
struct StoreCommands: Sendable {
    /// Does a verb; a bulk asks before each of its slices.
    var perform: @Sendable (Verb, @escaping BulkWatch) throws -> Answer
    /// Returns a verb's effect without performing it.
    var rehearse: @Sendable (Verb) throws -> Answer
    /// Runs tasks even if the queue is paused.
    var step: @Sendable (StepRequest) throws -> StepAnswer
    /// Whether a run that is begun here is executed here, by handlers of this console's own.
    var runsHere = false
    /// Runs a command as a shell spells it, without `sluice`; a bulk asks before each slice.
    var command: @Sendable (String, @escaping BulkWatch) -> CommandReport
    /// Takes a task out of the runners' reach while it is edited, and gives its payload (B11).
    var beginEdit: @Sendable (TaskTarget) throws -> [UInt8]
    /// Lets the edit last on.
    var renewEdit: @Sendable () throws -> Void
    /// Ends the edit without its change.
    var endEdit: @Sendable () throws -> Void
    /// Cleans up after dead processes and ends expired edits (A2).
    var clearUp: @Sendable () throws -> Void
    var report: @Sendable ([TaskID]) throws -> String = { _ in
        throw QueueError.notLegal("a report is of a store of this program's own")
    }
    /// Records the store with the options in a line, until a stop; the callback receives its news.
    var record: @Sendable (String, @escaping @Sendable (RecordingNews) -> Void) -> Void = {
        $1(.failed(.notLegal("a recording is of a store of this program's own")))
    }
    var endRecording: @Sendable () -> Void = {}
    /// Closes the store. Returns the final messages.
    var leave: @Sendable () -> [String] = { [] }
}

extension StoreCommands {
    /// The commands of `control`. The console attaches to the store at its first change (A2).
    /// `withHandlers` wraps each step, for a console with a handlers file.
    init(
        control: Control,
        command: @escaping @Sendable (String, @escaping BulkWatch) -> CommandReport,
        withHandlers: @escaping @Sendable (() throws -> StepAnswer) throws -> StepAnswer = {
            try $0()
        }
    ) {
        let attachment = ConsoleAttachment(control)
        let clearUp: @Sendable () throws -> Void = {
            try Reaper.reapTheDead(
                in: control.store, now: control.now(), chance: control.chance())
        }
        self.clearUp = clearUp
        perform = { verb, watch in
            let process = try attachment.make()
            if var request = verb.order as? BreakRequest, request.isOfConsole {
                request.owner = process.process.id
                return try control.performBlocking(.setBreakpoint(request), watching: watch)
            }
            guard let edit = verb.onTasks, let target = edit.targets.first,
                let payload = (edit.verb as? EditVerb)?.payload
            else {
                return try control.performBlocking(verb, watching: watch)
            }
            // Ignore errors: the edit also ends by expiry, or with this process.
            defer { try? control.endEdit(in: process) }
            return try PayloadEditor.keeping(payload, of: target) {
                try control.performBlocking(verb)
            }
        }
        beginEdit = { target in
            try control.beginEdit(
                target, in: try attachment.make(), instant: SystemClock.monotonicMilliseconds())
        }
        renewEdit = {
            try control.renewEdit(
                in: try attachment.make(), instant: SystemClock.monotonicMilliseconds())
        }
        endEdit = { try control.endEdit(in: try attachment.make()) }
        // The first slice of a bulk undo is enough.
        rehearse = { try control.rehearse($0, watching: { _ in .stop }) }
        step = { request in
            let issuer = try attachment.make()
            return try withHandlers { try control.stepBlocking(request, issuer: issuer) }
        }
        report = { try ReportText.read($0, of: control.store, at: control.now()) }
        self.command = command
        addRecording(control, attachment)
    }

    private mutating func addRecording(_ control: Control, _ attachment: ConsoleAttachment) {
        let recorder = ConsoleRecorder(control)
        record = { line, tell in
            do {
                try recorder.begin(line, tell: tell)
            } catch {
                tell(.failed(QueueError(describing: error)))
            }
        }
        endRecording = { recorder.end() }
        leave = {
            let words = recorder.leave()
            attachment.leave()
            return words
        }
    }
}

/// The attachment of the console, made when it is first needed.
private final class ConsoleAttachment: Sendable {
    private let control: Control
    private let made = Protected<Attachment?>(nil)

    init(_ control: Control) { self.control = control }

    func make() throws -> Attachment {
        if let attachment = made.withLock({ $0 }) { return attachment }
        let (store, now) = (control.store, control.now())
        let attachment = try Attachment(to: store, role: .console, now: now)
        // A killed console left a row that no other process may look for.
        try Reaper.reapTheDead(in: store, now: now, chance: control.chance())
        // Verbs and steps may come at the same time; the second one leaves again.
        let kept = made.withLock { made -> Attachment in
            if let made { return made }
            made = attachment
            return attachment
        }
        if kept !== attachment { try attachment.detach(now: control.now()) }
        return kept
    }

    func leave() {
        guard let attachment = made.withLock({ $0 }) else { return }
        // Other processes detect its end by the released lock (A2).
        try? attachment.detach(now: control.now())
    }
}
