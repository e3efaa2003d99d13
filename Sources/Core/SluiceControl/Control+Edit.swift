import SluiceModel
import SluicePlatform
package import SluiceStore

/// Edits that take a person's time (B11): what is edited is out of the runners' reach meanwhile.
extension Control {
    /// Begins an edit in an attached process and gives the payload. It ends with `endEdit`, ten
    /// minutes after the last `renewEdit`, or with the process; whatever else happens to the task
    /// meanwhile ends it too, and what is saved then is refused as `changed` (D8). `instant` is the
    /// machine's monotonic clock in milliseconds. Blocks its thread.
    ///
    /// Throws `changed` where the task is not the one that was shown, `notLegal` where somebody
    /// edits it already or it neither waits nor failed.
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
