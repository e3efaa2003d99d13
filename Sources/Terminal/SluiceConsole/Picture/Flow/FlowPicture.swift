import SluiceControl
import SluiceModel
package import SluiceTerminalUI

/// View 9 as lines of text, for a command that prints it once.
package struct FlowPicture {
    /// How far back it looks.
    package var span = FlowSpan.twoMinutes
    /// How many columns it has.
    package var width = 100
    /// Which signs it has.
    package var glyphs = GlyphSet.unicode

    /// A picture of the last two minutes.
    package init() {}

    /// The request for its data: all queues, because it loads only once.
    package static func request(queues: Int) -> LoadRequest {
        var request = LoadRequest()
        request.view = .flow
        request.queues.height = max(1, queues)
        request.withArrivals = true
        return request
    }

    /// The lines, without blanks at their ends.
    package func lines(_ scene: LoadedScene) -> [String] {
        let size = Size(
            width: max(FrameLayout.smallest.width, width), height: 20 + 2 * scene.queueCount)
        var settings = ConsoleSettings(storeName: "", storeKind: "")
        settings.glyphs = glyphs
        var state = ConsoleState(settings: settings, size: size, now: scene.at)
        (state.view, state.flowSpan, state.scene) = (.flow, span, scene)
        state.flow.apply(scene.flow, at: scene.at)
        state.fitWindows()
        let layout = state.layout
        let rows = state.view(size).lines
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
