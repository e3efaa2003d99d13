import SluiceControl
import SluiceModel

/// The tasks that a person marked, for which the next verb is: each at the version that was shown
/// (D8), and by what `*` found them.
struct MarkedTasks: Equatable {
    /// The versions of the marked tasks.
    private(set) var versions: [TaskID: Int64] = [:]
    /// By what `*` found them, for as long as they are the same.
    private(set) var request: CollectRequest?

    /// Whether none is marked.
    var isEmpty: Bool { versions.isEmpty }
    /// How many are marked.
    var count: Int { versions.count }
    /// The marked tasks by their numbers.
    var targets: [TaskTarget] {
        versions.sorted { $0.key < $1.key }.map { TaskTarget($0.key, version: $0.value) }
    }

    /// Whether a task is marked.
    func contains(_ task: TaskID) -> Bool { versions[task] != nil }

    /// Marks a task, or takes its mark away.
    mutating func toggle(_ task: QueueTask) {
        if versions.removeValue(forKey: task.id) == nil { versions[task.id] = task.version }
        request = nil
    }

    /// Marks tasks that `*` found, beside those that are marked.
    mutating func add(_ targets: [TaskTarget], of request: CollectRequest) {
        self.request = isEmpty ? request : nil
        for target in targets { versions[target.id] = target.version }
    }

    /// Marks what a verb on several left as it was or could not be done to, at the version that the
    /// answer saw (D10), unless something else was marked meanwhile.
    mutating func keep(_ answer: Answer) {
        guard isEmpty else { return }
        request = nil
        for target in answer.stop?.left ?? [] { versions[target.id] = target.version }
        for failure in answer.failed { versions[failure.id] = failure.version }
    }

    /// Takes all marks away.
    mutating func clear() { self = MarkedTasks() }
}
