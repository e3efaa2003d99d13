import SluiceControl
import SluiceTerminalUI

/// The rectangles of all parts for a screen size. Drawing, cursor moves and the mouse share them.
struct FrameLayout: Hashable, Sendable {
    /// The minimum width for a preview to the right of the list. Below it the preview is under the
    /// list.
    static let besideWidth = 130
    /// From here on a preview is shown unless a person closes it, in more views than the list.
    static let wideWidth = 150
    static let smallest = Size(width: 40, height: 10)

    let size: Size
    /// Whether the list of queues begins with a row for all queues.
    let hasAllRow: Bool
    let isTooSmall: Bool
    /// One pane at a time: the screen is narrow, or a person hid the panes.
    let isNarrow: Bool
    /// Blank lines between the parts.
    let isRoomy: Bool
    /// Whether parts beyond the list have room: timers, a chart, health.
    let hasParts: Bool
    /// Everything between the header and the rule.
    let body: Rect
    /// Queues and timers; empty when they are not seen.
    let left: Rect
    /// The row for all places of a fleet in that pane, and the other places.
    let fleetPane: FleetPane?
    /// The view or page; empty when it is not seen.
    let right: Rect
    let dividerX: Int?
    let ruleY: Int?
    let activity: Rect
    let messageY: Int
    let legendY: Int
    /// The line that says whether the queue goes well; where lines are few, that of the tabs.
    let healthY: Int?
    let countsY: Int?
    let tabsY: Int
    /// The place of the chosen queue's last hour in view 7, and of the chart in view 9; empty
    /// without room.
    let hour: Rect
    /// The place of the timeline in view 3.
    let timeline: TimelineLayout
    let headingsY: Int
    let rows: Rect
    let nextY: Int?
    /// The rectangle of the preview, right of the list or below it. Empty when hidden.
    let preview: Rect

    init(size: Size, state: ConsoleState) {
        let (width, height) = (size.width, size.height)
        (self.size, hasAllRow) = (size, state.scene?.listsAll ?? true)
        isTooSmall = width < Self.smallest.width || height < Self.smallest.height
        isNarrow = width < 80 || !state.showsPanes
        let lines = state.showsActivity ? Self.activityLines(height: height) : 0
        (legendY, messageY) = (height - 1, height - 2)
        activity = Rect(x: 0, y: height - 2 - lines, width: width, height: lines)
        ruleY = lines > 0 ? height - 3 - lines : nil
        body = Rect(x: 0, y: 1, width: width, height: (ruleY ?? messageY) - 1)
        let isWhole = Self.isWhole(state, width: width)
        let pane: Rect
        if isNarrow || isWhole {
            let showsQueues = isNarrow && state.focus == .queues && state.page == nil
            left = showsQueues ? body : Rect(x: 0, y: 1, width: 0, height: body.height)
            pane = showsQueues ? Rect(x: 0, y: 1, width: 0, height: body.height) : body
            dividerX = nil
        } else {
            let leftWidth = QueuePaneWidths.pane(on: width, name: state.queueCursor.longestName)
            left = Rect(x: 0, y: 1, width: leftWidth, height: body.height)
            dividerX = leftWidth
            pane = Rect(
                x: leftWidth + 1, y: 1, width: width - leftWidth - 1, height: body.height)
        }
        preview = state.showsPreview ? Self.preview(of: pane, in: width) : .none
        let isBelow = preview.y > body.y
        let paneHeight = body.height - (isBelow ? preview.height + 1 : 0)
        (isRoomy, hasParts) = (paneHeight >= 24, paneHeight >= 18)
        fleetPane = FleetPane(state, in: left, isRoomy: isRoomy)
        let taken = preview.isEmpty || isBelow ? 0 : preview.width + 3
        right = Rect(x: pane.x, y: pane.y, width: pane.width - taken, height: pane.height)
        let floor = isBelow ? preview.y - 1 : body.maxY
        var y = body.y + 1
        let healthRow = isRoomy && !isWhole ? y : nil
        if healthRow != nil { y += 1 }
        countsY = body.height >= 11 && !isWhole ? y : nil
        if countsY != nil { y += 1 }
        tabsY = y
        healthY = healthRow ?? (hasParts && !isWhole ? y : nil)
        let headingsY = y + (isRoomy ? 2 : 1)
        y = headingsY + 1
        hour = hasParts ? Self.hour(state, body, isRoomy: isRoomy) : .none
        let lastY = hour.isEmpty ? floor - (isRoomy ? 2 : 1) : hour.y - 1
        nextY = body.height >= 8 ? lastY : nil
        let end = body.height >= 8 ? lastY - (isRoomy ? 2 : 0) : floor
        timeline = TimelineLayout(state, y: headingsY, room: end - y)
        y += timeline.height
        self.headingsY = headingsY + timeline.height
        rows = Rect(x: right.x, y: y, width: right.width, height: max(0, end - y))
    }

    /// How many lines of the journal the bottom has.
    private static func activityLines(height: Int) -> Int {
        height >= 44 ? 8 : height >= 28 ? 4 : height >= 17 ? 1 : 0
    }

    /// How many lines at the bottom a message may take, over what is there.
    var messageLines: Int { size.height < 17 ? 1 : max(4, activity.height + 1) }

    /// The rectangle of a page's text.
    var pageRect: Rect {
        let y = body.y + (isRoomy ? 2 : 1)
        return Rect(
            x: right.x + 1, y: y, width: max(0, right.width - 2), height: max(0, body.maxY - y))
    }

    /// How many rows a lane of view 9 takes: two where all lanes have room.
    func lanePitch(queues: Int) -> Int { 2 * queues <= rows.height + 1 ? 2 : 1 }

    private static let flowHeight = 28
    private static let chartsHeight = 32

    /// The chart area of view 7 or 9. Keeps its height for a queue without results, so that the
    /// list does not move.
    private static func hour(_ state: ConsoleState, _ body: Rect, isRoomy: Bool) -> Rect {
        guard state.page == nil, let scene = state.scene,
            state.view == .queues && (scene.lastHour != nil || scene.names.isForeign)
                || state.view == .flow && scene.flow != nil
        else { return .none }
        var height = 2 + (body.height >= 30 ? 6 : body.height >= 22 ? 4 : 2)
        // The chart of view 9 takes what the lanes leave.
        if state.view == .flow {
            height = max(height, min(flowHeight, body.height - 6 - 2 * scene.queueCount))
        } else {
            let others = isRoomy ? 7 : 4
            let charts = min(chartsHeight, body.height - others - scene.queueCount)
            height = max(height + 1, charts)
        }
        return Rect(
            x: body.x + 1, y: body.maxY - height, width: max(0, body.width - 2), height: height)
    }

    /// The part of the right pane that the preview takes: two fifths of its width or height.
    private static func preview(of right: Rect, in screenWidth: Int) -> Rect {
        if screenWidth >= besideWidth {
            let width = min(76, right.width * 2 / 5)
            return Rect(
                x: right.maxX - width, y: right.y, width: width - 1, height: right.height)
        }
        let height = right.height * 2 / 5
        return Rect(
            x: right.x + 1, y: right.maxY - height, width: right.width - 2, height: height)
    }

    /// Whether the current page or view needs the full width.
    private static func isWhole(_ state: ConsoleState, width: Int) -> Bool {
        switch state.page {
        case .help, .settings, .text, .difference, .changed: true
        case .why, .detail: false
        case .timeline: width < 110
        case nil: state.view.isWhole
        }
    }

    var rowsHeight: Int { max(1, rows.height) }

    /// The rows of queues in the left pane, which shares its height with the timers.
    var queueRowsHeight: Int {
        if let fleetPane, fleetPane.hasNeighbours { return fleetPane.height }
        let room = max(1, body.maxY - queueRowsY)
        return hasParts ? max(1, room * 3 / 5) : room
    }

    /// The line below the headings of the pane of queues.
    var queuePaneY: Int { body.y + (isRoomy ? 2 : 1) }

    /// The first row of queues, below the row for all or the heading of their place.
    var queueRowsY: Int {
        queuePaneY + (fleetPane.map { $0.above.count + 1 } ?? (hasAllRow ? 1 : 0))
    }
}

extension Rect {
    fileprivate static let none = Rect(x: 0, y: 0, width: 0, height: 0)
}
