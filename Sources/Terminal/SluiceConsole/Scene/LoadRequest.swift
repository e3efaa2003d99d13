package import SluiceControl
package import SluiceModel

/// What the console wants to read, in one read of the store (K6: only what is seen, and a little).
package struct LoadRequest: Hashable, Sendable {
    /// Comes back with the scene, so that a late answer is known as such.
    package var generation = 0
    /// The selected queue; one that is gone means the first, nil the first in sight in which
    /// something is.
    package var queue: String?
    /// Whether the list is that of all queues; the selected one stays as it is.
    package var isAll = false
    /// The task whose queue is to be selected, wherever it is.
    package var sought: TaskID?
    /// Which part of the queues.
    package var queues = QueuesRequest()
    /// The view that is shown.
    package var view = ConsoleView.inventory
    /// Which part of the queue's list.
    package var rows = RowsRequest()
    /// Whether the places in payloads of the list are wanted, to complete one.
    package var withPlaces = false
    /// The task that a page, or the cursor of a view other than the list, is on.
    package var subject: TaskID?
    /// How much is wanted of the subject.
    package var depth = SubjectDepth.line
    /// Which groups are unfolded in view 2 and which are not; others are as far as there is room.
    package var folds: [String: Bool] = [:]
    /// Whether view 4 looks closely (D9).
    package var isClose = false
    /// The row of view 5 at the cursor.
    package var failure: FailureKind?
    /// The row of view 6 at the cursor.
    package var runner: ProcessID?
    /// From when on view 9 reads what ended; nil for as long as that is kept.
    package var flowSince: Timestamp?
    /// From when on view 7 reads what ended; nil for as long as that is kept.
    package var pulseSince: Timestamp?
    /// Whether view 9 counts what comes by the newest tasks, since there is no look before.
    package var withArrivals = false
    /// The scope of the timeline on top.
    package var timeline: TaskTimeline.Scope?
    /// Which lines view 4 shows; nil for all.
    package var log: LogFilter?
    /// Where on a tape; of a store this says nothing.
    package var tape = TapeGoal.event(0)
    /// How many lines of the journal the bottom of the screen shows.
    package var recentLimit = 4

    /// Whether the last hour is that of all queues: view 7 has a cursor on one.
    var isHourOfAll: Bool { isAll && !view.listsQueues }

    /// A request for the first queue's list.
    package init() {}
}

/// How much is read of the task that the screen is about.
package enum SubjectDepth: Hashable, Sendable {
    /// Its line.
    case line
    /// What the preview shows of it; a payload that is not short is left out.
    case preview
    /// The chain of its blockers.
    case why
    /// Everything, the chain of blockers included.
    case detail
}

/// Which part of the queues is wanted.
package struct QueuesRequest: Hashable, Sendable {
    /// The place of the queue to select, from 0, where the cursor went to one that was not read.
    package var place: Int?
    /// The first row that is seen.
    package var top = 0
    /// Rows of the pane; a few times as many are read.
    package var height = 20
    /// Whether the names of all are wanted, to complete one.
    package var withNames = false

    /// The beginning.
    package init() {}
}

/// Which part of a queue's list is wanted.
package struct RowsRequest: Hashable, Sendable {
    /// Where the part lies.
    package enum Anchor: Hashable, Sendable {
        case start
        case end
        /// Rows before and after a place.
        case around(ListPlace)
        /// Rows before and after a number, in the list of all queues.
        case number(TaskID)
    }
    /// Where to read when `follow` is not there.
    package var anchor = Anchor.start
    /// The task that must be among the rows, wherever it has gone (K1).
    package var follow: TaskID?
    /// Whether the part stays where `follow` has left its place.
    package var stays = false
    /// The task of the cursor, of which is wanted where it went.
    package var pinned: TaskID?
    /// Go to the first waiting task that the start `linkFrom` holds.
    package var linkFrom: TaskID?
    /// Rows of the pane; a few times as many are read.
    package var height = 20
    /// Whether what has ended is listed too where no filter asks for states.
    package var withEnded = false
    /// How the list is ordered.
    package var order = ListOrder.running
    /// The place of the row to read about, in a list that is ordered otherwise.
    package var row: Int?
    /// Only what matches.
    package var filter: TaskFilter?
    /// Where a search through payloads goes on; nil begins one.
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
    /// What matches.
    package var filter: TaskFilter
    /// Whether what has ended counts too where the filter asks for no states.
    package var withEnded: Bool
    /// How many did so far.
    package var count = 0
    /// How many were looked at, of those that an index did not leave out.
    package var looked = 0
    /// Whether that was all.
    package var isDone = false
    /// Behind this it goes on.
    var place: ListPlace?
    /// The queue in which it goes on, of several.
    var reached: String?

    /// A count that begins.
    package init(queue: String?, filter: TaskFilter, withEnded: Bool = false) {
        self.queue = queue
        self.filter = filter
        self.withEnded = withEnded
    }

    /// Whether it is about the same.
    func isSame(as other: CountRequest) -> Bool {
        queue == other.queue && filter == other.filter && withEnded == other.withEnded
    }

    /// `12 match`, or how far it is.
    var words: String {
        let match = "\(NumberText.grouped(count)) match\(count == 1 ? "es" : "")"
        return isDone ? match : "\(match) so far, \(NumberText.grouped(looked)) looked at"
    }
}

/// Which tasks `*` marks.
package struct CollectRequest: Hashable, Sendable {
    /// The queue; nil for all of them.
    package var queue: String?
    /// Only what matches.
    package var filter: TaskFilter?
    /// Whether what has ended is marked too where the filter asks for no states.
    package var withEnded: Bool

    /// All tasks of a queue, or of all, that match.
    package init(queue: String?, filter: TaskFilter?, withEnded: Bool = false) {
        self.queue = queue
        self.filter = filter
        self.withEnded = withEnded
    }

    /// By what a command finds these tasks that takes those of some states where no state is asked
    /// for; nil where it takes none of them.
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
