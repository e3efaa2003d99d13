import SluiceControl
import SluiceModel
import SluiceStore

/// Filters compare priorities with numbers, but a queue can name its priorities (Q1).
extension Program {
    /// The refusal of a filter, with the number of the priority whose name was written: where
    /// exactly one queue of the store that the words mean has that name.
    func numbered(_ error: QueueError, _ words: [Word]) -> QueueError {
        guard error.code == .badFilter, error.fix.hasPrefix("write priority"),
            let (name, queue, priority) = named(in: error.message, words)
        else { return error }
        // The example that the parser gives is 0.
        let comparison = error.fix.dropFirst("write ".count).dropLast()
        return QueueError(
            .badFilter, error.message,
            fix: "\(name) is \(priority) in \(queue): write \(comparison)\(priority)")
    }

    /// The one entry whose name a message quotes.
    private func named(
        in message: String, _ words: [Word]
    ) -> (name: String, queue: String, priority: Int)? {
        // Ignore an unreadable store: this only improves an error message.
        guard let queues = try? reading(words, { try $0.queues() }) else { return nil }
        let all = queues.flatMap { queue in
            queue.settings.priorityNames.entries.map { ($0.name, queue.name, $0.priority) }
        }
        let found = all.filter { message.contains("\"\($0.0)\" is no number") }
        return found.count == 1 ? found.first : nil
    }
}
