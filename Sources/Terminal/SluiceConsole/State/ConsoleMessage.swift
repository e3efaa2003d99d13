package import SluiceControl
package import SluiceModel
package import SluiceTerminalUI

/// Everything that can happen to the console.
package enum ConsoleMessage: Sendable {
    /// The person did something.
    case input(InputEvent)
    case resized(Size)
    /// The store's clock, told before everything that depends on it.
    case tick(Timestamp)
    /// How far local time is ahead of UTC.
    case zone(ZoneRules)
    /// Some process committed something.
    case storeChanged
    case loaded(LoadedScene)
    /// A load failed, or other work on the store, which has no number; the store may be busy or
    /// gone (K8).
    case loadFailed(QueueError, of: Int? = nil)
    /// The store had gone and is there again, or another one took its place and is shown from now
    /// on (K8).
    case reopened(kind: String, isSame: Bool)
    /// The person switched to another store.
    case opened(name: String, kind: String, isReadOnly: Bool)
    /// Whether the system reports changes. If not, the console polls the store every second.
    case told(Bool)
    /// The terminal draws pictures of a kind as one.
    case joins(PictureJoins)
    /// The tasks for `*`.
    case collected(CollectRequest, [TaskTarget])
    /// The progress of counting a filter during typing.
    case counted(CountRequest)
    /// How far a verb on many tasks is, or a command that is one (K7).
    case progressed(token: Int, BulkProgress, secondsLeft: Int?)
    /// The result of a verb, or of its rehearsal.
    case answered(token: Int, Result<Answer, QueueError>)
    case rehearsed(token: Int, Result<Answer, QueueError>)
    case stepped(token: Int, Result<StepAnswer, QueueError>)
    case commanded(token: Int, CommandReport)
    /// The result of editing a payload.
    case edited(EditReport)
    /// Whether the terminal received a copy request.
    case copied(Bool)
    /// The place of a report about one or several tasks.
    case reported([TaskID], Result<ReportPlace, QueueError>)
    /// The file with the image of the screen.
    case drawn(Result<String, QueueError>)
    /// The state of this console's recording.
    case recorded(RecordingNews)
    /// The file with the saved columns.
    case kept(Result<String, QueueError>)
    /// The payload for an own command; `nil` if the task is gone.
    case payload(of: TaskID, Result<[UInt8]?, QueueError>)
    /// The end of an own command, in words.
    case ran(OwnLaunch, OwnLaunch.End)
    /// The conditions of queues that hold now; `nil` if they could not be read.
    case alerts([QueueAlert]?)
    /// Asked to end by a signal.
    case terminated
}

/// The states of a recording (G6).
package enum RecordingNews: Hashable, Sendable {
    /// The recording began, into a file, with the words after `record`.
    case begun(path: String, line: String)
    /// The recording ended: a summary of the tape, and whether the tape is complete.
    case ended(lines: [String], isWhole: Bool)
    /// It could not begin, or broke off.
    case failed(QueueError)
}

package enum ReportPlace: Hashable, Sendable {
    case clipboard
    /// A file of that name, if it is too long for the clipboard.
    case file(String)
}

package struct CommandReport: Hashable, Sendable {
    package var lines: [String]
    package var isFailure: Bool
    /// The journal's number, when it can be undone.
    package var undo: Int64?
    /// The verb that it did and that cannot be undone.
    package var finalVerb: Verb?
    /// The verb for the tasks that the command's filter named. The console asks for confirmation on
    /// the command line, and then executes the verb.
    package var verb: Verb?
    /// How tasks of the verb are named that may never have been on the screen.
    package var names = TaskNames()
    /// The difference that its lines tell.
    package var difference: StoreDifference?
    /// The saved filters after the command, if readable.
    package var savedFilters: [String: String]?

    package init(lines: [String], isFailure: Bool, undo: Int64? = nil) {
        self.lines = lines
        self.isFailure = isFailure
        self.undo = undo
    }
}

/// How the editing of a payload ended.
package enum EditReport: Hashable, Sendable {
    case unchanged(TaskTarget)
    /// Saved and valid. The console commits it after showing the difference.
    case changed(TaskTarget, before: [UInt8], after: [UInt8])
    /// The editor or the file failed, or the saved text is not JSON.
    case failed(TaskTarget, QueueError)
}
