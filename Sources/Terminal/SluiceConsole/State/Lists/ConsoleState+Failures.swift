import SluiceControl
import SluiceModel
import SluiceStore

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
