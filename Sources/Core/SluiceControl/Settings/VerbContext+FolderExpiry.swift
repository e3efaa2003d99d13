import SluiceModel
import SluiceStore

/// The expiry of tasks in a Customer.io folder, by their `created_at` as in its SDK (P6).
extension VerbContext {
    /// Applies the new expiry to waiting tasks. The SDK wrote them, so no enqueue set an expiry.
    /// Keeps a task's own expiry.
    func expireInFolder(_ name: String, before: QueueSettings, now after: QueueSettings) throws {
        var (last, changed, passed): (TaskID, Int, Int) = (0, 0, 0)
        while true {
            let page = try store.tasks(.numbered(after: last, in: [.waiting]), limit: 1_000)
            guard let end = page.last else { break }
            last = end.id
            for task in page where task.queue == name {
                let expiry = after.expiry(of: task, from: task.createdAt)
                guard task.expiresAt != expiry,
                    task.expiresAt == before.expiry(of: task, from: task.createdAt)
                else { continue }
                try mutation.apply(.edit([.expiresAt(expiry)]), to: task)
                changed += 1
                if let expiry, expiry <= now { passed += 1 }
            }
        }
        guard changed > 0 else { return }
        let verb = changed == 1 ? "that waits has" : "that wait have"
        answer.consequences.append(
            "\(NumberText.tasks(changed)) \(verb) the new expiry, counted from created_at"
                + (passed > 0 ? "; \(passed) of them passed already" : ""))
    }
}

extension QueueSettings {
    /// Whether tasks expire by both alike.
    func expiresAlike(_ other: QueueSettings) -> Bool {
        expiresAfterMilliseconds == other.expiresAfterMilliseconds
            && startsExpire == other.startsExpire
    }
}
