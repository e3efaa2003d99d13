/// The elements of lists that were read last, by the ids of their tasks: who acts on one asks the
/// server for these bytes, and looks through its lists only where they are not there any more.
final class SeenElements {
    private static let limitBytes = 16 << 20
    private var elements: [String: [UInt8]] = [:]
    private var bytes = 0

    /// Keeps what was read.
    func keep(_ element: [UInt8], of reference: String) {
        if bytes > Self.limitBytes { (elements, bytes) = ([:], 0) }
        if elements.updateValue(element, forKey: reference) == nil { bytes += element.count }
    }

    /// What was read last of a task; nil where it was not.
    subscript(reference: String) -> [UInt8]? { elements[reference] }
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
