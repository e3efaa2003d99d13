import SluiceModel
import SluiceRunner
import SluiceStore

/// A worker's status for the service manager (sd_notify), a value that follows events.
struct ServiceStatus: Hashable, Sendable {
    enum Event: Hashable, Sendable {
        /// It begins as soon as that has passed.
        case waiting(QueueError)
        case runner(RunnerEvent)
        /// A stop request.
        case stopping
    }

    private var runner: ProcessID?
    private var running: Set<TaskID> = []
    private var ended = 0
    private var trouble: QueueError?
    private var isStopping = false

    /// Applies an event. Returns lines to send immediately in addition to the status; `nil` if the
    /// status can wait.
    mutating func record(_ event: Event) -> [String]? {
        switch event {
        case .waiting(let error):
            trouble = error
            return []
        case .stopping: return stop()
        case .runner(let event): return record(event)
        }
    }

    private mutating func record(_ event: RunnerEvent) -> [String]? {
        switch event {
        case .attached(let id):
            (runner, trouble) = (id, nil)
            return ["READY=1"]
        case .started(let execution):
            trouble = nil
            running.insert(execution.task.id)
        case .settled(let settled):
            trouble = nil
            if running.remove(settled.id) != nil { ended += 1 }
        case .troubled(let error):
            trouble = error
            return []
        case .ended: return stop()
        case .told: break
        }
        return nil
    }

    private mutating func stop() -> [String] {
        defer { isStopping = true }
        return isStopping ? [] : ["STOPPING=1"]
    }

    /// The line that `systemctl status` shows.
    var line: String {
        var facts: [String] = []
        if let runner {
            let word = isStopping ? "stops" : "works"
            facts.append("worker \(runner) \(word): \(running.count) running, \(ended) ended")
        }
        if let trouble { facts.append(trouble.message) }
        let text = SafeText.visible(facts.joined(separator: "; "))
        return "STATUS=\(text.isEmpty ? "begins" : text)"
    }
}
