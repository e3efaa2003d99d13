import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The places of a fleet, each with its queues.
extension Painter {
    mutating func paintFleet() {
        let fleet = state.scene?.fleet ?? FleetReading(places: [])
        let title: StyledLine = [
            Span("places", .title, emphasis: true),
            Span(
                "  with their queues; \(state.key(.detail)) goes into one, 0 comes back", .quiet),
        ]
        buffer.put(title, x: contentX, y: layout.body.y, maxWidth: contentWidth)
        let rows = fleet.rows
        let columns = fleetColumns(rows)
        let frames = columns.layout(width: contentWidth)
        buffer.putHeadings(columns, frames, x: contentX, y: layout.headingsY, isBold: hasKeys)
        let window = state.cursors[.fleet]?.window ?? ScrollWindow(height: layout.rowsHeight)
        for index in window.visible.clamped(to: 0..<rows.count) {
            let y = layout.rows.y + index - window.visible.lowerBound
            guard y < layout.rows.maxY else { break }
            if index == window.cursor { paintCursor(y: y) }
            paintFleetRow(rows[index], columns, frames, y: y)
        }
        if let y = layout.nextY { paintChosenPlace(in: fleet, y: y) }
    }

    private func fleetColumns(_ rows: [FleetRow]) -> Columns {
        let names = rows.map { row in
            switch row {
            case .place(let place): DisplayText.width(short(place.name))
            case .queue(_, let line, _): DisplayText.width(line.name)
            case .alert(let place, _): DisplayText.width(short(place))
            case .all, .moreAlerts, .rest: 0
            }
        }
        let states = rows.map { DisplayText.width(fleetState($0)?.text ?? "") }
        func number(_ heading: String, priority: Int, minimum: Int = 6) -> Column {
            Column(heading, alignment: .right, minimum: minimum, maximum: 9, priority: priority)
        }
        return Columns(
            [
                Column("", minimum: 1, priority: 20),
                Column(
                    "place, queue", minimum: 12, ideal: min(names.max() ?? 12, 40),
                    maximum: max(12, min((names.max() ?? 12) + 2, 60)), priority: 19,
                    isFlexible: true),
                // A reason begins here and has the rest of the line.
                Column(
                    "state", minimum: 10, ideal: min(states.max() ?? 10, 24), priority: 18,
                    isFlexible: true),
                number("waits", priority: 17),
                number("failed", priority: 16),
                number("held", priority: 13, minimum: 5),
                number("runs", priority: 14, minimum: 5),
                number("oldest", priority: 15),
            ], gap: contentWidth >= 70 ? 2 : 1)
    }

    private mutating func paintFleetRow(
        _ row: FleetRow, _ columns: Columns, _ frames: [ColumnFrame], y: Int
    ) {
        for frame in frames {
            buffer.put(
                fleetCell(row, frame), in: frame, alignment: columns.all[frame.index].alignment,
                x: contentX, y: y)
        }
        // A reason is longer than a state, and the columns of a silent place have no news.
        guard let words = longWords(row), let state = frames.first(where: { $0.index == 2 }) else {
            return
        }
        let x = contentX + state.x
        let width = max(0, contentX + contentWidth - x)
        buffer.put(
            StyledLine(DisplayText.paddedRight(words, to: width), .failed), x: x, y: y,
            maxWidth: width)
    }

    /// The words that take the rest of a row: why a place does not answer, or a condition.
    private func longWords(_ row: FleetRow) -> String? {
        switch row {
        case .place(let place): placeTrouble(place)
        case .alert(_, let alert): alert.text
        case .all, .moreAlerts, .queue, .rest: nil
        }
    }

    /// The name of a place as short as it differs from the others.
    private func short(_ name: String) -> String {
        PlaceName.short(name, among: state.settings.fleet)
    }

    private func placeTrouble(_ place: FleetPlace) -> String? {
        guard let trouble = place.trouble(at: clock.realNow) else { return nil }
        guard case .away(_, let since, _) = place.state else { return trouble }
        return "away \(clock.real.sinceWords(since)): \(trouble)"
    }

    private func fleetState(_ row: FleetRow) -> StyledLine? {
        switch row {
        case .all(let totals):
            guard let totals else { return nil }
            let words = [placeWords(totals), queueWords(totals)]
            return StyledLine(words.joined(separator: separator), .quiet)
        case .place(let place):
            guard let summary = place.summary else { return nil }
            let words = [place.kind, summary.workerWords].compactMap(\.self)
            return StyledLine(words.joined(separator: separator), .quiet)
        case .queue(_, _, true): return StyledLine("away", .quiet)
        case .queue(_, let line, false):
            let look = QueueLook(line)
            return StyledLine(look.word, look.role)
        case .alert, .moreAlerts, .rest: return nil
        }
    }

    private func placeWords(_ totals: FleetTotals) -> String {
        totals.placeCount == 1 ? "1 place" : "\(NumberText.grouped(totals.placeCount)) places"
    }

    private func queueWords(_ totals: FleetTotals) -> String {
        let count = NumberText.grouped(totals.queueCount)
        guard !totals.isPartial else { return "\(count)+ queues" }
        return totals.queueCount == 1 ? "1 queue" : "\(count) queues"
    }

    private func fleetCell(_ row: FleetRow, _ frame: ColumnFrame) -> StyledLine {
        if frame.index == 2 { return fleetState(row) ?? StyledLine() }
        switch row {
        case .all(let totals): return allCell(totals, frame)
        case .alert(let place, _):
            if frame.index == 0 { return StyledLine(glyphs[.failed], .failed) }
            return frame.index == 1 ? StyledLine(short(place), .quiet) : StyledLine()
        case .moreAlerts(let count):
            guard frame.index == 1 else { return StyledLine() }
            return StyledLine("\(NumberText.grouped(count)) more", .quiet)
        case .place(let place): return placeCell(place, frame)
        case .queue(_, let line, let isAway): return queueCell(line, frame, isAway: isAway)
        case .rest(_, let count):
            guard frame.index == 1 else { return StyledLine() }
            return StyledLine("  \(NumberText.grouped(count)) more", .quiet)
        }
    }

    private func allCell(_ totals: FleetTotals?, _ frame: ColumnFrame) -> StyledLine {
        if frame.index == 0 { return StyledLine(glyphs[.all], .quiet) }
        if frame.index == 1 { return StyledLine("all", .title, emphasis: true) }
        guard let totals else { return StyledLine() }
        let (isAbout, isBound) = (totals.isAbout, totals.isBounded || totals.isPartial)
        switch frame.index {
        case 3: return count(totals.counts[.waiting], .title, frame, isAbout, isBound)
        case 4: return count(totals.counts[.failed], .failed, frame, isAbout, isBound)
        case 5: return count(totals.held, .held, frame, isAbout, isBound)
        case 6: return count(totals.counts[.running], .running, frame, isAbout, isBound)
        default: return oldest(totals.oldest)
        }
    }

    private func placeCell(_ place: FleetPlace, _ frame: ColumnFrame) -> StyledLine {
        if frame.index == 0 { return StyledLine() }
        if frame.index == 1 { return StyledLine(short(place.name), .next, emphasis: true) }
        guard let summary = place.summary else { return StyledLine() }
        let (isAbout, isBound) = (summary.isEstimated, summary.isBounded)
        switch frame.index {
        case 3: return count(summary.counts[.waiting], .title, frame, isAbout, isBound)
        case 4: return count(summary.counts[.failed], .failed, frame, isAbout, isBound)
        case 5: return count(summary.held, .held, frame, isAbout, isBound)
        case 6: return count(summary.counts[.running], .running, frame, isAbout, isBound)
        default: return oldest(summary.oldest)
        }
    }

    private func queueCell(
        _ line: QueueLine, _ frame: ColumnFrame, isAway: Bool
    ) -> StyledLine {
        let (look, tally) = (QueueLook(line), line.tally)
        switch frame.index {
        case 0: return isAway ? StyledLine("?", .quiet) : StyledLine(glyphs[look.glyph], look.role)
        case 1: return StyledLine("  \(line.name)", isAway ? .quiet : .text)
        case 3:
            return count(
                tally.waiting, .text, frame, tally.isWaitingEstimated, tally.bounded.contains(.due))
        case 4:
            return count(
                tally.failed, .failed, frame, tally.estimated.contains(.failed),
                tally.bounded.contains(.failed))
        case 5: return count(tally.held, .held, frame, false, false)
        case 6:
            return count(
                tally.running + tally.taken, .running, frame, tally.estimated.contains(.running),
                tally.bounded.contains(.running))
        default: return oldest(line.overview.oldest)
        }
    }

    private func count(
        _ value: Int, _ role: Role, _ frame: ColumnFrame, _ isAbout: Bool, _ isBound: Bool
    ) -> StyledLine {
        guard value > 0 else { return StyledLine(glyphs[.dash], .faint) }
        let text = Figure.text(value, width: frame.width, isAbout: isAbout, isBound: isBound)
        return StyledLine(text, role)
    }

    private func oldest(_ moment: Timestamp?) -> StyledLine {
        moment.map { StyledLine(clock.real.age($0), .quiet) } ?? StyledLine(glyphs[.dash], .faint)
    }

    /// The whole words about the place at the cursor, or the command that opens it alone.
    private mutating func paintChosenPlace(in fleet: FleetReading, y: Int) {
        guard let row = state.fleetRow else { return }
        guard row.place != nil else { return paintAwayPlaces(in: fleet, y: y) }
        guard let place = fleet.places.first(where: { $0.name == row.place })
        else { return }
        if case .away(let error, _, _) = place.state {
            let words = error.fix.isEmpty ? error.message : "\(error.message): \(error.fix)"
            putText("\(place.name): \(words)", .failed, y: y - 1)
            return
        }
        let line: StyledLine = [
            Span("$ ", .quiet), Span("sluice \(ShellWord.quoted(place.name))", .text),
        ]
        buffer.put(line, x: contentX, y: y, maxWidth: contentWidth)
    }

    /// The names of the places that do not answer.
    private mutating func paintAwayPlaces(in fleet: FleetReading, y: Int) {
        let away = fleet.places.filter { $0.isAway(at: clock.realNow) }.map { short($0.name) }
        guard !away.isEmpty else { return }
        let words = "away: \(away.joined(separator: separator))"
        buffer.put(StyledLine(words, .failed), x: contentX, y: y, maxWidth: contentWidth)
    }

    /// The number of places, queues and tasks.
    func fleetFacts(_ fleet: FleetReading) -> String {
        let totals = FleetTotals(fleet.places)
        let away = fleet.places.count { $0.isAway(at: clock.realNow) }
        let tasks =
            totals.isBounded || totals.isPartial
            ? "\(NumberText.grouped(totals.taskCount))+ tasks"
            : NumberText.tasks(totals.taskCount)
        var parts = [
            placeWords(totals), queueWords(totals), (totals.isAbout ? "~" : "") + tasks,
        ]
        if away > 0 { parts.append("\(away) away") }
        return parts.joined(separator: separator)
    }
}

extension FleetPlace.Summary {
    /// The number of held tasks in the queues that were read.
    var held: Int { queues.reduce(0) { $0 + $1.tally.held } }

    /// The time of the oldest due task.
    var oldest: Timestamp? { queues.compactMap(\.overview.oldest).min() }

    /// `2 workers`, `no worker`; nil where they are not known.
    var workerWords: String? { Self.words(workers: workerCount, isListed: workers == .listed) }

    static func words(workers count: Int, isListed: Bool) -> String? {
        guard isListed || count > 0 else { return nil }
        return count == 0 ? "no worker" : count == 1 ? "1 worker" : "\(count) workers"
    }
}

/// The pane of queues with a heading for each place.
extension Painter {
    /// The heading of the place on the screen, which is the row for all its queues.
    mutating func paintShownPlace(y: Int) {
        guard let scene = state.scene else { return }
        paintQueueCursor(isSelected: state.isAll, y: y)
        let count = scene.runners.count
        let workers = FleetPlace.Summary.words(workers: count, isListed: scene.workers == .listed)
        var words = [state.settings.storeKind, workers].compactMap(\.self)
        if scene.storePauses.contains(where: { $0.direction.stopsWork }) { words.append("paused") }
        paintPlaceHeading(
            state.settings.storeName, StyledLine(words.joined(separator: separator), .quiet), y: y)
    }

    /// The places before or after the one on the screen, from a line on.
    mutating func paintNeighbours(
        _ rows: [FleetRow], _ columns: Columns, _ frames: [ColumnFrame], y first: Int
    ) {
        for (index, row) in rows.enumerated() {
            let y = first + index
            switch row {
            case .all(let totals): paintEverything(totals, columns, frames, y: y)
            case .alert, .moreAlerts: break
            case .place(let place): paintNeighbour(place, y: y)
            case .queue(_, let line, let isAway):
                paintQueue(line, columns, frames, y: y, isSelected: false, isAway: isAway)
            case .rest(_, let count):
                buffer.put("\(NumberText.grouped(count)) more", x: 3, y: y, role: .quiet)
            }
        }
    }

    /// `∗ all`: all places. On a narrow screen the others are not asked.
    private mutating func paintEverything(
        _ totals: FleetTotals?, _ columns: Columns, _ frames: [ColumnFrame], y: Int
    ) {
        for frame in frames {
            let text: StyledLine
            switch frame.index {
            case 0: text = StyledLine(glyphs[.all], .quiet)
            case 1: text = StyledLine("all")
            case 2: text = StyledLine(totals.map(placeWords) ?? "", .quiet)
            case 5:
                guard let totals else { continue }
                let isBound = totals.isBounded || totals.isPartial
                text = count(totals.counts[.waiting], .text, frame, totals.isAbout, isBound)
            default: text = StyledLine()
            }
            let alignment = columns.all[frame.index].alignment
            buffer.put(text, in: frame, alignment: alignment, x: 1, y: y)
        }
    }

    private mutating func paintNeighbour(_ place: FleetPlace, y: Int) {
        let words: StyledLine
        if case .away(_, let since, _) = place.state {
            words = StyledLine("away \(clock.real.sinceWords(since))", .failed)
        } else if let summary = place.summary {
            let facts = [place.kind, summary.workerWords].compactMap(\.self)
            words = StyledLine(facts.joined(separator: separator), .quiet)
        } else {
            words = StyledLine("no answer yet", .quiet)
        }
        paintPlaceHeading(place.name, words, y: y)
    }

    /// `shop/app.db  sqlite · 2 workers`
    private mutating func paintPlaceHeading(_ name: String, _ words: StyledLine, y: Int) {
        let width = layout.left.width - 2
        let short = PlaceName.short(name, among: state.settings.fleet)
        let line = StyledLine(short, .next, emphasis: true) + StyledLine("  ") + words
        buffer.put(line, x: 1, y: y, maxWidth: width)
    }
}
