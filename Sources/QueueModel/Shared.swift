/// A value behind a reference, copied when one of those who share it changes it.
struct Shared<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Changed only while nobody else refers to it.
    private final class Box: @unchecked Sendable {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private var box: Box

    init(_ value: Value) { box = Box(value) }

    var value: Value {
        _read { yield box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }

    static func == (left: Shared, right: Shared) -> Bool {
        left.box === right.box || left.box.value == right.box.value
    }

    func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}
