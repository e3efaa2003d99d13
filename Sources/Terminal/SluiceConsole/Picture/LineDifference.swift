import SluiceTerminalUI

/// What differs between two texts, line by line.
package struct LineDifference: Hashable {
    package enum Kind: Hashable { case same, removed, added }
    package struct Step: Hashable {
        package var kind: Kind
        package var text: String
    }
    package private(set) var steps: [Step] = []
    /// Whether a part of the texts was too long to be compared.
    private(set) var isCut = false

    /// As many lines in the middle of each are compared.
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

    var isSame: Bool { steps.allSatisfy { $0.kind == .same } }

    /// The lines that differ with one of the same before and after, at most `limit` of them.
    func lines(limit: Int, glyphs: GlyphSet) -> [StyledLine] {
        var shown: [StyledLine] = []
        var last = -1
        for (index, step) in steps.enumerated() {
            let isNear = [index - 1, index + 1].contains {
                steps.indices.contains($0) && steps[$0].kind != .same
            }
            guard step.kind != .same || isNear else { continue }
            if last >= 0, index > last + 1 {
                shown.append(StyledLine("  \(glyphs[.ellipsis])", .faint))
            }
            last = index
            shown.append(Self.line(step))
        }
        var lines = Array(shown.prefix(limit))
        if shown.count > limit || isCut {
            let more = shown.count - lines.count
            lines.append(StyledLine(more > 0 ? "\(more) more lines" : "and more", .quiet))
        }
        return lines
    }

    private static func line(_ step: Step) -> StyledLine {
        switch step.kind {
        case .same: StyledLine("  \(step.text)", .quiet)
        case .removed: StyledLine("- \(step.text)", .failed)
        case .added: StyledLine("+ \(step.text)", .running)
        }
    }
}
