import SluiceModel
import SluicePlatform
package import SluiceStore

/// Edits by a person, which may take minutes (B11). Runners cannot claim the task during the edit.
extension Control {
    /// Begins an edit in an attached process and returns the payload. The edit ends with `endEdit`,
    /// ten minutes after the last `renewEdit`, or with the process. Any other change of the task
    /// ends it too, and a later save throws `changed` (D8). `instant` is the machine's monotonic
    /// clock in milliseconds. Blocks its thread.
    ///
    /// Throws `changed` if the task differs from the displayed version. Throws `notLegal` if
    /// another edit is open or the task is not waiting or failed.
    package func beginEdit(
        _ target: TaskTarget, in editor: Attachment, instant: Int64
    ) throws -> [UInt8] {
        let (person, now, owner) = (person, now(), editor.process.id)
        // One who died, or forgot it, edits no longer.
        try Reaper.endEdits(in: store, now: now, instant: instant)
        return try store.transactBlocking(at: now) { mutation in
            let store = mutation.store
            let task = try store.task(as: target)
            try task.refuseEdit(by: owner, processes: try store.processes(), now: now)
            try mutation.beginEdit(
                task, by: person, owner: owner, instant: instant)
            return try store.payload(of: task.id) ?? []
        }
    }

    /// Lets the edit of a process last another ten minutes; says whether it still holds its task.
    /// Blocks its thread.
    @discardableResult
    package func renewEdit(in editor: Attachment, instant: Int64) throws -> Bool {
        let (now, owner) = (now(), editor.process.id)
        return try store.transactBlocking(at: now) {
            try $0.renewEdit(of: owner, instant: instant)
        }
    }

    /// Ends the edit of a process: committed, or given up. Blocks its thread.
    package func endEdit(in editor: Attachment) throws {
        let (now, owner) = (now(), editor.process.id)
        try store.transactBlocking(at: now) { try $0.endEdit(of: owner) }
    }
}

extension QueueTask {
    /// Throws where a process may not begin to edit the task.
    fileprivate func refuseEdit(
        by owner: ProcessID, processes: [ProcessRecord], now: Timestamp
    ) throws {
        guard waiting != nil || state.name == .failed else {
            throw refusal(of: .beginEdit(by: "", owner: owner))
        }
        for process in processes {
            guard let lease = process.editing else { continue }
            if lease.holds(self) {
                let wait = DurationText.short(lease.until - now)
                throw QueueError.notLegal(
                    "\(lease.by) is editing #\(id), for \(wait) more at most",
                    fix: "retry #\(id) takes it away")
            }
            if process.id == owner {
                throw QueueError.notLegal(
                    "#\(lease.task) is being edited here", fix: "end that edit first")
            }
        }
    }
}
