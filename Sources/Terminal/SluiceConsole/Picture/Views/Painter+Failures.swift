import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// View 5: the failed tasks of the queue by what their errors have in common.
extension Painter {
    mutating func paintFailures() {
        let failures = state.scene?.failures ?? []
        guard !failures.isEmpty else {
            if let system = state.scene?.queue?.system {
                return putEmpty(
                    "No failed task of this queue was found.",
                    "Not every system keeps what failed (docs/foreign.md): \(system)", command: nil)
            }
            return paintNoFailure()
        }
        let error = failures.map { DisplayText.width(ErrorLine.cause(of: $0.text)) }.max() ?? 0
        let types = failures.map { DisplayText.width($0.typeNames) }.max() ?? 0
        let kinds = FailureColumn.allCases
        let count = NumberText.grouped(failures.map(\.count).max() ?? 0).utf8.count
        let gap = contentWidth >= 60 ? 2 : 1
        let columns = Columns(kinds.map { $0.column(error, types, count) }, gap: gap)
        let frames = columns.layout(width: contentWidth)
        buffer.putHeadings(
            columns, frames, x: contentX, y: layout.headingsY, isBold: hasKeys)
        let window = state.cursors[.failures]?.window ?? ScrollWindow(height: layout.rowsHeight)
        for index in window.visible.clamped(to: 0..<failures.count) {
            let y = layout.rows.y + index - window.visible.lowerBound
            guard y < layout.rows.maxY else { break }
            if index == window.cursor { paintCursor(y: y) }
            for frame in frames {
                buffer.put(
                    cell(kinds[frame.index], failures[index], width: frame.width), in: frame,
                    alignment: columns.all[frame.index].alignment, x: contentX, y: y)
            }
        }
        if state.scene?.queue?.system == nil {
            paintRetrying(y: layout.rows.y + window.visible.count + 1)
        }
        guard let y = layout.nextY, let failure = state.selectedFailure else { return }
        let isCut = window.visible.count < failures.count
        let place = isCut ? "\(window.cursor + 1) of \(failures.count)\(separator)" : ""
        paintFailure(failure, place, y: y)
    }

    /// That nothing was given up, and what is on its way there.
    private mutating func paintNoFailure() {
        let none = "No task has failed for good\(state.isAll ? "" : " in this queue")"
        let isWaiting = state.retryingCount > 0
        let passing = state.passingFailures
        guard isWaiting || passing != nil else {
            return putEmpty(
                none + ".",
                "A task whose attempts are used up stands here, with others of its error.",
                command: nil)
        }
        let retrying = isWaiting || passing == nil ? retryingWords : "no task waits for a retry"
        let there = [passing, retrying].compactMap(\.self).joined(separator: ", ")
        let enter = state.key(.detail)
        putEmpty(
            "\(none); \(there).",
            isWaiting
                ? "\(enter) lists what waits, or from a shell, by the errors:"
                : "\(enter) shows the log of the last hour, or from a shell:",
            command: isWaiting ? retryingCommand : logCommand)
    }

    /// `3 tasks wait for a retry`.
    private var retryingWords: String {
        let count = state.retryingCount
        return "\(NumberText.tasks(count)) \(count == 1 ? "waits" : "wait") for a retry"
    }

    private var retryingCommand: String {
        guard !state.isAll, let queue = state.selectedQueue else { return "failures --retrying" }
        return ShellWord.command("failures", queue, " --retrying")
    }

    private var logCommand: String {
        guard !state.isAll, let queue = state.selectedQueue else { return "log --since 1h" }
        return "log --queue \(ShellWord.quoted(queue)) --since 1h"
    }

    /// Below the rows: what is not given up yet.
    private mutating func paintRetrying(y: Int) {
        guard state.retryingCount > 0, y < layout.rows.maxY else { return }
        let line: StyledLine = [
            Span(retryingWords, .time), Span("  $ sluice \(retryingCommand)", .quiet),
        ]
        buffer.put(line, x: contentX, y: y, maxWidth: contentWidth)
    }

    private func cell(
        _ column: FailureColumn, _ failure: FailureGroup, width: Int
    ) -> StyledLine {
        switch column {
        case .tasks: return StyledLine(NumberText.grouped(failure.count), .failed, emphasis: true)
        case .last: return StyledLine(clock.real.age(failure.last), .quiet)
        case .hour:
            let parts = failure.lastHour.map(Double.init)
            guard parts.contains(where: { $0 > 0 }) else { return StyledLine("") }
            let spark = Sparkline(parts).text(width: min(width, parts.count), glyphs: glyphs)
            return StyledLine(spark, Role.failed.inBar)
        case .error: return StyledLine(ErrorLine.cause(of: failure.text))
        case .types:
            return StyledLine(failure.typeNames, .quiet)
        case .tries:
            let mean = Double(failure.attempts) / Double(max(1, failure.count))
            let tenths = Int((mean * 10).rounded())
            let text = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
            return StyledLine(text, .quiet)
        }
    }

    /// Which row is chosen, what is known of it, and what its keys do.
    private mutating func paintFailure(_ failure: FailureGroup, _ place: String, y: Int) {
        var text: StyledLine = [
            Span(place, .quiet), Span(state.key(.detail), .key),
            Span(" its tasks\(separator)", .quiet),
            Span(state.key(.retry), .key),
            Span(" retries \(NumberText.grouped(failure.count))", .quiet),
        ]
        // A moment is not cut to another one.
        let moments = [("first", failure.first), ("last", failure.last)].map { word, moment in
            StyledLine([
                Span("\(separator)\(word) ", .quiet), Span(clock.real.time(moment)),
            ])
        }
        for moment in moments where text.width + moment.width <= contentWidth {
            text = text + moment
        }
        if failure.types.count > 1 {
            let types = failure.types.prefix(3).map { "\($0.name) \(NumberText.grouped($0.count))" }
            text.append("\(separator)\(types.joined(separator: ", "))", .quiet)
        }
        buffer.put(text, x: contentX, y: y, maxWidth: contentWidth)
    }
}

/// A column of view 5.
private enum FailureColumn: CaseIterable {
    case tasks, last, hour, error, types, tries

    /// The column; `error` is the width of the widest error, `types` of the widest list of types,
    /// `count` of the longest count.
    func column(_ error: Int, _ types: Int, _ count: Int) -> Column {
        switch self {
        case .tasks: Column("tasks", alignment: .right, minimum: max(5, count), priority: 9)
        case .last: Column("last", alignment: .right, minimum: 5, maximum: 9, priority: 7)
        case .hour: Column("last hour", minimum: 9, ideal: 12, maximum: 12, priority: 3)
        case .error:
            Column(
                "error", minimum: 24, ideal: min(max(24, error), 60), maximum: max(24, error),
                priority: 8, isFlexible: true)
        case .types:
            Column(
                "types", minimum: 6, ideal: min(24, types), maximum: max(6, types), priority: 4,
                isFlexible: true)
        case .tries: Column("tries", alignment: .right, minimum: 5, maximum: 5, priority: 2)
        }
    }
}

extension FailureGroup {
    fileprivate var typeNames: String { types.map(\.name).joined(separator: ", ") }
}
