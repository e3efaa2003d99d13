import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem

/// Runs a person's command for each alert, one after the other, on its own thread.
final class AlertCommand: Sendable {
    private let command: String
    private let tell: @Sendable (String) -> Void
    private let thread: JobThread
    private let waiting = Protected(0)
    private let progress = Protected(Progress())

    private struct Progress {
        var child: ChildProcess?
        var isStopped = false
    }

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

    /// Kills the running command, and starts no other one.
    func stop() {
        progress.withLock { progress in
            progress.isStopped = true
            // The signal fails only if the command has ended.
            _ = try? progress.child?.signalGroup(.kill)
        }
    }

    /// Starts the command; nil after `stop`.
    private func spawn() throws(SystemError) -> ChildProcess? {
        try progress.withLock { progress throws(SystemError) -> ChildProcess? in
            guard !progress.isStopped else { return nil }
            // Its output must not mix with the lines of the watch.
            progress.child = try ChildProcess.spawn(
                Spawn(
                    "/bin/sh", ["-c", command], environment: ProcessIdentity.environment(),
                    input: .pipe, output: .descriptor(2), errors: .descriptor(2)))
            return progress.child
        }
    }

    private func perform(_ input: [UInt8]) throws(SystemError) {
        guard let child = try spawn() else { return }
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

/// `watch --on`: conditions of queues, reported when they begin and end.
extension CommandContext {
    func followAlerts(_ call: AlertCall) throws {
        let store = try store()
        try AlertFollowing(host: host, isJSON: common.isJSON, call: call).run(
            observe: { wake in
                try store.observe(at: ReadThrottle(store)) { wake.signal() }
            }, read: { try self.read { (try $0.alerts(call.kinds), $0.real) } })
    }
}

extension ForeignInspector {
    /// `watch --on` at queues of other systems. After a lost connection it
    /// connects again.
    func followAlerts(_ call: AlertCall) throws {
        let unknown = call.kinds.intersection([.stuck, .guard]).map(\.rawValue).sorted()
        guard unknown.isEmpty else {
            throw QueueError(
                .notLegal,
                "--on \(unknown.joined(separator: ",")) is for stores of this program's own",
                fix: "use --on failing,no-worker")
        }
        let place = place
        let scenes = try ForeignScenes(isReadOnly: true) { try place.open() }
        var isAway = false
        try AlertFollowing(host: host, isJSON: common.isJSON, call: call).run(
            observe: { wake in try scenes.observe { wake.signal() } },
            read: {
                let now = self.host.now()
                do {
                    let alerts = try scenes.alerts(at: now)
                    isAway = false
                    return (alerts.filter { call.kinds.contains($0.subject.kind) }, now)
                } catch let error as QueueError where error.code == .serverGone {
                    if !isAway {
                        try self.host.write(
                            SafeText.printed(["sluice: \(error.message)"]), .errors)
                    }
                    isAway = true
                    return (nil, now)
                }
            })
    }
}

/// Prints the conditions of queues when they begin and end, and runs a person's command.
struct AlertFollowing {
    let host: Host
    let isJSON: Bool
    let call: AlertCall
    /// The pause between checks of conditions that no commit announces.
    private static let lookMilliseconds = 5000

    /// Follows until the output ends. `read` gives nil where the store cannot be asked now.
    func run(
        observe: (EventSignal) throws -> any StoreObservation,
        read: () throws -> (alerts: [QueueAlert]?, at: Timestamp)
    ) throws {
        let wake = try EventSignal()
        let observation = try observe(wake)
        defer { withExtendedLifetime(observation) {} }
        let host = host
        let command = try call.command.map { text in
            try AlertCommand(text) { sentence in
                // Nothing else can report it.
                try? host.remark(sentence)
            }
        }
        // The command leads a process group: no signal of the terminal reaches it.
        var inbox = try command.map { _ in try SignalInbox([.interrupt, .terminate, .hangUp]) }
        defer { command?.stop() }
        var track = AlertTrack()
        while true {
            if let signal = try inbox?.drain().first {
                command?.stop()
                inbox = nil
                return try signal.sendToSelf()
            }
            let (alerts, at) = try read()
            let (begun, ended) = alerts.map { track.update($0, at: at) } ?? ([], [])
            for alert in begun {
                try write(alert.subject, alert.text, at: at, state: "began")
                command?.run(Self.json(alert.subject, alert.text, at: at, state: "began"))
            }
            for subject in ended {
                let text = "\(subject.queue) is no longer \(subject.kind.rawValue)"
                try write(subject, text, at: at, state: "ended")
            }
            let waits = [wake.descriptor, inbox?.descriptor].compactMap { $0?.number }
            _ = try Poll.wait(
                fds: waits.map { PollInterest($0) }, timeoutMilliseconds: Self.lookMilliseconds)
            wake.drain()
        }
    }

    private func write(
        _ subject: QueueAlert.Subject, _ text: String, at: Timestamp, state: String
    ) throws {
        let line =
            isJSON
            ? Self.json(subject, text, at: at, state: state).text + "\n"
            : SafeText.printed(["\(ClockText.moment(at))  \(SafeText.visible(text))"])
        try host.write(line, .output)
    }

    private static func json(
        _ subject: QueueAlert.Subject, _ text: String, at: Timestamp, state: String
    ) -> JSONValue {
        [
            "alert": .string(subject.kind.rawValue), "queue": .string(subject.queue),
            "state": .string(state), "at": JSONValue(at), "text": .string(text),
        ]
    }
}
