public import SluiceModel
import SluiceStore

extension Reading {
    /// What tasks are about, in a few words each: the label of a task, or what its payload says
    /// first. Those about which nothing can be said are left out; a payload that is no text, or not
    /// short, says how long it is.
    public func about(_ tasks: [QueueTask]) throws -> [TaskID: String] {
        let unlabelled = tasks.filter { $0.label == nil }.map(\.id)
        let heads = try store.payloadHeads(of: unlabelled, first: PayloadSummary.byteLimit)
        var found: [TaskID: String] = [:]
        for task in tasks {
            let text = task.label ?? heads[task.id].map { PayloadSummary(of: $0).text }
            if let text, !text.isEmpty { found[task.id] = text }
        }
        return found
    }
}
