import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Running verbs on many tasks (D10, K7).
extension ConsoleState {
    mutating func apply(_ progress: BulkProgress, secondsLeft: Int?, of token: Int) {
        guard let command = underWay.record(progress, secondsLeft: secondsLeft, of: token) else {
            return
        }
        // From now on the progress line shows the command.
        if message == MessageLine(command: command, text: "", role: .quiet) { message = nil }
    }

    /// Asks the bulk to stop between two slices; says whether there was one to ask.
    mutating func stopBulk() -> Bool {
        guard let token = underWay.stopBulk() else { return false }
        send(.stop(token: token))
        return true
    }

    /// Quits. If that would end a bulk verb, only the second request quits.
    mutating func quit() {
        guard let course = underWay.bulk?.course, underWay.leaving != .decided else {
            return send(.quit)
        }
        if underWay.leaving == .asked {
            underWay.leaving = .decided
            _ = stopBulk()
            message = .note("leaving once these tasks are done; \(key(.back)) leaves now")
        } else {
            underWay.leaving = .asked
            let left = NumberText.tasks(course.progress.total - course.progress.done)
            message = .refusal("that leaves \(left) as they are: q once more ends it here")
        }
    }

    /// After an answer: ends the program where it waited for that.
    mutating func leaveIfDecided() {
        guard underWay.bulk == nil else { return }
        if underWay.leaving == .decided { send(.quit) }
        underWay.leaving = nil
    }

    /// Keeps failed and remaining tasks selected (D10), unless the person selected others. A
    /// changed task has the answer's version.
    mutating func keepSelected(_ verb: Verb?, _ answer: Answer) {
        if let verb, verb.targets.count > 1 { marks.keep(answer) }
    }

    /// The end point of a bulk verb, and its failures.
    func shortfall(_ answer: Answer, isUndo: Bool) -> String? {
        let stays = marks.isEmpty || isUndo ? "" : ", still selected"
        if let stop = answer.stop {
            let end = stop.error.map { names.text($0.description) } ?? "stopped"
            if isUndo { return "\(end), z continues" }
            return "\(end): \(NumberText.tasks(stop.left.count)) left\(stays)"
        }
        guard let failure = answer.failed.first else { return nil }
        let count = NumberText.grouped(answer.failed.count)
        return "\(count) not done\(stays): \(names.text(failure.error.message))"
    }
}
