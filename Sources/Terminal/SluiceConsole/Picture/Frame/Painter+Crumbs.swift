import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The way to the page on top: `billing › failures › TaxError › #182`.
extension Painter {
    /// The crumbs in a width, without the first ones if they do not fit.
    func crumbs(room: Int) -> StyledLine {
        let mark = glyphs == .ascii ? " > " : " › "
        var rest = state.crumbs[...]
        func width() -> Int {
            rest.reduce(0) { $0 + DisplayText.width($1) } + (rest.count - 1) * mark.count
        }
        var line = StyledLine()
        if rest.count > 1, width() > room {
            line.append("\(glyphs[.ellipsis])\(mark)", .quiet)
            while rest.count > 1, width() + line.width > room { rest.removeFirst() }
        }
        for (place, crumb) in rest.enumerated() {
            let isLast = place == rest.count - 1
            line.append(place == 0 ? crumb : mark + crumb, isLast ? .title : .quiet)
        }
        return line
    }
}

extension ConsoleState {
    /// Queue, view, filter and pages; empty without a page.
    var crumbs: [String] {
        guard !pages.isEmpty else { return [] }
        var found: [String] = []
        if !view.isWhole { found.append(isAll ? "all" : selectedQueue ?? "") }
        let isFiltered = view == .inventory && list.filter != nil
        let from = view != .inventory ? view : isFiltered ? list.cameFrom : nil
        if let from { found.append(from.name) }
        if isFiltered, let filter = list.filter {
            let words = list.cameFrom == nil ? nil : list.cameFromWords
            found.append(
                DisplayText.truncated(
                    words ?? filter.description, to: 24, glyphs: settings.glyphs))
        }
        for page in pages { found += crumbs(of: page) }
        return found.filter { !$0.isEmpty }.reduce(into: []) { crumbs, crumb in
            if crumbs.last != crumb { crumbs.append(crumb) }
        }
    }

    private func crumbs(of page: Page) -> [String] {
        switch page {
        case .why(let id, _): [names.name(id), "why"]
        case .detail(let id, _): [names.name(id)]
        case .help: ["keys"]
        case .settings(let queue, _): [queue, "settings"]
        case .text(let title, _, _): [title.split(separator: " ").first.map(String.init) ?? ""]
        case .difference: ["difference"]
        case .changed(let task, _): [task.title(names)]
        case .timeline: ["timeline"]
        }
    }
}
