import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The content widths of a list's columns. Measured when its rows load, because a cursor move
/// changes none of them.
struct PageMeasure: Hashable, Sendable {
    /// The digits of the largest number.
    private(set) var digits = 1
    /// The columns of the widest type, group and queue.
    private(set) var type = 4
    /// The beginning that all types share.
    private(set) var typePrefix = ""
    private(set) var group = 0
    private(set) var queue = 0
    /// Whether some task has what most have not.
    private(set) var hasPriority = false
    private(set) var hasGroups = false
    private(set) var hasRequired = false
    /// The widths of the state and about columns, rounded up in steps. So columns do not move when
    /// words change by a few letters.
    private(set) var state = Self.stateSteps[0]
    private(set) var about = 0
    /// Whether a duration of the last attempt is known for any task.
    private(set) var hasTimes = false
    /// Whether any task has a creation time. Tasks of other systems may not.
    private(set) var hasAges = false
    /// The common folder of all files in the about texts, with its last slash.
    private(set) var folder = ""

    private static let stateSteps = [18, 24, 28, 34, 42, 52, 64]

    init(_ rows: [TaskLine], about: some Collection<String> = []) {
        folder = AboutText.folder(of: about)
        var largest: TaskID = 0
        var types: Set<String> = []
        var queues: Set<String> = []
        var longest = 0
        for line in rows {
            largest = max(largest, line.task.id)
            if line.task.priority != 0 { hasPriority = true }
            if line.took != nil { hasTimes = true }
            if line.task.isRequired { hasRequired = true }
            if line.task.createdAt != .unknown { hasAges = true }
            longest = max(longest, line.stateWidth)
            types.insert(line.task.type)
            queues.insert(line.task.queue)
            guard line.task.hasGroupRole else { continue }
            hasGroups = true
            group = max(group, DisplayText.width(GroupText.name(line.task)))
        }
        digits = "\(largest)".utf8.count
        state =
            Self.stateSteps.first { $0 >= longest } ?? Self.stateSteps[Self.stateSteps.count - 1]
        let widest = about.map { DisplayText.width($0) }.max() ?? 0
        self.about = (widest + 3) / 4 * 4
        queue = queues.map { DisplayText.width($0) }.max() ?? 0
        type = types.map { DisplayText.width($0) }.max() ?? 4
        typePrefix = TypeText.prefix(of: types)
    }
}

extension TaskLine {
    private static let shortMilliseconds: Int64 = 3_600_000

    /// The maximum width of the state text at any time. For an error, the width of one line.
    fileprivate var stateWidth: Int {
        switch task.state {
        case .running: 26 + (progressText.map { 8 + DisplayText.width($0) } ?? 0)
        case .failed(let failure): 8 + DisplayText.width(ErrorLine.cause(of: failure.reason))
        case .deleted(let trash): 11 + DisplayText.width(trash.by)
        case .succeeded: 9
        case .waiting(let waiting): max(waitingWidth(waiting), triedWidth)
        }
    }

    private func waitingWidth(_ waiting: Waiting) -> Int {
        if let skip = waiting.skip { return 11 + DisplayText.width(skip.by) }
        let isLong = waiting.timer.map {
            $0.cause != .retry || $0.until - $0.since > Self.shortMilliseconds
        }
        return waiting.parking != nil || isLong == true || waiting.lingering != nil ? 24 : 18
    }

    /// The width for a task that failed in the open run, with its error.
    private var triedWidth: Int {
        guard let error = task.lastError, blockers.contains(where: { $0.kind == .attemptedInRun })
        else { return 0 }
        return 18 + DisplayText.width(ErrorLine.cause(of: error))
    }
}
