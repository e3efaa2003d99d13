import SluiceControl
import SluiceModel
import SluicePlatform
import SluiceStore

/// `watch --on`: conditions of queues, reported when they begin and end.
extension CommandContext {
    /// The pause between checks of conditions that no commit announces.
    private static let lookMilliseconds = 5000

    func followAlerts(_ call: AlertCall) throws {
        let wake = try EventSignal()
        let observation = try store().observe(at: ReadThrottle(try store())) { wake.signal() }
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
            let (alerts, at) = try read { (try $0.alerts(call.kinds), $0.real) }
            let (begun, ended) = track.update(alerts, at: at)
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
            common.isJSON
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
