import SluiceModel
import SluiceTerminalUI

/// A difference as lines for the screen.
extension LineDifference {
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
