import SluiceModel
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
            if scene.refusedRows > 0 {
                parts.append(Span("inbox: \(scene.refusedRows) refused (doctor)", .failed))
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
