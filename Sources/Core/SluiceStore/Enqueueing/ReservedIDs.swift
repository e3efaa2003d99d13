package import SluiceModel

/// Numbers reserved for the tasks of another store, so that they keep theirs.
///
/// Numbers are unique in a store and never repeat, so only unused numbers can be reserved; the
/// counter skips them. The origins table holds both ends as negative numbers, which no task has.
extension StoreReader {
    /// The numbers kept for the store of that identity; nil for none.
    package func numbersKept(for identity: String) throws -> ClosedRange<TaskID>? {
        guard let from = try task(ofOrigin: ReservedIDs.from(identity)),
            let through = try task(ofOrigin: ReservedIDs.through(identity)), through <= from
        else { return nil }
        return -from ... -through
    }
}

extension Mutation {
    /// Reserves the unused numbers up to `last` for the store with that identity.
    package func keepNumbers(for identity: String, through last: TaskID) throws {
        let kept = try store.numbersKept(for: identity)
        let next = try store.reserveTaskIDs(0)
        guard last >= next else { return }
        _ = try store.reserveTaskIDs(Int(last - next + 1))
        let first = kept.flatMap { $0.upperBound == next - 1 ? $0.lowerBound : nil } ?? next
        try store.putOrigin(ReservedIDs.from(identity), of: -first)
        try store.putOrigin(ReservedIDs.through(identity), of: -last)
    }
}

private enum ReservedIDs {
    static func from(_ identity: String) -> String { "numbers of \(identity) from" }
    static func through(_ identity: String) -> String { "numbers of \(identity) through" }
}
