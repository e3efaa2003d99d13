import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// View 5: what fails now in the queue, by what the errors have in common.
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
        let count = (
            failed: NumberText.grouped(failures.map(\.failedForGood).max() ?? 0).utf8.count,
            retrying: NumberText.grouped(failures.map(\.retrying).max() ?? 0).utf8.count + 1
        )
        let gap = contentWidth >= 60 ? 2 : 1
        let moments = (since: width(.since, failures), rate: width(.rate, failures))
        let columns = Columns(
            kinds.map { $0.column(error, types, count, moments, isNarrow: gap == 1) }, gap: gap)
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
        guard var y = layout.nextY, let failure = state.selectedFailure else { return }
        if layout.hasParts, let traits = state.scene?.traits, traits.kind == failure.kind {
            let room = layout.rows.height - window.visible.count - 2
            y -= paintTraits(traits, y: y, limit: room > 1 ? 2 : 1)
        }
        let isCut = window.visible.count < failures.count
        let place = isCut ? "\(window.cursor + 1) of \(failures.count)\(separator)" : ""
        paintFailure(failure, place, y: y)
    }

    /// Reports that no task has failed, and counts retrying tasks.
    private mutating func paintNoFailure() {
        let none = "No task has failed permanently\(state.isAll ? "" : " in this queue")"
        let isWaiting = state.retryingCount > 0
        let passing = state.passingFailures
        if !isWaiting, passing == nil, let elsewhere = state.failuresElsewhere {
            return putEmpty(
                "\(none).",
                "In other queues \(Self.words(elsewhere)): \(state.key(.detail)) lists them.",
                command: "failures")
        }
        guard isWaiting || passing != nil else {
            return putEmpty(
                none + ".",
                "Tasks without attempts left are listed here, by their errors.",
                command: nil)
        }
        let retrying = isWaiting || passing == nil ? retryingWords : "no task waits for a retry"
        let others = state.failuresElsewhere.map {
            "; in other queues \(Self.words($0)) (\(glyphs[.all]) all)"
        }
        let there = [passing, retrying].compactMap(\.self).joined(separator: ", ") + (others ?? "")
        let enter = state.key(.detail)
        putEmpty(
            "\(none); \(there).",
            isWaiting
                ? "\(enter) lists waiting tasks, or from a shell, by the errors:"
                : "\(enter) shows the log of the last hour, or from a shell:",
            command: isWaiting ? retryingCommand : logCommand)
    }

    /// `80 tasks failed and 12 wait for a retry`.
    private static func words(_ elsewhere: (failed: Int, retrying: Int)) -> String {
        let retrying = NumberText.grouped(elsewhere.retrying)
        let wait = elsewhere.retrying == 1 ? "waits for a retry" : "wait for a retry"
        guard elsewhere.failed > 0 else {
            return "\(NumberText.tasks(elsewhere.retrying)) \(wait)"
        }
        let failed = "\(NumberText.tasks(elsewhere.failed)) failed"
        return elsewhere.retrying > 0 ? "\(failed) and \(retrying) \(wait)" : failed
    }

    /// `3 tasks wait for a retry`.
    private var retryingWords: String {
        let count = state.shownRetrying
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

    /// Below the rows: the tasks that still retry.
    private mutating func paintRetrying(y: Int) {
        guard state.shownRetrying > 0, y < layout.rows.maxY else { return }
        let words = StyledLine(retryingWords, .time)
        let command = StyledLine("  $ sluice \(retryingCommand)", .quiet)
        // A part of a command is of no use.
        let fits = words.width + command.width <= contentWidth
        buffer.put(fits ? words + command : words, x: contentX, y: y, maxWidth: contentWidth)
    }

    /// The width of a column's widest cell: a figure or a moment is dropped, not cut.
    private func width(_ column: FailureColumn, _ failures: [FailureGroup]) -> Int {
        failures.map { cell(column, $0, width: 0).width }.max() ?? 0
    }

    private func cell(
        _ column: FailureColumn, _ failure: FailureGroup, width: Int
    ) -> StyledLine {
        switch column {
        case .failed: return number(failure.failedForGood, .failed)
        case .retrying:
            return number(failure.retrying, .time, plus: state.scene?.failing.isCut == true)
        case .since:
            guard let since = failure.since else { return StyledLine(glyphs[.dash], .faint) }
            return StyledLine((since.isEstimate ? "~" : "") + clock.real.time(since.at))
        case .rate:
            guard let rate = failure.rate, rate.perMinute > 0 else {
                return StyledLine(glyphs[.dash], .faint)
            }
            let figure = NumberText.grouped(rate.perMinute)
            return StyledLine("\(rate.isEstimate ? "~" : "")\(figure)/min", .failed)
        case .hour:
            let parts = failure.lastHour.map(Double.init)
            guard parts.contains(where: { $0 > 0 }) else { return StyledLine("") }
            let spark = Sparkline(parts).text(width: min(width, parts.count), glyphs: glyphs)
            return StyledLine(spark, Role.failed.inBar)
        case .error: return StyledLine(ErrorLine.cause(of: failure.text))
        case .types:
            return StyledLine(failure.typeNames, .quiet)
        }
    }

    private func number(_ count: Int, _ role: Role, plus: Bool = false) -> StyledLine {
        guard count > 0 else { return StyledLine(glyphs[.dash], .faint) }
        return StyledLine(NumberText.grouped(count) + (plus ? "+" : ""), role, emphasis: true)
    }

    /// The common traits of the tasks in the chosen row, with their last line at `y`; gives how
    /// many lines they took.
    private mutating func paintTraits(_ traits: FailureTraits, y: Int, limit: Int) -> Int {
        var words = traits.words()
        if traits.traits.isEmpty { words.insert("nothing that others have not", at: 0) }
        let line: StyledLine = [
            Span("in common: ", .quiet), Span(words.joined(separator: separator)),
        ]
        let rows = line.wrapped(to: contentWidth, indent: 2, glyphs: glyphs)
        let shown = rows.count <= limit ? rows : [line]
        for (row, text) in shown.enumerated() {
            buffer.put(
                text, x: contentX, y: y - shown.count + 1 + row, maxWidth: contentWidth)
        }
        return shown.count
    }

    /// The chosen row, its known facts, and its keys.
    private mutating func paintFailure(_ failure: FailureGroup, _ place: String, y: Int) {
        // A moment is not cut to another one.
        let since = failure.since ?? FailureStart(at: failure.first, isEstimate: true)
        let sign = since.isEstimate ? "~" : ""
        let moments = [("since \(sign)", since.at), ("last ", failure.last)]
            .filter { $0.1 != .unknown }
            .map { word, moment in
                let real = clock.real
                let short = real.format == .relative ? ["\(real.age(moment)) ago"] : []
                return ([real.time(moment), real.time(moment, seconds: false)] + short).map {
                    StyledLine([Span("\(separator)\(word)", .quiet), Span($0)])
                }
            }
        // The row shows the number as well. The first moment is worth more.
        let first = moments.first?.map(\.width).min() ?? 0
        let heads = ["\(NumberText.grouped(failure.total))", "them"].map { count in
            StyledLine([
                Span(place, .quiet), Span(state.key(.detail), .key),
                Span(" its tasks\(separator)", .quiet), Span(state.key(.retry), .key),
                Span(" retries \(count)", .quiet),
            ])
        }
        var text = heads.first { $0.width + first <= contentWidth } ?? heads[0]
        for forms in moments {
            guard let moment = forms.first(where: { text.width + $0.width <= contentWidth })
            else { break }
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
    case failed, retrying, since, hour, rate, error, types

    /// The column; `error` is the width of the widest error, `types` of the widest list of types,
    /// `count` of the longest counts, `moments` of the cells of two columns.
    func column(
        _ error: Int, _ types: Int, _ count: (failed: Int, retrying: Int),
        _ moments: (since: Int, rate: Int), isNarrow: Bool
    ) -> Column {
        switch self {
        case .failed:
            Column("failed", alignment: .right, minimum: max(6, count.failed), priority: 9)
        case .retrying:
            Column("retrying", alignment: .right, minimum: max(8, count.retrying), priority: 7)
        case .since: Column("since", minimum: max(8, moments.since), maximum: 9, priority: 6)
        case .hour: Column("last hour", minimum: 12, maximum: 12, priority: 4)
        case .rate:
            Column(
                "rate", alignment: .right, minimum: max(7, moments.rate), maximum: 11, priority: 5)
        case .error:
            Column(
                "error", minimum: isNarrow ? min(max(24, error), 32) : 22,
                ideal: min(max(24, error), 60), maximum: max(24, error), priority: 8,
                isFlexible: true)
        case .types:
            Column(
                "types", minimum: 6, ideal: min(24, types), maximum: max(6, types), priority: 3,
                isFlexible: true)
        }
    }
}

extension FailureGroup {
    fileprivate var typeNames: String { types.map(\.name).joined(separator: ", ") }
    /// The number of failures without a further retry.
    fileprivate var failedForGood: Int { isRetrying ? 0 : count }
}
