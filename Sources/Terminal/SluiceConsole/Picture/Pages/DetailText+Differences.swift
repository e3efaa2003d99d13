import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The changes of a task: between two attempts, and between versions of its payload.
extension DetailText {
    var differenceTitle: String {
        let later = [Action.ID.olderAttempt, .newerAttempt].compactMap { keys.name(of: $0) }
        let earlier = [Action.ID.withOlder, .withNewer].compactMap { keys.name(of: $0) }
        guard detail.attempts.count > 2 else { return "difference" }
        return "difference  \(later.joined(separator: " ")) another attempt  "
            + "\(earlier.joined(separator: " ")) next to another"
    }

    var difference: [StyledLine] {
        guard let (first, second) = place.pair.chosen(of: detail.attempts) else { return [] }
        let (earlier, later) = (detail.attempts[first], detail.attempts[second])
        func payload(_ attempt: AttemptRecord) -> [UInt8] {
            changes.payload(at: attempt.endSequence, current: detail.payload)
        }
        let end = later.endSequence == 0 ? Int64.max : later.endSequence
        let between = changes.filter {
            $0.undoneAt == nil && $0.sequence > earlier.endSequence && $0.sequence < end
        }
        var editors: [String] = []
        for change in between where !editors.contains(change.by) { editors.append(change.by) }
        return AttemptDifference(
            earlier: earlier, later: later, payloads: (payload(earlier), payload(later)),
            editors: editors, isLost: detail.line.isLost, names: names, clock: clock,
            glyphs: glyphs,
            width: width - 2
        ).lines
    }

    /// The edits of the payload, newest first, each with its changes.
    var versions: [StyledLine] {
        changes.indices.reversed().flatMap { index -> [StyledLine] in
            let change = changes[index]
            var line: StyledLine = [
                Span("\(clock.real.time(change.at))  ", .quiet), Span("edited by \(change.by)"),
            ]
            if let end = change.undoneAt {
                line.append("  taken back \(clock.real.time(end))", .quiet)
            }
            guard let after = changes.payload(after: index, current: detail.payload) else {
                return [line]
            }
            let difference = PayloadDifference(before: change.before, after: after)
            return [line] + difference.lines(limit: 12, glyphs: glyphs).map { [Span("  ")] + $0 }
        }
    }
}

extension ConsoleState {
    /// The text of a task's page, or `nil` until the task is loaded.
    func detailText(_ place: DetailPlace, width: Int) -> DetailText? {
        scene.flatMap { scene in
            scene.detail.map { detail in
                DetailText(
                    detail: detail, changes: scene.payloadChanges, output: scene.output,
                    outputTrouble: scene.outputTrouble, place: place, names: names,
                    clock: clock, glyphs: settings.glyphs, keys: settings.keys, width: width)
            }
        }
    }

    /// Compares other executions. An invisible comparison is only scrolled into view.
    mutating func compare(later: Int = 0, earlier: Int = 0) {
        guard case .detail(let id, var place)? = page, let attempts = scene?.detail?.attempts
        else { return }
        let height = layout.pageRect.height
        let text = detailText(place, width: layout.pageRect.width)
        if let top = text?.differenceTop, place.top > top || top + 4 > place.top + height {
            let last = max(0, pageLineCount - height)
            place.top = min(top, last)
        } else {
            place.pair = place.pair.moved(later: later, earlier: earlier, of: attempts)
        }
        pages[pages.count - 1] = .detail(id, place)
    }
}
