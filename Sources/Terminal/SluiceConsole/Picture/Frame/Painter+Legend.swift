import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Paints the key bar. A disabled action is dim, and a press shows its reason.
extension Painter {
    mutating func paintLegend() {
        let y = layout.legendY
        buffer.paint(Rect(x: 0, y: y, width: layout.size.width, height: 1), background: .bar)
        for entry in legendEntries {
            let role: Role = entry.isLegal ? .key : .quiet
            let x = buffer.put(
                entry.key, x: entry.x, y: y, role: role, emphasis: entry.isLegal)
            buffer.put(entry.word, x: x + 1, y: y, role: entry.isLegal ? .text : .quiet)
        }
    }

    /// A key of the legend, its position, and its action when clicked.
    struct LegendEntry {
        var x: Int
        var width: Int
        var key: String
        var word: String
        var isLegal: Bool
        var press: Key?
    }

    var legendEntries: [LegendEntry] {
        let disabledReasons = DisabledReasons(state: state)
        var x = 1
        var entries: [LegendEntry] = []
        func key(_ item: Item) -> String {
            item.key == "Enter" ? glyphs.enter : item.key
        }
        func width(_ item: Item) -> Int {
            DisplayText.width(key(item)) + 1 + DisplayText.width(item.word)
        }
        for item in fitting(legendItems, room: layout.size.width - 1, width) {
            let (key, width) = (key(item), width(item))
            entries.append(
                LegendEntry(
                    x: x, width: width, key: key, word: item.word,
                    isLegal: item.id.map { disabledReasons.reason($0) == nil } ?? true,
                    press: Key(name: item.key)))
            x += width + 2
        }
        return entries
    }

    /// If the items do not fit, drops the ones least useful to a beginner, but never help.
    private func fitting(_ all: [Item], room: Int, _ width: (Item) -> Int) -> [Item] {
        var items = all
        var excess = items.reduce(-2) { $0 + width($1) + 2 } - room
        func remove(_ place: Int) { excess -= width(items.remove(at: place)) + 2 }
        let expendable: [Action.ID] = [
            .mark, .actions, .olderAttempt, .pauseWithReason, .edit, .stepTask, .undo, .freeze,
            .copy, .lowerPriority,
            .raisePriority,
            .commandLine, .setQueue, .enqueue, .filter, .retry, .delete, .skip,
        ]
        for id in expendable where excess > 0 {
            if let place = items.firstIndex(where: { $0.id == id }) { remove(place) }
        }
        while excess > 0, let last = items.lastIndex(where: { $0.id != .help }) { remove(last) }
        return items
    }

    private struct Item {
        var key: String
        var word: String
        var id: Action.ID?

        init(_ key: String, _ word: String) {
            self.key = key
            self.word = word
        }

        init?(_ id: Action.ID, _ word: String? = nil, keys: Keymap) {
            guard let action = Action.named(id), let key = keys.name(of: id) else { return nil }
            self.init(key, word ?? action.legend)
            self.id = id
        }
    }

    /// The lens of a task's page goes with the key that elsewhere shows the next view.
    private func lensItem(_ word: String) -> [Item] {
        state.settings.keys.name(of: .nextView).map { [Item($0, word)] } ?? []
    }

    private var legendItems: [Item] {
        switch state.modal {
        case .prompt(let prompt):
            var items = [Item("Enter", "do it"), Item("Esc", "leave")]
            if case .command = prompt.question {
                items += [
                    Item("Down", "choose"), Item("Tab", "complete"), Item("Up", "history"),
                ]
            }
            if case .filter = prompt.question { items.append(Item("Tab", "complete")) }
            if case .setting(_, let setting) = prompt.question, setting.choices != nil {
                items.append(Item("Tab", "the next word"))
            }
            return items
        case .confirm(let confirmation):
            guard case .key = confirmation.answer else {
                return [Item("Enter", "do it"), Item("Esc", "change nothing")]
            }
            return [Item("y", confirmation.deed.name), Item("Esc", "change nothing")]
        case .stop(let menu):
            let digits = "1-\(menu.entries.count)"
            return [Item("Enter", "choose"), Item(digits, "directly"), Item("Esc", "leave")]
        case .columns:
            return [
                Item("Space", "show or leave out"), Item("J K", "move"),
                Item("r", "as at first"), Item("Enter", "keep"), Item("Esc", "leave"),
            ]
        case nil: break
        }
        switch state.page {
        case .why:
            return runningItems + whyItems + [Item("Esc", "back")]
                + items([.step, .resume, .retry, .skip, .freeze, .help])
        case .detail(_, let place):
            return runningItems + lensItem(place.lens == .opened ? "raw bytes" : "opened")
                + [Item("Esc", "back")]
                + items([
                    .why, .stepTask, .retry, .skip, .delete, .edit, .copy, .olderAttempt, .help,
                ])
        case .help:
            return [
                Item("Esc", "back"), Item("Enter", state.showsAllKeys ? "fold" : "all keys"),
                Item("PgDn", "on"), Item("/", "find"),
            ]
        case .text: return [Item("Esc", "back"), Item("PgDn", "on"), Item("/", "find")]
        case .difference(let page):
            let opens = page.chosen == nil ? [] : [Item("Enter", "before and after")]
            return opens + [Item("Esc", "back"), Item("PgDn", "on"), Item("/", "find")]
        case .changed(let task, _):
            guard task.change.after != nil else { return [Item("Esc", "back")] }
            return [Item("Enter", "the task"), Item("Esc", "back")]
                + items([.why, .retry, .skip, .delete, .edit, .help])
        case .timeline(let page): return timelineItems(page)
        case .settings:
            return [Item("Enter", "change"), Item("Esc", "back")]
                + items([.undo, .pause, .resume, .help])
        case nil: break
        }
        return viewItems
    }

    /// Only what there is to choose and to do.
    private var whyItems: [Item] {
        guard let scene = state.scene, let line = scene.chain.first, scene.tape == nil else {
            return []
        }
        let count = line.blockers.count
        let isStuck = line.display == .stuck && !line.isLost
        return (count > 0 || isStuck ? [Item("Enter", "do it")] : [])
            + (count > 1 ? [Item("1-\(min(count, 9))", "choose")] : [])
    }

    /// First of all the key that stops a task that runs.
    private var runningItems: [Item] {
        guard state.marks.isEmpty, state.selectedLine?.task.running != nil,
            DisabledReasons(state: state).reason(.cancel) == nil
        else { return [] }
        return items([.cancel])
    }

    private var viewItems: [Item] {
        let isStoppable = state.underWay.bulk?.course?.isStopping == false
        return (isStoppable ? [Item("Esc", "stop")] : []) + ownItems
    }

    private var ownItems: [Item] {
        if state.scene?.tape != nil {
            return items([
                .earlier, .later, .muchEarlier, .muchLater, .detail, .why, .filter, .commandLine,
                .help,
            ])
        }
        if state.focus == .timers {
            return [Item("Enter", "view 3 there")]
                + items([.pause, .resume, .undo, .commandLine, .help])
        }
        switch state.view {
        case .inventory where state.focus == .view:
            return runningItems
                + items([
                    .step, .stepTask, .pause, .pauseWithReason, .resume, .skip, .delete, .retry,
                    .why,
                    .edit, .undo, .filter, .mark, .actions, .commandLine, .help,
                ])
        case .groups:
            let isOpen = state.groupAtCursor?.isOpen == true
            return items([.detail]) + [isOpen ? Item("Left", "fold") : Item("Right", "unfold")]
                + items([.retry, .skip, .delete, .why, .step, .pause, .commandLine, .help])
        case .timers:
            return items([.detail, .retry, .postpone, .skip, .why, .pause, .commandLine, .help])
        case .activity:
            return items([
                .detail, .filter, .detailLog, .why, .undo, .pause, .resume, .freeze, .commandLine,
                .help,
            ])
        case .failures:
            return items([.detail, .retry, .pause, .resume, .undo, .commandLine, .help])
        case .runners: return items([.pause, .resume, .network, .commandLine, .help])
        case .debugger: return debuggerItems
        case .flow: return flowItems
        case .fleet:
            return fleetItems
                + items([.otherStore, .freeze, .commandLine, .help, .back])
        case .queues, .inventory:
            return [Item("Enter", "open")] + (state.view == .queues ? spanItems + rateItems : [])
                + items([
                    .step, .run, .pause, .resume, .setQueue, .raisePriority, .lowerPriority,
                    .enqueue, .undo, .commandLine, .help,
                ])
        }
    }

    private var fleetItems: [Item] {
        guard let fleet = state.scene?.fleet, let row = state.fleetRow, row.place == nil else {
            return [Item("Enter", "open"), Item("1-9", "at a view")]
        }
        guard state.alertCount ?? 0 > FleetReading.alertLimit else {
            return [Item("Down", "to the places")]
        }
        return [Item("Enter", fleet.showsAllAlerts ? "fewer conditions" : "all conditions")]
    }

    private var spanItems: [Item] {
        let keys = state.settings.keys
        return [
            Item(.previousLink, "shorter", keys: keys), Item(.nextLink, "longer", keys: keys),
        ].compactMap(\.self)
    }

    private var rateItems: [Item] {
        guard state.changesRate, state.selectedQueueLine?.overview.queue.settings.rate != nil else {
            return []
        }
        let keys = state.settings.keys
        return [
            Item(.muchEarlier, "half the rate", keys: keys),
            Item(.muchLater, "twice", keys: keys),
        ].compactMap(\.self)
    }

    private var flowItems: [Item] {
        let keys = state.settings.keys
        let gate = [
            Item(.step, "one through", keys: keys), Item(.pause, "shut", keys: keys),
            Item(.resume, "open", keys: keys),
        ]
        return gate.compactMap(\.self) + [Item("Enter", "its tasks")] + spanItems
            + items([.undo, .raisePriority, .lowerPriority, .commandLine, .help])
    }

    private func timelineItems(_ page: TimelinePage) -> [Item] {
        let keys = state.settings.keys
        // The keys of another action: its reasons do not hold here.
        func item(_ id: Action.ID, _ word: String) -> Item? {
            keys.name(of: id).map { Item($0, word) }
        }
        let zoom = [item(.raisePriority, "zoom in"), item(.lowerPriority, "out")]
        var items = [Item("Esc", "back"), Item("Enter", "task")] + zoom.compactMap(\.self)
        if page.window != nil { items.append(Item("Left Right", "move")) }
        if case .run = page.scope {
            items += [item(.olderAttempt, "run before"), item(.newerAttempt, "after")]
                .compactMap(\.self)
        }
        return items + self.items([.why, .retry, .freeze, .commandLine, .help])
    }

    private var debuggerItems: [Item] {
        let keys = state.settings.keys
        let isCheckpoint = if case .checkpoint? = state.selectedDebuggerRow { true } else { false }
        let own = [
            Item(.detail, isCheckpoint ? "diff" : "open", keys: keys),
            isCheckpoint ? Item(.retry, "restore", keys: keys) : nil,
            Item(.delete, "remove", keys: keys),
        ]
        return own.compactMap(\.self)
            + items(DebuggerForms.all.map { $0.action } + [.undo, .commandLine, .help])
    }

    /// The items. A tape omits actions that change the store.
    private func items(_ ids: [Action.ID]) -> [Item] {
        let isTape = state.scene?.tape != nil
        return ids.filter { !isTape || Action.named($0)?.changesStore != true }
            .compactMap { Item($0, keys: state.settings.keys) }
    }
}
