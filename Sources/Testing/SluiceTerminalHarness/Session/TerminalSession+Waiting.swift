#if canImport(SluiceCVTerm)
package import SluicePlatform

extension TerminalSession {
    /// Waits until the screen is as the test wants it, and returns it.
    ///
    /// Throws with the screen when the time has passed or the program has ended.
    @discardableResult
    package func wait(
        _ what: String, timeoutSeconds: Double = 10, until isThere: (ScreenPicture) -> Bool
    ) throws -> ScreenPicture {
        try update()
        let deadline = Deadline(seconds: timeoutSeconds)
        while true {
            let screen = current
            if isThere(screen) { return screen }
            if isOver {
                _ = try waitForPidfd(deadline)
                throw HarnessError.ended(what, exit: try exit, screen: screen)
            }
            if deadline.hasPassed {
                throw HarnessError.timedOut(what, seconds: timeoutSeconds, screen: screen)
            }
            _ = try pump(timeoutMilliseconds: deadline.milliseconds)
        }
    }

    /// Waits until one row of the screen contains a text.
    @discardableResult
    package func wait(forText text: String, timeoutSeconds: Double = 10) throws -> ScreenPicture {
        try wait("the text \"\(text)\"", timeoutSeconds: timeoutSeconds) {
            $0.position(of: text) != nil
        }
    }

    /// Waits until no output has come for so long, and returns the screen: for pictures.
    @discardableResult
    package func settle(
        quietMilliseconds: Int = 60, timeoutSeconds: Double = 10
    ) throws -> ScreenPicture {
        let deadline = Deadline(seconds: timeoutSeconds)
        while try pump(timeoutMilliseconds: quietMilliseconds), !isOver, !deadline.hasPassed {}
        return current
    }

    /// Waits until the program ended and all its output was read.
    package func waitForExit(timeoutSeconds: Double = 10) throws -> ChildProcess.Exit {
        let deadline = Deadline(seconds: timeoutSeconds)
        while !isOver, !deadline.hasPassed {
            let fds = [PollInterest(child.pidfd.number), PollInterest(master.number)]
            let ready = try Poll.wait(fds: fds, timeoutMilliseconds: deadline.milliseconds)
            try update()
            // A grandchild may hold the terminal open for ever: the child's end is what counts.
            if ready.contains(where: { $0.descriptor == child.pidfd.number }) { break }
        }
        guard try waitForPidfd(deadline), let exit = try exit else {
            throw HarnessError.timedOut(
                "the end of the program", seconds: timeoutSeconds, screen: current)
        }
        try update()
        return exit
    }

    /// Waits for the byte at an offset of the output. Returns its arrival on the monotonic clock.
    ///
    /// Without an offset, waits for the next unread byte.
    package func timeOfByte(
        at offset: Int? = nil, timeoutSeconds: Double = 10
    ) throws -> UInt64 {
        let offset = offset ?? received.count
        let deadline = Deadline(seconds: timeoutSeconds)
        while true {
            if let time = received.time(ofByteAt: offset) { return time }
            if isOver { throw HarnessError.ended("output", exit: try exit, screen: current) }
            if deadline.hasPassed {
                throw HarnessError.timedOut("output", seconds: timeoutSeconds, screen: current)
            }
            _ = try pump(timeoutMilliseconds: deadline.milliseconds)
        }
    }

    /// How many nanoseconds pass from just before `event` to the first byte of output after it.
    package func nanosecondsToFirstByte(
        timeoutSeconds: Double = 10, after event: () throws -> Void
    ) throws -> UInt64 {
        try update()
        let offset = received.count
        let start = SystemClock.monotonicNanoseconds()
        try event()
        return try timeOfByte(at: offset, timeoutSeconds: timeoutSeconds) - start
    }

    private func waitForPidfd(_ deadline: Deadline) throws -> Bool {
        while try exit == nil, !deadline.hasPassed {
            let interest = [PollInterest(child.pidfd.number)]
            _ = try Poll.wait(fds: interest, timeoutMilliseconds: deadline.milliseconds)
        }
        return try exit != nil
    }
}

private struct Deadline {
    private let monotonicNanoseconds: UInt64

    init(seconds: Double) {
        monotonicNanoseconds = SystemClock.monotonicNanoseconds() + UInt64(seconds * 1e9)
    }

    var hasPassed: Bool { SystemClock.monotonicNanoseconds() >= monotonicNanoseconds }

    /// The remaining time, rounded up so that a wait does not end early.
    var milliseconds: Int {
        let now = SystemClock.monotonicNanoseconds()
        return now >= monotonicNanoseconds ? 0 : Int((monotonicNanoseconds - now) / 1_000_000) + 1
    }
}
#endif
