package import SluiceSystem
import SluiceTerminalUI

/// The thread that owns the terminal: it sleeps until something happens and then calls back.
///
/// With nothing happening nothing wakes it (K3). Ctrl-Z and the stop signal are done here.
package final class TerminalLoop {
    /// Raised from any thread it wakes the loop with `.woken`.
    package let wake: EventSignal

    private let terminal: CursesTerminal
    private var hasInput = true

    package init(_ terminal: CursesTerminal, wake: EventSignal) {
        self.terminal = terminal
        self.wake = wake
    }

    /// Runs until the handler returns stop.
    ///
    /// Each call carries all inputs that arrived together, in order, so that one repaint answers
    /// them.
    package func run(_ handle: ([LoopInput]) -> LoopNext) throws(TerminalError) {
        var inputs: [LoopInput] = [.started]
        while true {
            guard case .wait(let deadline) = handle(inputs) else { return }
            repeat {
                do { inputs = try gather(until: deadline) } catch { throw .system(error) }
            } while inputs.isEmpty
        }
    }

    private func gather(until deadline: UInt64?) throws(SystemError) -> [LoopInput] {
        let signals = terminal.inbox.descriptor.number
        let tty = hasInput ? terminal.input.number : -1
        let interests = [tty, wake.descriptor.number, signals].map { PollInterest($0) }
        let ready = try Poll.wait(
            fds: interests, timeoutMilliseconds: timeoutMilliseconds(until: deadline))
        var inputs: [LoopInput] = []
        for found in ready {
            switch found.descriptor {
            case tty: inputs += readTerminal()
            case wake.descriptor.number: if wake.drain() { inputs.append(.woken) }
            default: inputs += try drainSignals()
            }
        }
        let now = SystemClock.monotonicNanoseconds()
        inputs += act(on: terminal.typed.flush(at: now))
        if let deadline, now >= deadline { inputs.append(.deadline) }
        return inputs
    }

    private func timeoutMilliseconds(until deadline: UInt64?) -> Int? {
        let times = [deadline, terminal.typed.deadline].compactMap { $0 }
        guard let first = times.min() else { return nil }
        let now = SystemClock.monotonicNanoseconds()
        return first <= now ? 0 : Int(clamping: (first - now).dividedRoundingUp(by: 1_000_000))
    }

    private func readTerminal() -> [LoopInput] {
        switch Result(catching: { () throws(SystemError) in
            try terminal.input.read(atMost: 65536)
        }) {
        case .success(.bytes(let bytes)): return decode(bytes)
        case .success(.nothingYet): return []
        case .success(.end), .failure:
            // Treat every read error as a closed terminal.
            hasInput = false
            return [.signal(.hangUp)]
        }
    }

    private func decode(_ bytes: [UInt8]) -> [LoopInput] {
        guard !bytes.isEmpty else { return [] }
        terminal.typed.awaitsAnswer = terminal.awaitsAnswer
        return act(on: terminal.typed.feed(bytes, at: SystemClock.monotonicNanoseconds()))
    }

    /// Handles stops and answers to queries, and drops unknown events.
    private func act(on events: [InputEvent]) -> [LoopInput] {
        let stop = InputEvent.key(.control("z"))
        var inputs: [LoopInput] = []
        let rest = events.filter { event in
            switch event {
            case .ground(let theme): if terminal.learn(theme) { inputs.append(.restyled) }
            case .cursor(let place):
                let joins = terminal.learn(cursor: place)
                if !joins.isEmpty { inputs.append(.joins(joins)) }
            case .unknown, stop: break
            default: return true
            }
            return false
        }
        if !rest.isEmpty { inputs.append(.input(rest)) }
        if events.contains(stop) { inputs += suspend() }
        return inputs
    }

    private func suspend() -> [LoopInput] {
        let former = terminal.size
        terminal.suspend()
        return resumed(formerSize: former)
    }

    private func resumed(formerSize: Size) -> [LoopInput] {
        let size = terminal.size
        return (size == formerSize ? [] : [.resized(size)]) + [.resumed]
    }

    private func drainSignals() throws(SystemError) -> [LoopInput] {
        var inputs: [LoopInput] = []
        for signal in try terminal.inbox.drain() {
            switch signal {
            case .windowChange:
                if let size = terminal.updateSize() { inputs.append(.resized(size)) }
            case .terminalStop:
                inputs += suspend()
            case .resume:
                // Also comes after a stop of our own; painting twice does no harm.
                let former = terminal.size
                terminal.comeBack()
                inputs += resumed(formerSize: former)
            default:
                inputs.append(.signal(signal))
            }
        }
        return inputs
    }
}

extension UInt64 {
    fileprivate func dividedRoundingUp(by divisor: UInt64) -> UInt64 {
        self / divisor + (self % divisor == 0 ? 0 : 1)
    }
}
