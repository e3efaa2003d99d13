import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// What the columns of a list have to hold: measured when its rows are read, since a key that moves
/// the cursor changes none of it.
struct PageMeasure: Hashable, Sendable {
    /// The digits of the largest number.
    private(set) var digits = 1
    /// The columns of the widest type, group and queue.
    private(set) var type = 4
    private(set) var group = 0
    private(set) var queue = 0
    /// Whether some task has what most have not.
    private(set) var hasPriority = false
    private(set) var hasGroups = false
    private(set) var hasRequired = false
    /// Whether the state of some task says more than what it waits for: an error, or its progress.
    private(set) var hasLongStates = false
    /// Whether of some task it is known how long its last attempt took.
    private(set) var hasTimes = false
    /// Whether some task says when it came; those of other systems may not.
    private(set) var hasAges = false
    /// Whether some task waits for what takes more words than the rest of a short time.
    private(set) var hasWideStates = false
    /// The folder in which all files lie that the tasks are about, with its last slash.
    private(set) var folder = ""

    init(_ rows: [TaskLine], about: some Collection<String> = []) {
        folder = AboutWords.folder(of: about)
        var largest: TaskID = 0
        var types: Set<String> = []
        var queues: Set<String> = []
        for line in rows {
            largest = max(largest, line.task.id)
            if line.task.priority != 0 { hasPriority = true }
            if line.took != nil { hasTimes = true }
            if line.task.isRequired { hasRequired = true }
            switch line.task.state {
            case .running, .failed: hasLongStates = true
            default: if line.task.lastError != nil { hasLongStates = true }
            }
            if line.task.createdAt != .unknown { hasAges = true }
            if line.hasWideState { hasWideStates = true }
            types.insert(line.task.type)
            queues.insert(line.task.queue)
            guard line.task.hasGroupRole else { continue }
            hasGroups = true
            group = max(group, DisplayText.width(GroupWords.name(line.task)))
        }
        digits = "\(largest)".utf8.count
        queue = queues.map { DisplayText.width($0) }.max() ?? 0
        type = types.map { DisplayText.width($0) }.max() ?? 4
    }
}

extension TaskLine {
    private static let shortMilliseconds: Int64 = 3_600_000

    fileprivate var hasWideState: Bool {
        guard let waiting = task.waiting else { return false }
        let isLong = waiting.timer.map {
            $0.cause != .retry || $0.until - $0.since > Self.shortMilliseconds
        }
        return waiting.parking != nil || waiting.skip != nil || isLong == true
            || waiting.lingering != nil
    }
}
