import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

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
