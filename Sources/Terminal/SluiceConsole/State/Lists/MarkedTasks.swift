import SluiceControl
import SluiceModel

/// The marked tasks, as targets of the next verb. Each has the version on screen (D8), and
/// `request` is the filter of `*`.
struct MarkedTasks: Equatable {
    private(set) var versions: [TaskID: Int64] = [:]
    /// The request of `*` that found them, until the marks change.
    private(set) var request: CollectRequest?

    var isEmpty: Bool { versions.isEmpty }
    var count: Int { versions.count }
    var targets: [TaskTarget] {
        versions.sorted { $0.key < $1.key }.map { TaskTarget($0.key, version: $0.value) }
    }

    func contains(_ task: TaskID) -> Bool { versions[task] != nil }

    /// Marks a task, or takes its mark away.
    mutating func toggle(_ task: QueueTask) {
        if versions.removeValue(forKey: task.id) == nil { versions[task.id] = task.version }
        request = nil
    }

    /// Marks tasks found by `*`, in addition to the marked ones.
    mutating func add(_ targets: [TaskTarget], of request: CollectRequest) {
        self.request = isEmpty ? request : nil
        for target in targets { versions[target.id] = target.version }
    }

    /// Marks the tasks that a verb on several left unchanged or failed on, at the answer's versions
    /// (D10). Does nothing if other tasks are marked.
    mutating func keep(_ answer: Answer) {
        guard isEmpty else { return }
        request = nil
        for target in answer.stop?.left ?? [] { versions[target.id] = target.version }
        for failure in answer.failed { versions[failure.id] = failure.version }
    }

    /// Takes all marks away.
    mutating func clear() { self = MarkedTasks() }
}
