import SluiceControl
import SluiceModel
import SluiceTerminalUI

/// How a task's state looks and reads: glyph, words and role (K5).
struct TaskWords {
    let line: TaskLine
    let names: TaskNames
    let clock: ScreenClock
    let glyphs: GlyphSet

    /// `2/5`, or `2` without a limit.
    static func tries(_ attempts: Int, _ limit: Int?) -> String {
        limit.map { "\(attempts)/\($0)" } ?? "\(attempts)"
    }

    var role: Role {
        switch line.display {
        case .next: .next
        case .due, .blocked: .text
        case .retrying, .delayed, .parked: .time
        case .held: .held
        case .skipped, .deleted: .quiet
        case .running, .succeeded: .running
        case .stuck, .failed: .failed
        }
    }

    /// The sign of the first column; nil for a blank.
    var glyph: Glyph? {
        switch line.display {
        case .next: .next
        case .running: .running
        case .stuck, .failed: .failed
        case .skipped: .skipped
        case .parked: .paused
        case .due, .delayed, .retrying, .held, .blocked, .succeeded, .deleted: nil
        }
    }

    /// The words of the column `state`, with the bar of a countdown if it has room whole, and an
    /// error where some of it has.
    func state(width: Int = .max) -> StyledLine {
        let words = state
        guard words.width > width, let first = words.spans.first else { return words }
        switch line.display {
        case .retrying, .delayed: return timer(width: width) ?? [first]
        case .running, .stuck: return running(width: width)
        case .next, .due: return [first]
        case .blocked where DisplayText.width(first.text) + 8 > width: return [first]
        default: return words
        }
    }

    private var state: StyledLine {
        let task = line.task
        switch line.display {
        case .next: return StyledLine("next", .next, emphasis: true) + appStart
        case .due: return StyledLine("due") + appStart
        case .retrying, .delayed: return timer
        case .held: return StyledLine(held, .held)
        case .parked: return StyledLine(parked, .time)
        case .skipped: return StyledLine("skipped by \(task.waiting?.skip?.by ?? "")", .quiet)
        case .blocked: return triedInRun ?? StyledLine(blocked)
        case .running, .stuck: return running
        case .succeeded: return StyledLine("succeeded", .running)
        case .failed: return StyledLine(failed, .failed)
        case .deleted: return StyledLine(deleted, .quiet)
        }
    }

    private var appStart: StyledLine {
        guard line.expiresAtAppStart(real: clock.realNow) else { return StyledLine() }
        return StyledLine(", \(ExpiringTasks.rowWords)", .time)
    }

    private var held: String { line.heldBy.map { "held by \(names.name($0))" } ?? "held" }

    private var timer: StyledLine {
        guard let timer = line.task.waiting?.timer else { return StyledLine("due") }
        guard timer.cause == .retry else {
            return StyledLine("at \(clock.time(timer.until))", .time)
        }
        // The bars of several rows begin in one column.
        let words = "retry \(clock.coming(timer.until))"
        let coming = DisplayText.paddedRight(words, to: max(12, DisplayText.width(words)))
        let bar = ProgressBar(
            fraction: clock.fraction(since: timer.since, until: timer.until), width: 4,
            style: .shaded)
        return StyledLine([Span(coming, .time), Span(" ")]) + bar.line(.time, glyphs: glyphs)
    }

    /// A moment with as much of it as has room, and never a part of a figure.
    private func timer(width: Int) -> StyledLine? {
        guard let timer = line.task.waiting?.timer else { return nil }
        let word = timer.cause == .retry ? "retry " : ""
        let short = clock.comingShort(timer.until).map { [$0] } ?? []
        let moments =
            (timer.cause == .retry ? [clock.coming(timer.until)] + short : [])
            + ["at \(clock.time(timer.until))", "at \(clock.time(timer.until, seconds: false))"]
            + short + (clock.day(timer.until).map { ["at \($0)", $0] } ?? [])
        let texts = moments.map { word + $0 } + moments.suffix(1)
        return (texts.first { DisplayText.width($0) <= width } ?? texts.last).map {
            StyledLine($0, .time)
        }
    }

    private var parked: String {
        guard let parking = line.task.waiting?.parking else { return "parked" }
        switch parking.cause {
        case .handler: return "parked by its handler"
        case .cancelled: return "parked, cancelled"
        case .lost: return "parked, lost \(line.task.losses) times"
        case .missing: return "parked, file missing"
        case .editing: return "edited by \(parking.detail)"
        case .breakpoint: return "breakpoint"
        }
    }

    /// A task that failed in the run that is open, with its error.
    private var triedInRun: StyledLine? {
        let isTried = line.blockers.contains { $0.kind == .attemptedInRun }
        guard isTried, let error = line.task.lastError else { return nil }
        return [Span(Self.tried, .failed), Span(": \(ErrorLine.cause(of: error))", .quiet)]
    }

    private static let tried = "tried in this run"

    private var blocked: String {
        // The task's page has the reason of another system, for a copy too.
        guard line.systemState == nil, line.task.waiting?.parking?.system == nil else {
            return "blocked"
        }
        for blocker in line.blockers {
            switch blocker.kind {
            case .requirement: return "needs the network"
            case .headOfQueue:
                return blocker.task.map { "after \(names.name($0))" } ?? "after another"
            case .noRunner: return "no worker for it"
            case .attemptedInRun: return Self.tried
            case .abandoned: return "still runs, abandoned"
            case .orphan: return "still runs, orphaned"
            default: continue
            }
        }
        return "blocked"
    }

    private var failed: String {
        let reason: String
        if case .failed(let failure) = line.task.state {
            reason = failure.reason
        } else {
            reason = "expired"
        }
        return reason.isEmpty ? "failed" : "failed: \(ErrorLine.cause(of: reason))"
    }

    private var deleted: String {
        guard case .deleted(let trash) = line.task.state else { return "deleted" }
        return "deleted by \(trash.by)"
    }
}

/// A task that runs: how long already, how far, how fast, and in whose hands.
extension TaskWords {
    /// A variant of the text for a certain width.
    private struct Choice {
        var facts: ArraySlice<Substring>
        var hasTime = true
        var hasRunner = false
    }

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
