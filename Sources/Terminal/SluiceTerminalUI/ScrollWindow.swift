/// Which rows of a list are seen, and which one the cursor is on.
///
/// Reading never moves it (K2): only the person's keys do, and a list that became shorter.
package struct ScrollWindow: Hashable, Sendable {
    /// The number of rows in the list, or `nil` if unknown.
    package private(set) var total: Int?
    /// How many rows the pane has.
    package private(set) var height: Int
    /// The row at the top of the pane, from zero.
    package private(set) var top: Int
    /// The row of the cursor, from zero; 0 in an empty list.
    package private(set) var cursor: Int
    /// Rows kept visible above and below the cursor where there are any.
    package let margin: Int

    /// Makes a window at the start of a list.
    package init(total: Int? = nil, height: Int, margin: Int = 2) {
        self.total = total.map { max(0, $0) }
        self.height = Self.bounded(height)
        self.margin = Self.bounded(margin)
        top = 0
        cursor = 0
    }

    /// The visible rows, up to the end of the list.
    package var visible: Range<Int> {
        let end = top + height
        return top..<max(top, min(end, total ?? end))
    }

    /// The row of the cursor counted from the top of the pane.
    package var cursorRow: Int { cursor - top }

    /// Moves the cursor by this many rows and scrolls as little as needed.
    package mutating func move(by rows: Int) {
        let (target, overflow) = cursor.addingReportingOverflow(rows)
        move(to: overflow ? (rows < 0 ? 0 : limit) : target)
    }

    /// Puts the cursor on a row and scrolls as little as needed.
    package mutating func move(to row: Int) {
        cursor = min(max(0, row), limit)
        reveal()
    }

    /// Moves by one pane less a row, so that one row stays in sight.
    package mutating func pageDown() { movePage(by: 1) }

    /// Moves back by one pane less a row.
    package mutating func pageUp() { movePage(by: -1) }

    /// Moves to the first row.
    package mutating func moveToStart() { move(to: 0) }

    /// Moves to the last row; does nothing while the total is not known.
    package mutating func moveToEnd() {
        guard let total else { return }
        move(to: total - 1)
    }

    /// Scrolls without the cursor, as a wheel does; the cursor follows at the edge.
    package mutating func scroll(by rows: Int) {
        let (target, overflow) = top.addingReportingOverflow(rows)
        top = min(max(0, overflow ? (rows < 0 ? 0 : lastTop) : target), lastTop)
        guard height > 0 else { return }
        let inset = effectiveMargin
        let first = top == 0 ? 0 : top + inset
        let last = top == lastTop ? top + height - 1 : top + height - 1 - inset
        cursor = min(min(max(cursor, first), last), limit)
    }

    /// Takes over a new number of rows and keeps the place if it can.
    package mutating func update(total newTotal: Int?) {
        total = newTotal.map { max(0, $0) }
        cursor = min(cursor, limit)
        reveal()
    }

    /// Takes over a new height of the pane and keeps the cursor in sight.
    package mutating func resize(height newHeight: Int) {
        height = Self.bounded(newHeight)
        reveal()
    }

    /// Puts the cursor on a row and keeps it where it is on the screen (K1): for a row that
    /// moved because rows came or went before it.
    package mutating func follow(to row: Int) {
        let place = cursorRow
        cursor = min(max(0, row), limit)
        top = min(max(0, cursor - place), lastTop)
        reveal()
    }

    private var limit: Int { total.map { max(0, $0 - 1) } ?? (.max / 4) }
    private var lastTop: Int { total.map { max(0, $0 - height) } ?? (.max / 4) }
    private var effectiveMargin: Int { min(margin, max(0, (height - 1) / 2)) }

    private static func bounded(_ rows: Int) -> Int { min(max(0, rows), 1 << 20) }

    private mutating func movePage(by direction: Int) {
        let step = max(1, height - 1) * direction
        let row = cursorRow
        let former = top
        top = min(max(0, top + step), lastTop)
        move(to: top == former ? cursor + step : top + row)
    }

    private mutating func reveal() {
        guard height > 0 else {
            top = cursor
            return
        }
        let inset = effectiveMargin
        if cursor - inset < top { top = max(0, cursor - inset) }
        if cursor + inset >= top + height { top = cursor + inset - height + 1 }
        top = min(max(0, top), lastTop)
    }
}
