import SluiceControl
import SluiceModel
import SluiceStore
import SluiceTerminalUI

/// The widths that the cells of the queue pane need, in columns.
struct QueuePaneWidths: Hashable, Sendable {
    /// The longest name of a queue.
    let name: Int
    /// The longest state.
    let state: Int
    /// The longest state with its failures.
    let stateWithFail: Int
    /// The largest count of waiting tasks, including the row for all queues.
    let waits: Int

    /// The longest count of failures; 0 without failures.
    let fail: Int

    init(_ scene: LoadedScene?) {
        let others = scene?.fleet?.places.flatMap { $0.summary?.queues ?? [] } ?? []
        let queues = (scene?.queues ?? []) + others
        let all = NumberText.grouped(scene?.counts[.waiting] ?? 0).count
        waits = max(all, queues.map { NumberText.grouped($0.tally.waiting).count }.max() ?? 0)
        fail =
            queues.map {
                DisplayText.width(Painter.failCell($0.tally, .unicode).text)
            }.max() ?? 0
        name = queues.map { DisplayText.width($0.name) }.max() ?? 6
        let looks = queues.map(QueueLook.init)
        state = looks.map(\.word.count).max() ?? 5
        stateWithFail =
            zip(looks, queues).map { look, line in
                Painter.stateCell(
                    StyledLine(look.word), Painter.failCell(line.tally, .unicode)
                ).width
            }.max() ?? 5
    }

    /// The longest usual name. Longer names do not widen the pane.
    static let usualName = 10
    /// The longest state, and the longest with its failures.
    static let longestState = 9
    private static let usualWaits = 5

    /// How wide the pane is on a screen of some width: below 110 columns up to four wider where
    /// usual names need it. States and numbers change all the time, and never move it.
    static func pane(on width: Int, name: Int) -> Int {
        guard width < 110 else { return 34 }
        let usual = 26 + (width - 80) * 8 / 30
        // Two margins, the sign, and a blank after each of three columns.
        let needed = 6 + min(name, usualName) + longestState + usualWaits
        return min(max(usual, needed), usual + 4, 34)
    }
}
