import SluiceModel
import SluiceStore

/// Ends that come while a commit waits for its turn at a server.
extension RunnerMachine {
    /// The executions that began first, in this order: the next ends are most often theirs.
    func oldest(_ count: Int) -> [ExecutionKey] {
        let keys = executions.keys.sorted { $0.token < $1.token }
        return Array(keys.prefix(count))
    }

    /// Takes an end that the waiting commit can settle; nil for an end that needs another effect,
    /// which changes nothing.
    mutating func settleLate(
        _ key: ExecutionKey, _ end: ExecutionEnd, instant: Int64
    ) -> Completion? {
        var next = self
        var completions: [Completion] = []
        let effects = next.ended(key, end, instant: instant, &completions)
        guard effects.isEmpty, completions.count == 1, let completion = completions.first,
            !completion.isOffline
        else { return nil }
        next.settling.insert(completion.key)
        self = next
        return completion
    }
}
