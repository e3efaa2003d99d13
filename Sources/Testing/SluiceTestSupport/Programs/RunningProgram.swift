package import SluiceSystem

/// A program started by a test, possibly still running. Its output goes to files.
package final class RunningProgram: Sendable {
    package let child: ChildProcess
    /// The words of its command line.
    package let words: [String]
    private let outputPath: String
    private let errorsPath: String

    init(child: ChildProcess, words: [String], outputPath: String, errorsPath: String) {
        self.child = child
        self.words = words
        self.outputPath = outputPath
        self.errorsPath = errorsPath
    }

    package var processID: Int32 { child.processID }

    /// Its standard output so far.
    package var output: String { Workplace.text(outputPath) }

    /// Its standard error so far.
    package var errors: String { Workplace.text(errorsPath) }

    package var isRunning: Bool { (try? child.reap()) == .some(nil) }

    /// Sends it a signal; nothing happens when it has ended.
    package func signal(_ signal: Signal) throws { try child.signal(signal) }

    /// Waits for its end.
    @discardableResult
    package func answer(withinSeconds seconds: Int = Workplace.timeoutSeconds) throws
        -> ProgramAnswer
    {
        let deadline = Deadline(seconds: seconds)
        while true {
            if let exit = try child.reap() {
                return ProgramAnswer(words: words, exit: exit, output: output, errors: errors)
            }
            guard !deadline.isOver else {
                try child.signalGroup(.kill)
                throw ProgramFailure.timedOut(
                    "the end of sluice \(words.joined(separator: " "))", seconds: seconds,
                    known: output + errors)
            }
            _ = try Poll.wait(
                fds: [PollInterest(child.pidfd.number)],
                timeoutMilliseconds: deadline.leftMilliseconds)
        }
    }
}

/// A deadline on the monotonic clock.
package struct Deadline: Sendable {
    private let atNanoseconds: UInt64

    /// A deadline this many seconds from now.
    package init(seconds: Int) { self.init(milliseconds: seconds * 1000) }

    /// A deadline this many seconds, or parts of one, from now.
    package init(seconds: Double) { self.init(milliseconds: Int(seconds * 1000)) }

    /// A deadline this many milliseconds from now.
    package init(milliseconds: Int) {
        atNanoseconds = SystemClock.monotonicNanoseconds() + UInt64(milliseconds) * 1_000_000
    }

    package var isOver: Bool { leftMilliseconds == 0 }

    /// How long it is until then.
    package var leftMilliseconds: Int {
        let now = SystemClock.monotonicNanoseconds()
        return now >= atNanoseconds ? 0 : Int((atNanoseconds - now) / 1_000_000) + 1
    }
}
