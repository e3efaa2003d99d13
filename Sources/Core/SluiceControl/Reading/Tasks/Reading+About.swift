package import SluiceModel
import SluiceStore

extension Reading {
    /// Short summaries of tasks: the values at the queue's configured paths (Q12), else the task's
    /// label, else the first values of its payload. Omits tasks without a summary. A binary or long
    /// payload gives its length.
    package func about(_ tasks: [QueueTask]) throws -> [TaskID: String] {
        let paths = try summaryPaths(of: tasks)
        let named = tasks.filter { paths[$0.queue] != nil }
        let wholes = try store.payloadHeads(
            of: named.map(\.id), first: StoreRecord.shortPayloadBytes)
        let unnamed = tasks.filter { $0.label == nil && paths[$0.queue] == nil }.map(\.id)
        let heads = try store.payloadHeads(of: unnamed, first: PayloadSummary.byteLimit)
        var found: [TaskID: String] = [:]
        for task in tasks {
            let head = wholes[task.id] ?? heads[task.id]
            let summary = head.flatMap { head in
                paths[task.queue].flatMap { PayloadSummary(of: head, at: $0) }
            }
            let text = summary?.text ?? task.label ?? head.map { PayloadSummary(of: $0).text }
            if let text, !text.isEmpty { found[task.id] = text }
        }
        return found
    }

    private func summaryPaths(of tasks: [QueueTask]) throws -> [String: SummaryPaths] {
        var found: [String: SummaryPaths] = [:]
        for name in Set(tasks.map(\.queue)) {
            if let paths = try store.queue(named: name)?.settings.summary, !paths.paths.isEmpty {
                found[name] = paths
            }
        }
        return found
    }
}
