/// A copy-on-write value in a shared box.
@usableFromInline
struct Shared<Value: Sendable>: Sendable {
    /// Changes happen only under a unique reference, so accesses never overlap.
    @usableFromInline
    final class Box: @unchecked Sendable {
        @exclusivity(unchecked) @usableFromInline var value: Value
        @inlinable init(_ value: Value) { self.value = value }
    }

    @usableFromInline var box: Box

    @inlinable init(_ value: Value) { box = Box(value) }

    @inlinable var value: Value {
        _read { yield box.value }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
            yield &box.value
        }
    }
}

extension Shared: Equatable where Value: Equatable {
    @usableFromInline
    static func == (left: Shared, right: Shared) -> Bool {
        left.box === right.box || left.box.value == right.box.value
    }
}

extension Shared: Hashable where Value: Hashable {
    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}
