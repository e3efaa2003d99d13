/// A place on the screen in columns and rows, counted from zero at the upper left.
package struct Point: Hashable, Sendable {
    /// The column, from zero.
    package var x: Int
    /// The row, from zero.
    package var y: Int

    /// Makes a point of a column and a row.
    package init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }
}

/// An extent in columns and rows, never negative.
package struct Size: Hashable, Sendable {
    package let width: Int
    package let height: Int

    /// Makes a size; negative extents count as zero.
    package init(width: Int, height: Int) {
        self.width = max(0, width)
        self.height = max(0, height)
    }
}

/// A rectangle of cells; its edges saturate instead of overflowing.
package struct Rect: Hashable, Sendable {
    /// The leftmost column.
    package let x: Int
    /// The topmost row.
    package let y: Int
    /// How many columns, never negative.
    package let width: Int
    /// How many rows, never negative.
    package let height: Int

    /// Makes a rectangle; negative extents count as zero.
    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = max(0, width)
        self.height = max(0, height)
    }

    /// The rectangle of a whole screen of this size.
    package init(_ size: Size) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// The column after the last one.
    package var maxX: Int { Self.saturatingSum(x, width) }
    /// The row after the last one.
    package var maxY: Int { Self.saturatingSum(y, height) }
    /// Whether it holds no cell.
    package var isEmpty: Bool { width == 0 || height == 0 }

    /// Whether the point is inside the rectangle.
    package func contains(_ point: Point) -> Bool {
        point.x >= x && point.x < maxX && point.y >= y && point.y < maxY
    }

    /// The part that both rectangles cover; empty if they do not meet.
    package func intersection(_ other: Rect) -> Rect {
        let left = max(x, other.x)
        let top = max(y, other.y)
        return Rect(
            x: left, y: top,
            width: Self.distance(from: left, to: min(maxX, other.maxX)),
            height: Self.distance(from: top, to: min(maxY, other.maxY)))
    }

    private static func saturatingSum(_ first: Int, _ second: Int) -> Int {
        let (sum, overflow) = first.addingReportingOverflow(second)
        return overflow ? (second < 0 ? .min : .max) : sum
    }

    private static func distance(from start: Int, to end: Int) -> Int {
        guard end > start else { return 0 }
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        return overflow ? .max : difference
    }
}
