import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The pages over a view: why, a task, help, text.
extension Painter {
    mutating func paintPage() {
        guard let page = state.page else { return }
        switch page {
        case .why(let id, let choice):
            paintHeadline(y: layout.body.y, about: id)
            paintWhy(id, choice)
        case .detail(let id, let place):
            paintHeadline(y: layout.body.y, about: id)
            guard let text = state.detailText(place, width: layout.pageRect.width),
                text.detail.line.task.id == id
            else { return paintWaiting(id) }
            paintLines(text.lines, top: state.shownTop(place), marking: state.hits)
        case .help(let top, let find):
            paintTitle(find.isEmpty ? "Keys" : "Keys with \"\(find)\"")
            let lines = state.helpText(find, width: layout.pageRect.width).lines
            if lines.isEmpty { return putLine("no key or command has that in its help") }
            paintLines(lines, top: top)
        case .text(let title, let lines, let top):
            paintTitle("sluice \(title)")
            paintLines(
                lines.lazy.map { StyledLine($0) }, top: top, marking: state.lettersInText)
        case .difference(let page): paintDifference(page)
        case .changed(let task, let top):
            paintTitle("\(task.title(state.names)): before and after")
            paintLines(state.lines(of: task, width: layout.pageRect.width), top: top)
        case .settings(let queue, let choice): paintSettings(queue, choice)
        case .timeline(let page): paintTaskTimeline(page)
        }
    }

    private mutating func putLine(_ text: String) {
        buffer.put(text, x: contentX, y: layout.pageRect.y, role: .quiet, maxWidth: contentWidth)
    }

    mutating func paintTitle(_ title: String) {
        buffer.put(
            title, x: contentX, y: layout.body.y, role: .title, emphasis: true,
            maxWidth: contentWidth)
    }

    mutating func paintWaiting(_ id: TaskID) {
        buffer.put(
            "reading \(state.names.name(id))", x: contentX, y: layout.pageRect.y, role: .quiet)
    }

    /// Lines of a page from `top`, and how many there are where some are not seen.
    mutating func paintLines(
        _ lines: some RandomAccessCollection<StyledLine>, top: Int,
        marking hits: [FoldedLetters] = []
    ) {
        let area = layout.pageRect
        let first = min(max(0, top), max(0, lines.count - area.height))
        for (row, line) in lines.dropFirst(first).prefix(area.height).enumerated() {
            let line = hits.isEmpty ? line : line.marking(hits)
            buffer.put(line, x: area.x, y: area.y + row, maxWidth: area.width)
        }
        paintPlace(first, min(lines.count, first + area.height), of: lines.count)
    }

    /// Paints the range of visible lines, if some are hidden.
    mutating func paintPlace(_ first: Int, _ last: Int, of count: Int) {
        guard last - first < count else { return }
        let text = "\(first + 1)\(glyphs == .ascii ? "-" : "–")\(last) of \(count)"
        let x = contentX + contentWidth - DisplayText.width(text)
        let y = layout.isRoomy ? layout.pageRect.y - 1 : layout.body.y
        var lead = " "
        // An ellipsis shows that the covered line continues.
        if !layout.isRoomy, case .detail? = state.page { lead = "\(glyphs[.ellipsis]) " }
        buffer.put(lead + text, x: x - DisplayText.width(lead), y: y, role: .quiet)
    }
}

extension ConsoleState {
    /// The first visible line of a task's page.
    func shownTop(_ place: DetailPlace) -> Int {
        guard place.follows else { return place.top }
        let page = layout.pageRect
        let tail = detailText(place, width: page.width)?.tailTop(height: page.height) ?? 0
        return max(place.top, tail)
    }

    /// How many lines the page on top has, for scrolling.
    var pageLineCount: Int {
        let width = layout.pageRect.width
        switch page {
        case .detail(_, let place): return detailText(place, width: width)?.lines.count ?? 0
        case .help(_, let find): return helpText(find, width: width).lines.count
        case .text(_, let lines, _): return lines.count
        case .difference(let page): return page.lines.count
        case .changed(let task, _): return lines(of: task, width: width).count
        case .why, .settings, .timeline, nil: return 0
        }
    }
}
