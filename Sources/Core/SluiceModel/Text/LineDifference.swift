/// The line-by-line difference between two texts.
package struct LineDifference: Hashable {
    package enum Kind: Hashable { case same, removed, added }
    package struct Step: Hashable {
        package var kind: Kind
        package var text: String
    }
    package private(set) var steps: [Step] = []
    /// Whether a part was too long to compare.
    package private(set) var isCut = false

    /// The maximum number of lines to compare in the middle of each text.
    private static let limit = 400

    package init(_ before: [String], _ after: [String]) {
        let head = zip(before, after).prefix { $0 == $1 }.count
        let tail = zip(before.dropFirst(head).reversed(), after.dropFirst(head).reversed())
            .prefix { $0 == $1 }.count
        let old = before.dropFirst(head).dropLast(tail)
        let new = after.dropFirst(head).dropLast(tail)
        isCut = max(old.count, new.count) > Self.limit
        steps = before.prefix(head).map { Step(kind: .same, text: $0) }
        compare(Array(old.prefix(Self.limit)), Array(new.prefix(Self.limit)))
        steps += before.suffix(tail).map { Step(kind: .same, text: $0) }
    }

    private mutating func compare(_ old: [String], _ new: [String]) {
        let change = new.difference(from: old)
        var removed: Set<Int> = []
        var added: Set<Int> = []
        for case .remove(let offset, _, _) in change.removals { removed.insert(offset) }
        for case .insert(let offset, _, _) in change.insertions { added.insert(offset) }
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if left < old.count, removed.contains(left) {
                steps.append(Step(kind: .removed, text: old[left]))
                left += 1
            } else if right < new.count, added.contains(right) {
                steps.append(Step(kind: .added, text: new[right]))
                right += 1
            } else {
                steps.append(Step(kind: .same, text: new[right]))
                left += 1
                right += 1
            }
        }
    }

    /// Whether nothing differs.
    package var isSame: Bool { steps.allSatisfy { $0.kind == .same } }
}
