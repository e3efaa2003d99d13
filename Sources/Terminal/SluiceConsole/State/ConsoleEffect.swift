package import SluiceControl
package import SluiceModel

/// What the console wants done, as data; the shell does it and answers with a message.
package enum ConsoleEffect: Hashable, Sendable {
    /// Read the store once; answered by `loaded` or `loadFailed`. Only one is under way at a time.
    case load(LoadRequest)
    /// Read which tasks match; answered by `collected`.
    case collect(CollectRequest)
    /// Count on for a part; answered by `counted`.
    case count(CountRequest)
    /// Do a verb; answered by `answered`, a long one by `progressed` meanwhile.
    case perform(Verb, token: Int)
    /// Stop a verb, or a command, between two of its slices; it is answered as it then stands.
    case stop(token: Int)
    /// Find out what a verb would mean; answered by `rehearsed`.
    case rehearse(Verb, token: Int)
    /// Execute although the queue is paused; answered by `stepped`.
    case step(StepRequest, token: Int)
    /// Run a command as the shell spells it, without `sluice`; answered by `commanded`.
    case command(String, token: Int)
    /// Show another store; answered by `opened`, or by `commanded` where it cannot be.
    case open(String, token: Int)
    /// Send a tick at this time of the store's clock; nil: none is needed (K3).
    case wakeAt(Timestamp?)
    /// Put a text on the clipboard; answered by `copied`.
    case copy(String)
    /// Put the report of these tasks on the clipboard, or into a file where it is too long;
    /// answered by `reported`.
    case report([TaskID])
    /// Record the store, as the words behind `record` say; `recorded` tells of it.
    case record(String)
    /// End that recording.
    case endRecording
    /// Keep the columns of the list in the person's file; answered by `kept`.
    case keepColumns(InventoryColumns)
    /// Keep whether the panes are shown in the person's file; answered by `kept` where that fails.
    case keepPanes(Bool)
    /// Let the person edit a task's payload, which no runner takes meanwhile (B11); answered by
    /// `edited`.
    case edit(TaskTarget)
    /// The edit was given up: its task can be taken again.
    case endEdit
    /// Stop as Ctrl-Z does.
    case suspend
    /// Ring.
    case bell
    /// Paint every cell again: another program wrote to the terminal.
    case repaint
    /// End the program.
    case quit
}
