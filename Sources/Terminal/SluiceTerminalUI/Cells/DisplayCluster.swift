/// The place where a cluster appears.
package enum DisplayPlace: Hashable, Sendable {
    /// In cells, one emoji per cell. A terminal may or may not join several emoji, and the screen
    /// must know the width. Joined emoji appear one after another, unless the terminal draws them
    /// as one (`PictureJoins`) and they fit a cell.
    case cells
    /// In lines of text. The reader's program joins emoji, so they stay unchanged.
    case lines
}

/// One visible sign: a scalar that takes one or two columns, and the marks that join it.
struct DisplayCluster: Hashable, Sendable {
    /// The maximum number of marks. The curses library drops further ones.
    static let maximumMarks = 4

    var base: Unicode.Scalar
    var marks = Marks()
    var width: Int
    /// The scalars that join two emoji, for lines only.
    var joined: [Unicode.Scalar] = []

    init(_ base: Unicode.Scalar, width: Int = 1) {
        self.base = base
        self.width = width
    }

    func append(to text: inout String) {
        text.unicodeScalars.append(base)
        marks.append(to: &text)
        text.unicodeScalars.append(contentsOf: joined)
    }
}

/// Up to four joining marks without an allocation.
struct Marks: Hashable, Sendable {
    private var first: UInt32 = 0
    private var second: UInt32 = 0
    private var third: UInt32 = 0
    private var fourth: UInt32 = 0

    var values: (UInt32, UInt32, UInt32, UInt32) { (first, second, third, fourth) }

    var isEmpty: Bool { first == 0 }

    /// Marks that are all kept; nil if there are more than there is room for.
    init?(_ marks: some Collection<Unicode.Scalar>) {
        guard marks.count <= DisplayCluster.maximumMarks else { return nil }
        for mark in marks { add(mark) }
    }

    init() {}

    mutating func add(_ mark: Unicode.Scalar) {
        if first == 0 {
            first = mark.value
        } else if second == 0 {
            second = mark.value
        } else if third == 0 {
            third = mark.value
        } else if fourth == 0 {
            fourth = mark.value
        }
    }

    func append(to text: inout String) {
        guard !isEmpty else { return }
        for value in [first, second, third, fourth] {
            guard value != 0, let scalar = Unicode.Scalar(value) else { return }
            text.unicodeScalars.append(scalar)
        }
    }
}
