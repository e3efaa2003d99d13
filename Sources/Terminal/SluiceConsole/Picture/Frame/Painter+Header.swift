import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

extension Painter {
    /// Paints the top bar: the store on the left, unusual conditions and the clock on the right.
    mutating func paintHeader() {
        let width = layout.size.width
        buffer.paint(Rect(x: 0, y: 0, width: width, height: 1), background: .bar)
        var left: StyledLine = [
            Span("sluice", .next, emphasis: true), Span("  "),
            Span(shortName, .title, emphasis: true), Span("  "),
        ]
        var right = headerRight()
        let room = max(1, width - 1 - right.width) - 4 - left.width
        left = left + (state.pages.isEmpty ? [Span(facts(), .quiet)] : crumbs(room: room))
        right = tapeBar(room: width - left.width - right.width - 6) + right
        let rightX = max(1, width - 1 - right.width)
        buffer.put(right, x: rightX, y: 0, maxWidth: max(0, width - 1 - rightX))
        buffer.put(left, x: 1, y: 0, maxWidth: max(0, rightX - 3))
    }

    /// The last part of a path, of an SDK's folder `queue` its parent too: the whole is known to
    /// who opened it.
    private var shortName: String {
        PlaceName.short(state.settings.storeName, among: state.settings.fleet)
    }

    private func facts() -> String {
        if state.view == .fleet, let fleet = state.scene?.fleet { return fleetFacts(fleet) }
        var parts = [state.settings.storeKind]
        if !state.settings.isNotified { parts.append("polls each second") }
        if let scene = state.scene {
            let count = scene.runners.count
            if count > 0 { parts.append(count == 1 ? "1 worker" : "\(count) workers") }
            if case .unlisted = scene.workers {
                parts.append(count > 0 ? "others not known" : "workers not known")
            }
            let tasks = scene.taskCount
            let words =
                scene.isBounded ? "\(NumberText.grouped(tasks))+ tasks" : NumberText.tasks(tasks)
            parts.append((scene.estimated ? "~" : "") + words)
        }
        return parts.joined(separator: separator)
    }

    /// The unusual network state: a forced setting, or offline runners.
    private func networkWords(_ scene: LoadedScene) -> String? {
        let processes = scene.runners.map(\.process)
        switch NetworkView(forced: scene.forcedNetwork, processes: processes, now: clock.now) {
        case .forced(let isOn): return "network \(isOn ? "on" : "off") (forced)"
        case .online: return nil
        case .offline(let count, let all) where count == all: return "network off (measured)"
        case .offline(let count, let all): return "network off for \(count) of \(all) workers"
        }
    }

    /// The reason why the shown data is not current (K8).
    private static func word(for trouble: QueueError) -> String {
        switch trouble.code {
        case .storeBusy: "store busy"
        case .serverGone: "server away"
        case .damagedStore: "store damaged"
        default: "store gone"
        }
    }

    /// The store's clock, in amber if it differs from real time (G3).
    private var clockSpan: Span {
        guard let words = clockWords else {
            return Span(clock.header, state.freeze == nil ? .quiet : .time)
        }
        return Span(words, .time, emphasis: true)
    }

    /// The position on a tape as a bar. Empty for a store, or if the bar would be too short.
    private func tapeBar(room: Int) -> StyledLine {
        let width = min(30, layout.size.width / 8, room)
        guard let place = state.scene?.tape, width >= 6 else { return [] }
        let part = place.count == 0 ? 1 : Double(place.event) / Double(place.count)
        var line = ProgressBar(fraction: part, width: width).line(.time, glyphs: glyphs)
        line.append("  ", .quiet)
        return line
    }

    private func headerRight() -> StyledLine {
        var parts: [Span] = []
        if let trouble = state.reads.trouble, state.scene != nil {
            let since = clock.real.sinceWords(trouble.since)
            parts.append(Span("\(Self.word(for: trouble.error)) \(since)", .failed))
        }
        if let scene = state.scene {
            if scene.runners.isEmpty, scene.workers == .listed, scene.tape == nil {
                parts.append(Span("no worker", .time))
            }
            if let rows = scene.refusedRows {
                parts.append(Span("inbox: \(rows) refused (doctor)", .failed))
            }
            if let pause = scene.storePauses.first {
                let since = clock.sinceWords(pause.since)
                parts.append(Span("store paused by \(pause.by) \(since)", .time))
            }
            if scene.protectedName != nil { parts.append(Span("protected", .time)) }
            if let network = networkWords(scene) { parts.append(Span(network, .time)) }
        }
        if let place = state.scene?.tape {
            parts.append(Span("event \(place.event) of \(place.count)", .time))
        } else if state.settings.isReadOnly {
            parts.append(Span("read-only", .time))
        }
        if !state.marks.isEmpty {
            parts.append(Span("\(state.marks.count) marked", .title, emphasis: true))
        }
        if let freeze = state.freeze {
            let behind = freeze.changes == 1 ? "1 change" : "\(freeze.changes) changes"
            // Another system's changes are not counted, only looks.
            let words = isForeign ? "frozen" : "frozen, \(behind) behind"
            parts.append(Span(words, .time, emphasis: true))
        }
        if state.scene?.recording != nil {
            parts.append(Span("\(glyphs[.running]) recording", .running, emphasis: true))
        }
        parts.append(clockSpan)
        var line = StyledLine()
        for (index, part) in parts.enumerated() {
            if index > 0 { line.append(separator, .quiet) }
            line.spans.append(part)
        }
        return line
    }
}

/// The last hour by minute, in view 7 and in the preview: a lane of columns for each outcome, all
/// of one scale.
extension Painter {
    /// Paints the last hour of the selection, with a line of words above and times below.
    mutating func paintHour(in area: Rect) {
        guard let scene = state.scene, let hour = scene.lastHour, area.height > 2 else { return }
        let gutter = 7
        let scale = area.width - gutter >= 2 * LastHour.minutes ? 2 : 1
        let minutes = min(LastHour.minutes, (area.width - gutter) / scale)
        guard minutes >= 10 else { return }
        let all = OutcomeBars.lanes(of: hour, now: clock.realNow, minutes: minutes)
        let words = hourWords(scene, all, minutes: minutes, room: area.width)
        buffer.put(words, x: area.x, y: area.y, maxWidth: area.width)
        guard !all.isEmpty else { return }
        var y = area.y + 1
        let room = area.height - 2
        let lanes = Array(all.prefix(room))
        let (heights, unit) = OutcomeBars.heights(lanes, rows: room)
        y += max(0, room - heights.reduce(0, +))
        for (lane, height) in zip(lanes, heights) {
            buffer.put(lane.word, x: area.x, y: y + height - 1, role: .quiet)
            for (index, count) in lane.ended.enumerated() where count > 0 {
                paintColumn(
                    Double(count) / unit, lane.role,
                    at: Rect(
                        x: area.x + gutter + index * scale, y: y, width: scale, height: height))
            }
            y += height
        }
        paintHourTimes(x: area.x + gutter, width: minutes * scale, y: y, minutes: minutes)
    }

    /// Paints a column of the given height, at least its lowest mark.
    private mutating func paintColumn(_ value: Double, _ role: Role, at area: Rect) {
        let steps = glyphs.levels.count - 1
        var left = max(1, Int(value * Double(steps) + 0.5))
        var y = area.maxY - 1
        while left > 0, y >= area.y {
            let mark = glyphs.levels[min(steps, left)]
            for x in area.x..<area.maxX { buffer.put(mark, x: x, y: y, role: role.inBar) }
            left -= steps
            y -= 1
        }
    }

    private mutating func paintHourTimes(x: Int, width: Int, y: Int, minutes: Int) {
        for (place, ago) in [(0, minutes - 1), (1, (minutes - 1) / 2), (2, 0)] {
            let moment = clock.realNow + -Int64(ago) * EndedCounts.minuteMilliseconds
            let text =
                clock.format != .relative
                ? clock.real.time(moment, seconds: false) : ago == 0 ? "now" : "\(ago)m ago"
            let column = x + (minutes - 1 - ago) * width / minutes
            let start = [column, column - text.count / 2, x + width - text.count][place]
            buffer.put(text, x: start, y: y, role: .quiet)
        }
    }

    /// `last hour of jobs  412 wait now · ok 1,204 · failed 30 · at most 46 in a minute`, as much
    /// of it as has room.
    private func hourWords(
        _ scene: LoadedScene, _ lanes: [OutcomeBars], minutes: Int, room: Int
    ) -> StyledLine {
        let isAll = scene.request.isHourOfAll
        var line = StyledLine(
            minutes == LastHour.minutes ? "last hour" : "last \(minutes) min", .quiet)
        if isAll || room >= 60 {
            line.append(" of \(isAll ? "all queues" : scene.selected ?? "")", .quiet)
        }
        var glue = "  "
        func add(_ part: StyledLine) {
            guard line.width + DisplayText.width(glue) + part.width <= room else { return }
            line = line + [Span(glue, .quiet)] + part
            glue = separator
        }
        let ended = lanes.map { lane -> StyledLine in
            let count = NumberText.grouped(lane.ended.reduce(0, +))
            return [Span("\(lane.word) ", .quiet), Span(count, lane.role)]
        }
        let waiting = isAll ? scene.counts[.waiting] : scene.queue?.tally.waiting ?? 0
        let waits: StyledLine = [
            Span(NumberText.grouped(waiting), .next), Span(" wait now", .quiet),
        ]
        // The number of waiting tasks appears elsewhere too, so failures take its room.
        let told = ended.reduce(2) { $0 + DisplayText.width(separator) + $1.width }
        if waiting > 0, line.width + waits.width + told <= room { add(waits) }
        if lanes.isEmpty { add(StyledLine("nothing ended", .quiet)) }
        for part in ended { add(part) }
        let sums = (0..<minutes).map { minute in lanes.reduce(0) { $0 + $1.ended[minute] } }
        if let most = sums.max(), most > 0 {
            add(StyledLine("at most \(NumberText.grouped(most)) in a minute", .quiet))
        }
        return line
    }
}

/// The ended attempts of one outcome.
private struct OutcomeBars {
    var word: String
    var role: Role
    /// By minute, the oldest first.
    var ended: [Int]
    var most: Int

    private init(_ outcome: EndedOutcome, _ ended: [Int]) {
        switch outcome {
        case .succeeded: (word, role) = ("ok", .running)
        case .failed: (word, role) = ("failed", .failed)
        case .other: (word, role) = ("other", .time)
        }
        (self.ended, most) = (ended, ended.max() ?? 0)
    }

    private static let leastUnit = 2.0

    /// The outcomes with at least one attempt.
    static func lanes(of hour: LastHour, now: Timestamp, minutes: Int) -> [OutcomeBars] {
        EndedOutcome.allCases.map {
            OutcomeBars($0, hour.ended($0, before: now).suffix(minutes))
        }.filter { $0.most > 0 }
    }

    /// The rows of each lane, and the number of attempts per row, the same for all lanes. Few
    /// attempts give a low lane.
    static func heights(_ lanes: [OutcomeBars], rows: Int) -> ([Int], unit: Double) {
        var heights = lanes.map { _ in 1 }
        for _ in 0..<max(0, rows - lanes.count) {
            let tallest = lanes.indices.max {
                lanes[$0].most * heights[$1] < lanes[$1].most * heights[$0]
            }
            if let tallest { heights[tallest] += 1 }
        }
        let unit = zip(lanes, heights).map { Double($0.most) / Double($1) }.max() ?? 1
        guard unit < leastUnit else { return (heights, unit) }
        return (lanes.map { max(1, Int((Double($0.most) / leastUnit).rounded(.up))) }, leastUnit)
    }
}

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
