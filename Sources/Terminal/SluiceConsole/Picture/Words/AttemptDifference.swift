import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The two attempts of a task to compare: the later one, and the earlier one.
struct AttemptPair: Hashable, Sendable {
    /// The number of the later one; nil for the newest.
    var later: Int?
    /// The number of the other; nil for the one before.
    var earlier: Int?

    /// The places of both attempts in `attempts`; `nil` if the task has fewer than two.
    func chosen(of attempts: [AttemptRecord]) -> (earlier: Int, later: Int)? {
        guard attempts.count > 1 else { return nil }
        let wanted = later.flatMap { number in attempts.firstIndex { $0.number == number } }
        let second = max(1, wanted ?? attempts.count - 1)
        let other = earlier.flatMap { number in attempts.firstIndex { $0.number == number } }
        return (min(other ?? second - 1, second - 1), second)
    }

    /// The pair with the later one, or the other, some executions on.
    func moved(
        later steps: Int = 0, earlier others: Int = 0, of attempts: [AttemptRecord]
    ) -> AttemptPair {
        guard let (first, second) = chosen(of: attempts) else { return self }
        let last = min(max(1, second + steps), attempts.count - 1)
        guard others != 0 else { return AttemptPair(later: attempts[last].number) }
        let other = min(max(0, first + others), last - 1)
        return AttemptPair(later: attempts[last].number, earlier: attempts[other].number)
    }
}

/// Two executions of one task side by side: what differs, and in a word what does not.
struct AttemptDifference {
    let earlier: AttemptRecord
    let later: AttemptRecord
    /// The payload with which each ran, and who changed it in between.
    let payloads: (earlier: [UInt8], later: [UInt8])
    let editors: [String]
    /// Whether the runner of an execution without an end died.
    let isLost: Bool
    let names: TaskNames
    let clock: ScreenClock
    let glyphs: GlyphSet
    let width: Int

    private var columns: SideBySide { SideBySide(labelWidth: 9, width: width, glyphs: glyphs) }

    var lines: [StyledLine] {
        var same: [String] = []
        let columns = columns
        var lines = [columns.row("", heading(earlier), heading(later))]
        for (label, left, right) in facts {
            guard left != right else {
                if left != Self.none { same.append(label) }
                continue
            }
            lines += columns.rows(
                label, left, right, role(label, earlier, left), role(label, later, right))
        }
        lines += section("log", earlier.shownLog, later.shownLog, &same)
        if payloads.earlier == payloads.later {
            same.append("payload")
        } else {
            let who = editors.isEmpty ? "" : "edited by \(editors.joined(separator: ", "))"
            lines.append([Span(columns.padded("payload"), .quiet), Span(who, .time)])
            lines += PayloadDifference(before: payloads.earlier, after: payloads.later)
                .lines(limit: 40, glyphs: glyphs).map { [Span("  ")] + $0 }
        }
        if !same.isEmpty {
            lines.append([
                Span(columns.padded("the same"), .quiet),
                Span(same.joined(separator: ", "), .quiet),
            ])
        }
        return lines
    }

    private static let none = "none"

    private var facts: [(String, String, String)] {
        func took(_ attempt: AttemptRecord) -> String {
            let goesOn = attempt.endedAt == nil && !isLost
            let age = goesOn ? DurationText.taken(clock.realNow - attempt.startedAt) : nil
            return AttemptText(attempt).took ?? age ?? Self.none
        }
        func outcome(_ attempt: AttemptRecord) -> String {
            let word = AttemptText(attempt, isLost: isLost).ending
            return attempt.outcome == nil || attempt.isCounted ? word : "\(word), not counted"
        }
        func then(_ attempt: AttemptRecord) -> String {
            AttemptText(attempt).rest.map { names.text($0) } ?? Self.none
        }
        return [
            ("outcome", outcome(earlier), outcome(later)),
            ("error", earlier.error ?? Self.none, later.error ?? Self.none),
            ("took", took(earlier), took(later)),
            ("worker", "\(earlier.runner)", "\(later.runner)"),
            ("then", then(earlier), then(later)),
        ]
    }

    private func heading(_ attempt: AttemptRecord) -> String {
        let time = clock.moment(of: attempt)
        let long = "attempt \(attempt.number)  \(time)"
        return DisplayText.width(long) <= columns.columnWidth ? long : "\(attempt.number)  \(time)"
    }

    private func role(_ label: String, _ attempt: AttemptRecord, _ text: String) -> Role {
        if text == Self.none { return .quiet }
        switch label {
        case "outcome": return attempt.outcome?.role ?? (isLost ? .failed : .running)
        case "error": return .failed
        default: return .text
        }
    }

    private func section(
        _ label: String, _ left: [String], _ right: [String], _ same: inout [String]
    ) -> [StyledLine] {
        guard left != right else {
            if !left.isEmpty { same.append(label) }
            return []
        }
        return [StyledLine(label, .quiet)]
            + LineDifference(left, right).lines(limit: 40, glyphs: glyphs).map { [Span("  ")] + $0 }
    }
}

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
