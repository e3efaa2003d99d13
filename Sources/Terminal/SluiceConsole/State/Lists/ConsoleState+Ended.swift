import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// What has ended and is kept: a fold that closes the list, and opens there.
extension ConsoleState {
    /// How many tasks of the list have ended, by the counts that are kept; nil where a filter or
    /// another view says what is listed.
    var ended: (succeeded: Int, deleted: Int)? {
        view == .inventory && list.filter == nil ? kept : nil
    }

    /// How many have ended and are kept, in the queue or in all; nil where none has.
    private var kept: (succeeded: Int, deleted: Int)? {
        guard let scene else { return nil }
        let counts = isAll ? scene.counts : scene.queue?.overview.counts ?? QueueCounts()
        let ended = (counts[.succeeded], counts[.deleted])
        return ended.0 + ended.1 > 0 ? ended : nil
    }

    /// The states of what has ended that a filter leaves out because it asks for none, as a filter
    /// spells them.
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
        // One up is the last row, on which the cursor is.
        if case .rows(-1) = step { return true }
        return false
    }

    /// Whether the fold is what Enter means: the cursor is on it, or it is all that the list has.
    var isAtFold: Bool {
        isOnFold
            || ended != nil && list.page.rows.isEmpty && list.page.reachesStart
                && list.page.reachesEnd
    }

    /// Opens the fold, or closes it; the cursor goes to the first of what has ended.
    mutating func toggleEnded() {
        showsEnded.toggle()
        isOnFold = false
        noteMove()
        if showsEnded {
            list.pendingMove = list.page.rows.isEmpty ? 0 : 1
        } else {
            jump = RowsRequest()
            jump?.anchor = .end
        }
        reads.isStale = true
    }

    /// Where the fold stands: below the last row, and where the rows take all the room, in the
    /// place of what comes next for as long as the cursor is on it. It never takes the list a row,
    /// which would move when the first task ends (K2).
    func foldY(_ layout: FrameLayout) -> Int? {
        guard ended != nil else { return nil }
        let rows = layout.rows
        guard !list.page.rows.isEmpty else { return layout.isRoomy ? rows.maxY : layout.nextY }
        let seen = min(list.page.rows.count - list.top, rows.height)
        if layout.isRoomy || seen < rows.height { return rows.y + seen }
        return isOnFold ? layout.nextY : nil
    }
}
