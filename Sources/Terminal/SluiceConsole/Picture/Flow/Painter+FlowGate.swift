import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// The gate of a lane of view 9, and the attempts that came through it.
extension Painter {
    mutating func paintGate(_ line: QueueLine, _ lane: FlowLane, y: Int) {
        let gate = QueueGate(line, state.scene)
        let role: Role = gate.isOpen ? .running : line.overview.isAtStop ? .failed : .time
        let isASCII = glyphs == .ascii
        var x = contentX + lane.gate.lowerBound
        x = buffer.put(isASCII ? "==" : "══", x: x, y: y, role: .running)
        let door = gate.isOpen ? (isASCII ? ">" : "▶") : (isASCII ? "#" : "█")
        x = buffer.put(door, x: x, y: y, role: role.inBar)
        let room = contentX + lane.gate.upperBound - x - 1
        let forms = gateWords(gate)
        buffer.put(
            forms.first { DisplayText.width($0) <= room } ?? forms[forms.count - 1], x: x + 1, y: y,
            role: gate.isOpen ? .quiet : role, maxWidth: max(0, room))
    }

    /// The words of a gate, the longest first: with its age, and without what its sign says.
    private func gateWords(_ gate: QueueGate) -> [String] {
        let words = state.names.text(gate.words)
        let short =
            words.hasPrefix("stop at ")
            ? String(words.dropFirst(8)) : gate.isOpen ? String(words.prefix { $0 != "," }) : words
        guard let since = gate.since, clock.ticks || clock.now - since >= 60_000 else {
            return [words, short]
        }
        return ["\(words) \(clock.age(since))", words, short]
    }

    /// A dot for each attempt that ended in the last seconds, on its way to the right.
    mutating func paintDots(_ line: QueueLine, _ lane: FlowLane, y: Int) {
        guard !lane.dots.isEmpty else { return }
        let length = Double(ConsoleState.flightMilliseconds)
        for attempt in state.attemptsInFlight where attempt.queue == line.name {
            guard let ended = attempt.endedAt else { continue }
            let age = Double(max(0, clock.realNow - ended)) / length
            let x = Int(age * Double(lane.dots.count))
            guard x < lane.dots.count else { continue }
            let role: Role = attempt.outcome == .success ? .running : .failed
            buffer.put(
                glyphs == .ascii ? "o" : "•", x: contentX + lane.dots.lowerBound + x, y: y,
                role: role.inBar)
        }
    }
}

extension QueueGate {
    /// The gate of a queue as a scene shows it.
    package init(_ line: QueueLine, _ scene: LoadedScene?) {
        let processes = scene?.runners.map(\.process) ?? []
        let slots = line.overview.slots(of: processes)
        self.init(line.overview, line.tally, slots: slots)
        // A queue without tasks has no worker to wait for, and no status says so.
        if isOpen, slots == nil, line.system == nil { (isOpen, words) = (false, "no worker") }
        if let unserved = line.unserved, isOpen { words = unserved }
    }
}
