import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// Dispatches input in this order: an open question, the page on top, the arrows, the table of
/// actions.
extension ConsoleState {
    mutating func handle(_ event: InputEvent) {
        switch event {
        case .key(let key): handle(key)
        case .mouse(let mouse): handle(mouse)
        case .paste(let text): paste(text)
        case .focus, .ground, .cursor, .unknown: break
        }
    }

    /// Whether to hold a key until the first load. Keys that leave the console act immediately.
    func isEarly(_ event: InputEvent) -> Bool {
        guard scene == nil, reads.trouble == nil, case .key(let key) = event, key != .control("c")
        else { return false }
        // The way out of a place that does not answer.
        if key == .character("0"), !settings.fleet.isEmpty { return false }
        return settings.keys.meaning(of: key) != .key(.character("q"))
    }

    /// Handles the keys typed before the first load.
    mutating func handleEarly() {
        let events = early
        early = []
        for event in events { handle(event) }
    }

    mutating func handle(_ key: Key) {
        if key == .control("c") { return cancelOrQuit() }
        if key == .control("l") { return send(.repaint) }
        if modal != nil { return answerModal(key) }
        if message != nil, !underWay.awaitsAnswer { message = nil }
        seeking = nil
        if key == .escape, stopBulk() { return }
        let meaning = settings.keys.meaning(of: key)
        if meaning != .key(.character("q")), underWay.leaving == .asked {
            underWay.leaving = nil
        }
        switch meaning {
        case .key(let standard): handleStandard(standard, pressed: key)
        case .action(let id): perform(id)
        case .own(let own): perform(own.command)
        case .nothing: sayMeaningless(key)
        }
    }

    /// Handles a key of the table after the key map.
    private mutating func handleStandard(_ key: Key, pressed: Key) {
        if key == .control("p") { return perform(.commandLine) }
        if page != nil, handleOnPage(key) { return }
        if page == nil, handleMove(key) { return }
        if case .character(let character) = key, let digit = character.wholeNumberValue,
            page == nil || !isWhy
        {
            return showView(digit: digit)
        }
        if key == .escape { return goBack() }
        if key == .backTab { return show(view.previous) }
        guard let action = Action.of(key: key.name) else { return sayMeaningless(pressed) }
        perform(action.id)
    }

    private mutating func sayMeaningless(_ key: Key) {
        message = .refusal("\(key.name) means nothing here; \(self.key(.help)) shows the keys")
    }

    var isWhy: Bool {
        if case .why? = page { return true }
        return false
    }

    private mutating func paste(_ text: String) {
        guard case .prompt(var prompt)? = modal else {
            let line = key(.commandLine)
            message = .refusal("there is nothing to paste into; \(line) opens the command line")
            return
        }
        prompt.editor.insert(text)
        modal = .prompt(prompt)
        promptEdited()
    }

    private mutating func cancelOrQuit() {
        if modal != nil {
            dropModal()
            message = .note("nothing was changed")
        } else {
            quit()
        }
    }

    /// One step back; at the end, out.
    mutating func goBack(quits: Bool = false) {
        if !pages.isEmpty {
            pages.removeLast()
            reads.isStale = true
        } else if !marks.isEmpty, !quits {
            marks.clear()
        } else if list.filter != nil, view == .inventory, !quits {
            let former = list.cameFrom
            setFilter(nil)
            if let former { show(former) }
        } else if logFilter != nil, view == .activity, !quits {
            logFilter = nil
            reads.isStale = true
        } else if layout.isNarrow && focus == .queues || focus == .timers {
            focus = .view
        } else if quits {
            quit()
        } else {
            message = .note("\(key(.back)) ends the program")
        }
    }

    mutating func showView(digit: Int) {
        guard let wanted = ConsoleView(rawValue: digit) else {
            message = .refusal("there is no view \(digit)")
            return
        }
        show(wanted)
    }

    mutating func show(_ wanted: ConsoleView) {
        if wanted == .fleet { return showFleet() }
        if view == .fleet { return enterPlace(wanted) }
        pages = []
        if wanted.listsQueues || focus != .view { focus = .view }
        list.cameFrom = nil
        guard wanted != view else { return }
        view = wanted
        reads.isStale = true
        fitWindows()
    }
}
