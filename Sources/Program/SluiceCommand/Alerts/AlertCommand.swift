import SluiceModel
import SluicePlatform

/// Runs a person's command for each alert, one after the other, on its own thread.
final class AlertCommand: Sendable {
    private let command: String
    private let tell: @Sendable (String) -> Void
    private let thread: JobThread
    private let waiting = Protected(0)
    /// The time after which a command is killed, so that later alerts are not held back for long.
    static let limitMilliseconds: Int64 = 30_000
    /// The maximum number of alerts that wait for their command.
    private static let most = 100

    /// `tell` gets sentences about commands that fail.
    init(_ command: String, tell: @escaping @Sendable (String) -> Void) throws(SystemError) {
        (self.command, self.tell) = (command, tell)
        thread = try JobThread(name: "sluice-alerts")
    }

    /// Runs the command with a value on its standard input. Returns immediately.
    func run(_ value: JSONValue) {
        let isFree = waiting.withLock { waiting in
            guard waiting < Self.most else { return false }
            waiting += 1
            return true
        }
        guard isFree else {
            return tell("\(Self.most) alerts wait for the command; this one is dropped")
        }
        thread.put { [self] in
            defer { waiting.withLock { $0 -= 1 } }
            do throws(SystemError) {
                try perform(Array((value.text + "\n").utf8))
            } catch {
                tell("the alert command: \(error.sentence)")
            }
        }
    }

    private func perform(_ input: [UInt8]) throws(SystemError) {
        // Its output must not mix with the lines of the watch.
        let child = try ChildProcess.spawn(
            Spawn(
                "/bin/sh", ["-c", command], environment: ProcessIdentity.environment(),
                input: .pipe, output: .descriptor(2), errors: .descriptor(2)))
        // A command that ends without reading its input must not end this program.
        Signal.blockBrokenPipe()
        do throws(SystemError) {
            // A line of JSON fits into the pipe.
            _ = try child.input?.writeSome(input[...])
        } catch {
            // The command may ignore its input.
            if !error.isBrokenPipe { throw error }
        }
        child.input?.close()
        let end = SystemClock.monotonicMilliseconds() + Self.limitMilliseconds
        while true {
            if let exit = try child.reap() {
                if exit != .code(0) { tell("the alert command \(exit.sentence)") }
                return
            }
            let left = end - SystemClock.monotonicMilliseconds()
            if left <= 0 {
                try child.signalGroup(.kill)
                tell("the alert command took over 30 s and was killed")
            }
            _ = try Poll.wait(
                fds: [PollInterest(child.pidfd.number)],
                timeoutMilliseconds: left <= 0 ? nil : Int(left))
        }
    }
}
