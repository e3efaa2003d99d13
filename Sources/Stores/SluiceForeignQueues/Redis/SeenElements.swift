/// The elements of lists that were read last, by the ids of their tasks: who acts on one asks the
/// server for these bytes, and looks through its lists only where they are not there any more. Who
/// reads on finds where the last pages ended.
final class SeenElements {
    private static let limitBytes = 16 << 20
    private static let limitEnds = 64
    private var elements: [ExactText: [UInt8]] = [:]
    /// Those before, until as many bytes came again: what one page brought is never half there.
    private var former: [ExactText: [UInt8]] = [:]
    private var bytes = 0
    private var ends: [ExactText: ListIndex] = [:]

    /// Keeps what was read.
    func keep(_ element: [UInt8], of reference: String) {
        if bytes > Self.limitBytes { (former, elements, bytes) = (elements, [:], 0) }
        if elements.updateValue(element, forKey: ExactText(reference)) == nil {
            bytes += element.count
        }
    }

    /// Keeps where the last task of a page lies.
    func keep(end index: ListIndex, of reference: String) {
        if ends.count >= Self.limitEnds { ends = [:] }
        ends[reference] = index
    }

    /// Where a page ended that had this task last; nil where that is not known.
    func end(of reference: String) -> ListIndex? { ends[reference] }

    /// What was read last of a task; nil where it was not.
    subscript(reference: String) -> [UInt8]? { elements[reference] ?? former[reference] }
}

/// A place of a list, counted from the end that is taken from.
struct ListIndex {
    var list: [UInt8]
    var takes: ListEnd
    var index: Int
}

/// The element of a task in a list, as far as it is known without looking through the list.
enum KnownElement {
    /// It can only be this one.
    case only([UInt8])
    /// It was this one when it was read.
    case seen([UInt8])
    case unknown

    /// What was read last of a task.
    init(_ seen: [UInt8]?) { self = seen.map { .seen($0) } ?? .unknown }
}
