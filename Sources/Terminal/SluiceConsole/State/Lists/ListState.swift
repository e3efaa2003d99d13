import SluiceControl
import SluiceModel

/// The person's place in a queue's list, partly loaded (K1, K2, K6).
struct ListState: Hashable, Sendable {
    var page = TaskPage() {
        didSet { measure = PageMeasure(page.rows, about: page.about.values) }
    }
    /// The widths for the columns, measured once per page.
    private(set) var measure = PageMeasure([])
    /// The row of the cursor, in the page.
    var cursor = 0
    /// The first visible row, as an index in the page.
    var top = 0
    /// The rows left to move after the next load.
    var pendingMove = 0
    /// The cursor's line on the screen before it followed a stepped task.
    var heldRow: Int?
    var filter: TaskFilter?
    /// The view that set the filter. Clearing the filter returns there.
    var cameFrom: ConsoleView?
    /// The row of that view, in words.
    var cameFromWords: String?

    var line: TaskLine? { page.rows.indices.contains(cursor) ? page.rows[cursor] : nil }

    /// A visible neighbour of the cursor's row. It keeps its place if the cursor's task moves away.
    var neighbour: TaskLine? {
        [top, cursor + 1, cursor - 1].first { $0 != cursor && page.rows.indices.contains($0) }
            .map { page.rows[$0] }
    }

    /// The position in the whole list, from 1, if known.
    var position: Int? { page.firstIndex.map { $0 + cursor + 1 } }

    /// Moves the cursor and scrolls as little as needed.
    mutating func move(by rows: Int, height: Int) {
        // Keys may arrive faster than rows load.
        let target = cursor + min(max(pendingMove + rows, -1 << 20), 1 << 20)
        pendingMove = 0
        let last = max(0, page.rows.count - 1)
        cursor = min(max(0, target), last)
        if target < 0, !page.reachesStart { pendingMove = target }
        if target > last, !page.reachesEnd { pendingMove = target - last }
        reveal(height: height)
    }

    /// Scrolls as a wheel does; the cursor follows at the edge.
    mutating func scroll(by rows: Int, height: Int) {
        top = min(max(0, top + rows), lastTop(height))
        cursor = min(max(cursor, top), max(top, min(top + height, page.rows.count) - 1))
    }

    /// Puts the cursor on a row of the page.
    mutating func select(_ row: Int, height: Int) {
        cursor = min(max(0, row), max(0, page.rows.count - 1))
        reveal(height: height)
    }

    /// Whether rows near the cursor are missing that the list has.
    func needsMore(height: Int) -> Bool {
        (!page.reachesEnd && top + 2 * height > page.rows.count)
            || (!page.reachesStart && top < height)
    }

    /// The fixed point on the screen while the list changes.
    enum Keeping: Hashable, Sendable {
        /// The task of the cursor (K1); `leaves` says whether it may go out of sight alone.
        case task(leaves: Bool)
        /// The row of the cursor, at the beginning of the list.
        case row
        /// The list and the cursor, even if its task moves away. The cursor follows another task if
        /// that one is visible.
        case place(with: TaskID?)
    }

    /// Applies a loaded page. The cursor follows its task (K1) and stays on its line of the screen.
    ///
    /// At the beginning of the list the list stays instead, while the cursor remains visible (K2).
    /// The view also stays if the cursor's task moves away from its neighbours. The page's `follow`
    /// request counts only if the cursor has not moved since. A `nil` value of `keeping` marks a
    /// jump.
    mutating func apply(_ new: TaskPage, height: Int, keeping: Keeping?) {
        let isJump = keeping == nil
        switch keeping {
        case .place(let task): return hold(new, height: height, following: task)
        case .row where top == 0 && page.reachesStart && new.reachesStart:
            heldRow = nil
            page = new
            cursor = min(cursor, max(0, new.rows.count - 1))
            return reveal(height: height, margin: 0)
        case .task(leaves: true) where hasLeft(in: new, height: height):
            return hold(new, height: height, following: nil)
        case .row, .task, nil: break
        }
        heldRow = nil
        let former = line?.task.id
        let isAtStart = top == 0 && page.reachesStart
        let screenRow = cursor - top
        let formerRow = cursor
        page = new
        let found = former.flatMap { id in new.rows.firstIndex { $0.task.id == id } }
        let fallback = new.reachesStart && isAtStart ? formerRow : new.anchorIndex
        cursor = isJump ? new.anchorIndex : found ?? (new.isFollowed ? new.anchorIndex : fallback)
        cursor = min(max(0, cursor), max(0, new.rows.count - 1))
        top = isAtStart && new.reachesStart ? 0 : cursor - screenRow
        top = min(max(0, top), lastTop(height))
        reveal(height: height, margin: isJump ? Self.margin : 0)
        if pendingMove != 0 {
            let rest = pendingMove
            pendingMove = 0
            move(by: rest, height: height)
        }
    }

    /// The shift of the visible rows between pages; `nil` if all of them left.
    private func shift(to new: TaskPage) -> Int? {
        let seen = page.rows.indices.filter { $0 >= top && $0 != cursor }
        return seen.lazy.compactMap { [rows = page.rows] place in
            new.rows.firstIndex { $0.task.id == rows[place].task.id }.map { $0 - place }
        }.first
    }

    /// Whether the cursor's task left the view while its neighbours stayed.
    private func hasLeft(in new: TaskPage, height: Int) -> Bool {
        guard pendingMove == 0, let id = line?.task.id, let shift = shift(to: new) else {
            return false
        }
        guard let row = new.rows.firstIndex(where: { $0.task.id == id }) else { return true }
        return !(top + shift..<top + shift + max(1, height)).contains(row)
    }

    /// The first row that is seen and is still there stays on its line.
    private mutating func hold(_ new: TaskPage, height: Int, following task: TaskID?) {
        let former = page
        let isAtStart = top == 0 && former.reachesStart && new.reachesStart
        let shift = shift(to: new) ?? new.anchorIndex - cursor
        page = new
        pendingMove = 0
        let screenRow = heldRow ?? cursor - top
        heldRow = nil
        top = isAtStart ? 0 : min(max(0, top + shift), lastTop(height))
        cursor = min(max(0, top + screenRow), max(0, new.rows.count - 1))
        reveal(height: height)
        guard let row = new.rows.firstIndex(where: { $0.task.id == task }), row != cursor else {
            return
        }
        var moved = self
        moved.select(row, height: height)
        if moved.top == top { (cursor, heldRow) = (row, screenRow) }
    }

    /// The number of rows kept visible around the cursor's target.
    private static let margin = 2

    /// Scrolls as little as needed for the cursor, and rows on both sides of it, to be seen.
    mutating func reveal(height: Int, margin: Int = ListState.margin) {
        guard height > 0 else {
            top = cursor
            return
        }
        let margin = min(margin, max(0, (height - 1) / 2))
        if cursor - margin < top { top = max(0, cursor - margin) }
        if cursor + margin >= top + height { top = cursor + margin - height + 1 }
        top = min(max(0, top), lastTop(height))
    }

    private func lastTop(_ height: Int) -> Int { max(0, page.rows.count - max(1, height)) }
}
