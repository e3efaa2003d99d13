import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The actions on a row of view 5: on all failed tasks with one kind of error.
extension ConsoleState {
    /// The row under the cursor of view 5.
    var selectedFailure: FailureGroup? {
        guard view == .failures, page == nil, case .failure(let kind)? = cursors[.failures]?.key
        else { return nil }
        return scene?.failures.first { $0.kind == kind }
    }

    /// How many tasks of the queue, or of all, wait for a retry.
    var retryingCount: Int {
        guard let scene else { return 0 }
        return isAll ? scene.counts.retrying : selectedQueueLine?.tally.retrying ?? 0
    }

    /// How many tasks view 5 shows as retrying, with those whose retry is due.
    var shownRetrying: Int {
        max(retryingCount, scene?.failures.reduce(0) { $0 + $1.retrying } ?? 0)
    }

    /// The failed and the retrying tasks of the other queues, if view 5 has no row.
    var failuresElsewhere: (failed: Int, retrying: Int)? {
        guard hasNoFailure, !isAll, let scene, scene.listsAll, let own = selectedQueueLine?.tally
        else { return nil }
        let elsewhere = (
            failed: max(0, scene.counts[.failed] - own.failed),
            retrying: max(0, scene.counts.retrying - own.retrying)
        )
        return elsewhere.failed + elsewhere.retrying > 0 ? elsewhere : nil
    }

    /// Whether view 5 has no row.
    private var hasNoFailure: Bool {
        view == .failures && page == nil && scene?.failures.isEmpty == true
    }

    /// Whether to offer a list of retrying tasks instead.
    private var offersRetrying: Bool { hasNoFailure && retryingCount > 0 }

    /// The failed attempts of the last hour, if view 5 has no row for them.
    var passingFailures: String? {
        hasNoFailure ? scene?.lastHour?.failedWords(before: now) : nil
    }

    /// The filter for view 4 in that case.
    static let lastHourOfLog = "since:1h"

    /// Whether Enter leads on from a view 5 that has no row.
    var leadsOnFromFailures: Bool {
        offersRetrying || failuresElsewhere != nil || passingFailures != nil
    }

    /// Whether the action is about a row of view 5, and was done.
    mutating func performOnFailures(_ id: Action.ID) -> Bool {
        if id == .detail, offersRetrying {
            show(.inventory)
            setFilter(TaskFilter(.term(.state([.retrying]))), fromTop: true)
            (list.cameFrom, list.cameFromWords) = (.failures, "retrying")
            return true
        }
        if id == .detail, passingFailures != nil {
            show(.activity)
            try? setLogFilter(Self.lastHourOfLog)
            return true
        }
        if id == .detail, failuresElsewhere != nil {
            selectAll()
            return true
        }
        guard let failure = selectedFailure else { return false }
        switch id {
        case .detail:
            show(.inventory)
            setFilter(failure.wholeFilter(), fromTop: true)
            (list.cameFrom, list.cameFromWords) = (.failures, failure.text)
        case .retry:
            let filter = failure.wholeFilter(in: isAll ? nil : selectedQueue).description
            startCommand("retry --filter \(ShellWord.quoted(filter))")
        default: return false
        }
        return true
    }
}

/// Ended tasks: a fold at the end of the list, which opens there.
extension ConsoleState {
    /// The number of ended tasks of the list, from the kept counts. `nil` with a filter, or in
    /// another view.
    var ended: (succeeded: Int, deleted: Int)? {
        view == .inventory && list.filter == nil ? kept : nil
    }

    /// How many have ended and are kept, in the queue or in all; nil if none has.
    private var kept: (succeeded: Int, deleted: Int)? {
        guard let scene else { return nil }
        let counts = isAll ? scene.counts : scene.queue?.overview.counts ?? QueueCounts()
        let ended = (counts[.succeeded], counts[.deleted])
        return ended.0 + ended.1 > 0 ? ended : nil
    }

    /// The ended states that a filter omits because it names no states, in the filter's syntax.
    var statesLeftOut: String? {
        guard !showsEnded, let filter = list.filter, filter.states(usually: []).isEmpty, let kept
        else { return nil }
        let found = [("succeeded", kept.succeeded), ("deleted", kept.deleted)].filter { $0.1 > 0 }
        return found.map(\.0).joined(separator: ",")
    }

    /// Moves onto the fold below the last row, or off it; false where the step stays in the rows.
    mutating func moveAtFold(_ step: Step) -> Bool {
        guard isOnFold else {
            if case .end = step, ended != nil, list.page.rows.isEmpty {
                isOnFold = true
                return true
            }
            guard case .rows(let count) = step, count > 0, ended != nil, list.page.reachesEnd,
                list.pendingMove == 0, jump == nil, list.cursor + 1 >= list.page.rows.count
            else { return false }
            isOnFold = true
            return true
        }
        if case .rows(let count) = step, count > 0 { return true }
        isOnFold = false
        // The fold follows the last row, so one up is the cursor's row.
        if case .rows(-1) = step { return true }
        return false
    }

    /// Whether a filter finds nothing and omits ended tasks: the screen offers Enter for them.
    var offersEnded: Bool { statesLeftOut != nil && list.page.rows.isEmpty }

    /// Whether Enter means the fold: the cursor is on it, or the list has no other row, as where a
    /// filter finds nothing and leaves out ended tasks.
    var isAtFold: Bool {
        isOnFold
            || (ended != nil || statesLeftOut != nil) && list.page.rows.isEmpty
                && list.page.reachesStart && list.page.reachesEnd
    }

    /// Toggles the fold. The cursor moves to the first ended task.
    mutating func toggleEnded() {
        showsEnded.toggle()
        isOnFold = false
        recordMove()
        if showsEnded {
            list.pendingMove = list.page.rows.isEmpty ? 0 : 1
        } else {
            jump = RowsRequest()
            jump?.anchor = .end
        }
        reads.isStale = true
    }

    /// The fold's row, below the last task. If the rows fill the view, the fold replaces the line
    /// of the next task while the cursor is on it. The fold never takes a row from the list, so
    /// rows do not move when the first task ends (K2).
    func foldY(_ layout: FrameLayout) -> Int? {
        guard ended != nil else { return nil }
        let rows = layout.rows
        guard !list.page.rows.isEmpty else { return layout.isRoomy ? rows.maxY : layout.nextY }
        let seen = min(list.page.rows.count - list.top, rows.height)
        if layout.isRoomy || seen < rows.height { return rows.y + seen }
        return isOnFold ? layout.nextY : nil
    }
}
