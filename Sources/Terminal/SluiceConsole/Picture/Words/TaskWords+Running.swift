import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// A task that runs: how long already, how far, how fast, and in whose hands.
extension TaskWords {
    /// A variant of the text for a certain width.
    private struct Choice {
        var facts: ArraySlice<Substring>
        var hasTime = true
        var hasRunner = false
    }

    /// All of it.
    var running: StyledLine { line(Choice(facts: facts[...], hasRunner: true)) }

    /// The text that fits. Drops in this order: the first progress facts, the runner, the time, and
    /// all but the last fact, which is the remaining time.
    func running(width: Int) -> StyledLine {
        let facts = facts
        let choices = [
            Choice(facts: facts[...], hasRunner: true),
            Choice(facts: facts.suffix(2), hasRunner: true), Choice(facts: facts.suffix(2)),
            Choice(facts: facts.suffix(2), hasTime: false),
            Choice(facts: facts.suffix(1), hasTime: false),
        ]
        let lines = choices.lazy.map(line)
        return lines.first { $0.width <= width } ?? line(Choice(facts: []))
    }

    /// The handler's progress texts: `8.2 MiB/s, 1m 14s left` is two facts.
    private var facts: [Substring] { line.progressText?.split(separator: ", ") ?? [] }

    private func line(_ choice: Choice) -> StyledLine {
        guard let lease = line.task.running else { return StyledLine("running", .running) }
        if line.isLost { return StyledLine("stuck, worker \(lease.owner) died", .failed) }
        let isStuck = line.display == .stuck
        let role: Role = isStuck ? .failed : .running
        var text = isStuck ? "stuck" : "running"
        if line.isTaken {
            text = choice.hasTime ? "taken by a worker" : "taken"
        } else if choice.hasTime {
            text += " \(clock.lasting(since: lease.since))"
        }
        if let stop = lease.stop { text += stop == .deleted ? ", to be deleted" : ", stopping" }
        if let fraction = line.fraction {
            text += " \(glyphs[.progress])\(Int((min(max(fraction, 0), 1) * 100).rounded()))%"
        }
        for fact in choice.facts { text += " \(glyphs[.separator]) \(fact)" }
        var words = StyledLine(text, role)
        // Other systems do not say of each task who runs it.
        if choice.hasRunner, lease.owner > 0 { words.append("  worker \(lease.owner)", .quiet) }
        return words
    }
}
