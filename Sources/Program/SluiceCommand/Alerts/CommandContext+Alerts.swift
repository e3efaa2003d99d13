import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore

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
                try? host.write(SafeText.printed(["sluice: \(sentence)"]), .errors)
            }
        }
        var track = AlertTrack()
        while true {
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
            _ = try Poll.wait(
                fds: [PollInterest(wake.descriptor.number)],
                timeoutMilliseconds: Self.lookMilliseconds)
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
