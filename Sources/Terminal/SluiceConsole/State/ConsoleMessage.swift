package import SluiceControl
package import SluiceModel
package import SluiceTerminalUI

/// Everything that can happen to the console.
package enum ConsoleMessage: Sendable {
    /// The person did something.
    case input(InputEvent)
    /// The terminal has another size.
    case resized(Size)
    /// The store's clock, told before everything that depends on it.
    case tick(Timestamp)
    /// How far local time is ahead of UTC.
    case zone(offsetSeconds: Int)
    /// Some process committed something.
    case storeChanged
    /// What a load read.
    case loaded(LoadedScene)
    /// A load failed, or other work on the store, which has no number; the store may be busy or
    /// gone (K8).
    case loadFailed(QueueError, of: Int? = nil)
    /// The store had gone and is there again, or another one took its place and is shown from now
    /// on (K8).
    case reopened(kind: String, isSame: Bool)
    /// Another store is shown from now on, because the person wanted it.
    case opened(name: String, kind: String, isReadOnly: Bool)
    /// Whether the system tells of changes, or the store is looked at each second instead.
    case told(Bool)
    /// The terminal draws pictures of a kind as one.
    case joins(PictureJoins)
    /// The tasks that `*` asked for.
    case collected(CollectRequest, [TaskTarget])
    /// How far the count of a filter that is typed has come.
    case counted(CountRequest)
    /// How far a verb on many tasks is, or a command that is one (K7).
    case progressed(token: Int, BulkProgress, secondsLeft: Int?)
    /// What a verb did, or would do when it was rehearsed.
    case answered(token: Int, Result<Answer, QueueError>)
    case rehearsed(token: Int, Result<Answer, QueueError>)
    /// What a step executed.
    case stepped(token: Int, Result<StepAnswer, QueueError>)
    /// What a command of the command line printed.
    case commanded(token: Int, CommandReport)
    /// What the person made of a payload in the editor.
    case edited(EditReport)
    /// Whether the terminal was told to copy.
    case copied(Bool)
    /// Where the report of a task, or of several, was put.
    case reported([TaskID], Result<ReportPlace, QueueError>)
    /// What became of the recording of this console.
    case recorded(RecordingNews)
    /// Where the columns were kept.
    case kept(Result<String, QueueError>)
    /// Asked to end by a signal.
    case terminated
}

/// What becomes of a recording (G6).
package enum RecordingNews: Hashable, Sendable {
    /// It began, into a file, as the words behind `record` say.
    case begun(path: String, line: String)
    /// It has ended: what is on the tape, and whether all is on it that was asked for.
    case ended(lines: [String], isWhole: Bool)
    /// It could not begin, or broke off.
    case failed(QueueError)
}

/// Where a report was put.
package enum ReportPlace: Hashable, Sendable {
    case clipboard
    /// A file of that name, where it is too long for the clipboard.
    case file(String)
}

/// What a command of the command line said.
package struct CommandReport: Hashable, Sendable {
    /// Its lines.
    package var lines: [String]
    /// Whether it failed.
    package var isFailure: Bool
    /// The journal's number, when it can be undone.
    package var undo: Int64?
    /// The verb that it did and that cannot be undone.
    package var finalVerb: Verb?
    /// What it would do to the tasks that its filter named: that is asked in the console's own line
    /// and done by it.
    package var verb: Verb?
    /// How tasks of the verb are named that may never have been on the screen.
    package var names = TaskNames()
    /// The difference that its lines tell.
    package var difference: StoreDifference?
    /// The filters that are saved after it, where they could be read.
    package var savedFilters: [String: String]?

    /// A report of lines.
    package init(lines: [String], isFailure: Bool, undo: Int64? = nil) {
        self.lines = lines
        self.isFailure = isFailure
        self.undo = undo
    }
}

/// How the editing of a payload ended.
package enum EditReport: Hashable, Sendable {
    /// Saved as it was.
    case unchanged(TaskTarget)
    /// Saved, and fit to be committed once the difference was seen.
    case changed(TaskTarget, before: [UInt8], after: [UInt8])
    /// The editor or the file failed, or what was saved is not JSON.
    case failed(TaskTarget, QueueError)
}
