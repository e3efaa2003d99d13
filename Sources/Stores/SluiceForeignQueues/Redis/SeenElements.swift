/// The elements of lists that were read last, by the ids of their tasks: who acts on one asks the
/// server for these bytes, and searches its lists only if they are gone. Who reads on finds where
/// the last pages ended.
final class SeenElements {
    private static let limitBytes = 16 << 20
    private static let limitEnds = 64
    private var elements: [ExactText: [UInt8]] = [:]
    /// The previous generation. It remains until the new one exceeds the limit, so that a page is
    /// never half evicted.
    private var former: [ExactText: [UInt8]] = [:]
    private var bytes = 0
    private var ends: [ExactText: ListIndex] = [:]

    func keep(_ element: [UInt8], of reference: String) {
        if bytes > Self.limitBytes { (former, elements, bytes) = (elements, [:], 0) }
        if elements.updateValue(element, forKey: ExactText(reference)) == nil {
            bytes += element.count
        }
    }

    /// Caches the position of a page's last task.
    func keep(end index: ListIndex, of reference: String) {
        if ends.count >= Self.limitEnds { ends = [:] }
        ends[reference] = index
    }

    /// The cached position of a page's last task; `nil` if unknown.
    func end(of reference: String) -> ListIndex? { ends[reference] }

    /// The cached element of a task; `nil` if not cached.
    subscript(reference: String) -> [UInt8]? { elements[reference] ?? former[reference] }
}

/// A position in a list, counted from the end where workers take.
struct ListIndex {
    var list: [UInt8]
    var takes: ListEnd
    var index: Int
}

/// The element of a task in a list, as far as it is known without looking through the list.
enum KnownElement {
    /// It can only be this one.
    case only([UInt8])
    /// The element when it was last read.
    case seen([UInt8])
    case unknown

    init(_ seen: [UInt8]?) { self = seen.map { .seen($0) } ?? .unknown }
}
