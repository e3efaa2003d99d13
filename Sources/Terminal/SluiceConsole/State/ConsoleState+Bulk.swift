import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Verbs on many tasks while they go on (D10, K7).
extension ConsoleState {
    /// How far a verb that is under way has come.
    struct Course: Hashable, Sendable {
        var progress: BulkProgress
        var secondsLeft: Int?
        /// Whether the person asked it to stop.
        var isStopping = false
    }

    /// What the person wants who pressed `q` while a bulk goes on.
    enum Leaving: Hashable, Sendable {
        /// They were told that it would end the bulk.
        case asked
        /// The bulk is stopping; then the program ends.
        case decided
    }

    /// The bulk that is under way, the first where there are several.
    var bulk: Pending? { bulkToken.flatMap { pending[$0] } }

    private var bulkToken: Int? { pending.filter { $0.value.course != nil }.keys.min() }

    /// Whether a verb is under way of which the message line is still to tell.
    var awaitsAnswer: Bool { pending.values.contains { $0.course == nil } }

    mutating func take(_ progress: BulkProgress, secondsLeft: Int?, of token: Int) {
        guard let former = pending[token] else { return }
        pending[token]?.course = Course(
            progress: progress, secondsLeft: secondsLeft,
            isStopping: former.course?.isStopping ?? false)
        // From now on the command stands on the line of the bulk.
        if message == MessageLine(command: former.command, text: "", role: .quiet) { message = nil }
    }

    /// Asks the bulk to stop between two slices; says whether there was one to ask.
    mutating func stopBulk() -> Bool {
        guard let token = bulkToken, pending[token]?.course?.isStopping == false else {
            return false
        }
        pending[token]?.course?.isStopping = true
        send(.stop(token: token))
        return true
    }

    /// Ends the program; where that would end a bulk, only when it is said twice.
    mutating func quit() {
        guard let bulk, let course = bulk.course, leaving != .decided else {
            return send(.quit)
        }
        if leaving == .asked {
            leaving = .decided
            _ = stopBulk()
            message = .note("leaving once these tasks are done; \(key(.back)) leaves at once")
        } else {
            leaving = .asked
            let left = NumberText.tasks(course.progress.total - course.progress.done)
            message = .refusal("that leaves \(left) as they are: q once more ends it here")
        }
    }

    /// After an answer: ends the program where it waited for that.
    mutating func leaveIfDecided() {
        guard bulk == nil else { return }
        if leaving == .decided { send(.quit) }
        leaving = nil
    }

    /// What failed and what was left stays selected (D10), unless something else was selected
    /// meanwhile; a task that changed, as the answer saw it.
    mutating func keepSelected(_ verb: Verb?, _ answer: Answer) {
        guard let verb, verb.targets.count > 1, marks.isEmpty else { return }
        for target in answer.stop?.left ?? [] { marks[target.id] = target.version }
        for failure in answer.failed { marks[failure.id] = failure.version }
    }

    /// What an answer says about where a bulk ended, and about what could not be done.
    func shortfall(_ answer: Answer, isUndo: Bool) -> String? {
        let stays = marks.isEmpty || isUndo ? "" : ", still selected"
        if let stop = answer.stop {
            let end = stop.error.map { names.text($0.description) } ?? "stopped"
            if isUndo { return "\(end), z goes on with it" }
            return "\(end): \(NumberText.tasks(stop.left.count)) left\(stays)"
        }
        guard let failure = answer.failed.first else { return nil }
        let count = NumberText.grouped(answer.failed.count)
        return "\(count) not done\(stays): \(names.text(failure.error.message))"
    }
}
