import SluiceControl
import SluiceModel
import SluiceTerminalUI

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
            case .place(let place): paintNeighbour(place, y: y)
            case .queue(_, let line, let isAway):
                paintQueue(line, columns, frames, y: y, isSelected: false, isAway: isAway)
            case .rest(_, let count):
                buffer.put("\(NumberText.grouped(count)) more", x: 3, y: y, role: .quiet)
            }
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
