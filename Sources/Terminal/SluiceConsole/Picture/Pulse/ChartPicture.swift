import SluiceControl
package import SluiceModel
package import SluiceTerminalUI

/// View 7 with its charts as lines of text, for a command that prints it once.
package struct ChartPicture {
    /// How far back it looks.
    package var span = PulseSpan.hour
    /// The queue with charts; nil for the first one.
    package var queue: String?
    package var width = 100
    package var glyphs = GlyphSet.unicode
    package var zone = ZoneRules.utc

    /// A picture of the last hour.
    package init() {}

    /// The request for its content: all queues, because it looks only once.
    package static func request(queues: Int) -> LoadRequest {
        var request = LoadRequest()
        request.view = .queues
        request.queues.height = max(1, queues)
        return request
    }

    /// The lines, without blanks at their ends.
    package func lines(_ scene: LoadedScene) -> [String] {
        let size = Size(
            width: max(FrameLayout.smallest.width, width), height: 40 + scene.queueCount)
        var settings = ConsoleSettings(storeName: "", storeKind: "")
        settings.glyphs = glyphs
        var state = ConsoleState(settings: settings, size: size, now: scene.at)
        state.zone = zone
        (state.view, state.pulseSpan, state.scene) = (.queues, span, scene)
        (state.selectedQueue, state.looksOnce) = (queue ?? scene.selected, true)
        state.pulse.apply(scene)
        state.fitWindows()
        return state.printed(size)
    }
}

extension ConsoleState {
    /// The lines of the view without its tabs and without blanks at their ends.
    func printed(_ size: Size) -> [String] {
        let layout = layout
        let rows = view(size).lines
        var lines: [String] = []
        for y in layout.body.y..<min(layout.body.maxY, rows.count) where y != layout.tabsY {
            let line = rows[y].dropFirst().reversed().drop { $0 == " " }.reversed()
            if line.isEmpty, lines.last?.isEmpty ?? true { continue }
            lines.append(String(line))
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
