package import SluiceControl
package import SluiceModel

/// The data that the console wants, for one read of the store. Only visible rows and a few more
/// (K6).
package struct LoadRequest: Hashable, Sendable {
    /// Comes back with the scene, so that a late answer is known as such.
    package var generation = 0
    /// The selected queue. A removed queue means the first one; `nil` means the first visible queue
    /// with tasks.
    package var queue: String?
    /// Whether the list shows all queues. The selected queue does not change.
    package var isAll = false
    /// The task whose queue to select, in any queue.
    package var sought: TaskID?
    package var queues = QueuesRequest()
    package var view = ConsoleView.inventory
    /// Which part of the queue's list.
    package var rows = RowsRequest()
    /// Whether to read the payload paths of the list, for completion.
    package var withPlaces = false
    /// The task that a page, or the cursor of a view other than the list, is on.
    package var subject: TaskID?
    /// The detail to read about the subject.
    package var depth = SubjectDepth.line
    /// Which groups are unfolded in view 2 and which are not; others are as far as there is room.
    package var folds: [String: Bool] = [:]
    /// Whether view 4 shows all details (D9).
    package var isClose = false
    /// The row of view 5 at the cursor.
    package var failure: FailureKind?
    /// The row of view 6 at the cursor.
    package var runner: ProcessID?
    /// The begin of the ends that view 9 reads; nil for all kept ones.
    package var flowSince: Timestamp?
    /// The begin of the ends that view 7 reads; nil for all kept ones.
    package var pulseSince: Timestamp?
    /// Whether view 9 derives arrivals from the newest tasks, because it has no earlier read.
    package var withArrivals = false
    package var timeline: TaskTimeline.Scope?
    /// Which lines view 4 shows; nil for all.
    package var log: LogFilter?
    /// The position on a tape. Ignored for a store.
    package var tape = TapeGoal.event(0)
    /// Whether the pane of queues shows the other places of a fleet.
    package var withNeighbours = false
    /// How many lines of the journal the bottom of the screen shows.
    package var recentLimit = 4

    /// Whether the last hour covers all queues. View 7 has a cursor on one queue instead.
    var isHourOfAll: Bool { isAll && !view.listsQueues }

    /// A request for the first queue's list.
    package init() {}
}

/// The detail to read about the subject task.
package enum SubjectDepth: Hashable, Sendable {
    case line
    /// The facts for the preview, without long payloads.
    case preview
    case why
    /// Everything, the chain of blockers included.
    case detail
}

/// The queues to read for the pane of queues: its visible rows, and a row to select.
package struct QueuesRequest: Hashable, Sendable {
    /// The place of the queue to select, from 0, where the cursor went to one that was not read.
    package var place: Int?
    /// The first visible row.
    package var top = 0
    /// Rows of the pane. The reader loads a few times this number.
    package var height = 20
    /// Whether to read the names of all queues, for completion.
    package var withNames = false

    package init() {}
}

/// The range of a queue's list to read.
package struct RowsRequest: Hashable, Sendable {
    /// The place of the range.
    package enum Anchor: Hashable, Sendable {
        case start
        case end
        case around(ListPlace)
        /// Rows before and after a number, in the list of all queues.
        case number(TaskID)
    }
    /// The place to read if the `follow` task is not in the list.
    package var anchor = Anchor.start
    /// The task that must be among the rows, wherever it has gone (K1).
    package var follow: TaskID?
    /// Whether the part stays where `follow` has left its place.
    package var stays = false
    /// The task under the cursor, to find its new place.
    package var pinned: TaskID?
    /// Go to the first waiting task that the start `linkFrom` holds.
    package var linkFrom: TaskID?
    /// Rows of the pane. The reader loads a few times this number.
    package var height = 20
    /// Whether the list includes ended tasks if no filter names states.
    package var withEnded = false
    package var order = ListOrder.running
    /// The place of the row to read about, in a list that is ordered otherwise.
    package var row: Int?
    /// Only what matches.
    package var filter: TaskFilter?
    /// The search through payloads to continue, or `nil` to begin one.
    package var search: SearchState?
    /// How many rows a search finds before it rests.
    package var searchLimit = 0

    /// The list's beginning.
    package init() {}
}

/// How many tasks of a queue, or of all, match a filter that is typed, counted a part at a time: no
/// key and no read waits for it.
package struct CountRequest: Hashable, Sendable {
    /// The queue; nil for all of them.
    package var queue: String?
    package var filter: TaskFilter
    /// Whether to count ended tasks if the filter names no states.
    package var withEnded: Bool
    /// How many did so far.
    package var count = 0
    /// The number of tasks examined after the index.
    package var looked = 0
    package var isDone = false
    /// The count continues after this place.
    var place: ListPlace?
    /// The queue where a count over several queues continues.
    var reached: String?

    package init(queue: String?, filter: TaskFilter, withEnded: Bool = false) {
        self.queue = queue
        self.filter = filter
        self.withEnded = withEnded
    }

    func isSame(as other: CountRequest) -> Bool {
        queue == other.queue && filter == other.filter && withEnded == other.withEnded
    }

    /// `12 match`, or how far it is.
    var words: String {
        let match = "\(NumberText.grouped(count)) match\(count == 1 ? "es" : "")"
        return isDone ? match : "\(match) so far, \(NumberText.grouped(looked)) read"
    }
}

/// Which tasks `*` marks.
package struct CollectRequest: Hashable, Sendable {
    /// The queue; nil for all of them.
    package var queue: String?
    /// Only what matches.
    package var filter: TaskFilter?
    /// Whether to mark ended tasks if the filter names no states.
    package var withEnded: Bool

    /// All tasks of a queue, or of all, that match.
    package init(queue: String?, filter: TaskFilter?, withEnded: Bool = false) {
        self.queue = queue
        self.filter = filter
        self.withEnded = withEnded
    }

    /// The filter for a command that accepts only the `legal` states. Adds them if the filter names
    /// no states; `nil` if none remains.
    func commandFilter(of legal: Set<TaskState.Name>) -> TaskFilter? {
        var parts: [TaskFilter.Expression] = []
        if let queue, filter?.queue != queue {
            parts.append(.term(.field(.queue, [FilterPattern(queue)])))
        }
        if let filter { parts.append(filter.expression) }
        let wanted = legal.intersection(
            PageReader.sections(filter, withEnded: withEnded).map(\.state))
        guard !wanted.isEmpty else { return nil }
        if filter?.asksState != true, parts.isEmpty || wanted != legal {
            let words = TaskState.Name.allCases.filter(wanted.contains).map(\.rawValue)
            parts.append(.term(.state(words.compactMap(TaskFilter.State.init(word:)))))
        }
        return TaskFilter(parts.count == 1 ? parts[0] : .all(parts))
    }
}
