/// One cell of the screen: a character with its role and background.
package struct Cell: Hashable, Sendable {
    package static let blank = Cell(DisplayCluster(" "), role: .text, background: .none)

    /// Columns the sign takes: 1, 2, or 0 for the second half of a wide one.
    package let width: UInt8
    /// The meaning of the character.
    package var role: Role
    package var background: Background
    /// Whether it is bold in every role.
    package var emphasis: Bool
    private let base: UInt32
    private let marks: Marks

    init(_ cluster: DisplayCluster, role: Role, background: Background, emphasis: Bool = false) {
        base = cluster.base.value
        marks = cluster.marks
        width = UInt8(clamping: cluster.width)
        self.role = role
        self.background = background
        self.emphasis = emphasis
    }

    /// The second half of a wide sign.
    init(secondHalfOf cell: Cell) {
        base = 0
        marks = Marks()
        width = 0
        role = cell.role
        background = cell.background
        emphasis = cell.emphasis
    }

    /// The same style without the sign.
    func emptied() -> Cell {
        Cell(DisplayCluster(" "), role: role, background: background, emphasis: emphasis)
    }

    /// The sign with its marks; empty for the second half of a wide one.
    package var text: String {
        var text = ""
        append(to: &text)
        return text
    }

    /// The sign and its marks as numbers, filled up with zeros; all zero for the second half of a
    /// wide one.
    package var scalars: (UInt32, UInt32, UInt32, UInt32, UInt32) {
        let (first, second, third, fourth) = marks.values
        return (base, first, second, third, fourth)
    }

    /// Appends the character with its marks, without a separate allocation.
    package func append(to text: inout String) {
        guard base != 0, let scalar = Unicode.Scalar(base) else { return }
        text.unicodeScalars.append(scalar)
        marks.append(to: &text)
    }
}
