package import SluiceControl
package import SluiceModel

/// A request of the console as data. The shell executes it and answers with a message.
package enum ConsoleEffect: Hashable, Sendable {
    /// Read the store once; answered by `loaded` or `loadFailed`. Only one is under way at a time.
    case load(LoadRequest)
    /// Read which tasks match; answered by `collected`.
    case collect(CollectRequest)
    /// Count on for a part; answered by `counted`.
    case count(CountRequest)
    /// Do a verb; `answered` follows. A long verb sends `progressed` messages.
    case perform(Verb, token: Int)
    /// Stop a verb or a command between two slices. Its answer reports the part done.
    case stop(token: Int)
    /// Find out what a verb would mean; answered by `rehearsed`.
    case rehearse(Verb, token: Int)
    /// Execute although the queue is paused; `stepped` answers.
    case step(StepRequest, token: Int)
    /// Run a command as the shell spells it, without `sluice`; answered by `commanded`.
    case command(String, token: Int)
    /// Show another store; answered by `opened`, or by `commanded` if it cannot be.
    case open(String, token: Int)
    /// Send a tick at this time of the store's clock; nil: none is needed (K3).
    case wakeAt(Timestamp?)
    /// Put a text on the clipboard; answered by `copied`.
    case copy(String)
    /// Put the report of these tasks on the clipboard, or into a file if it is too long;
    /// answered by `reported`.
    case report([TaskID])
    /// Record the store, with the words after `record`; `recorded` answers.
    case record(String)
    case endRecording
    /// Keep the columns of the list in the person's file; answered by `kept`.
    case keepColumns(InventoryColumns)
    /// Keep whether the panes are shown in the person's file; answered by `kept` where that fails.
    case keepPanes(Bool)
    /// Let the person edit a task's payload, locked against runners (B11); `edited` answers.
    case edit(TaskTarget)
    /// Cancel the edit and release its task.
    case endEdit
    /// Read the payload of a task for an own command; answered by `payload`.
    case readPayload(of: TaskID, LoadRequest)
    /// Run an own command; answered by `ran` at its end.
    case runOwn(OwnLaunch)
    /// Stop as Ctrl-Z does.
    case suspend
    /// Read the conditions of queues; answered by `alerts`.
    case readAlerts
    /// Ring, and show a text on the person's desktop.
    case notify(String)
    /// Paint every cell again: another program wrote to the terminal.
    case repaint
    /// Write the screen as an SVG image into a new file, or into one with the name of the view;
    /// answered by `drawn`.
    case screenshot(String?, of: String)
    /// End the program.
    case quit
}
