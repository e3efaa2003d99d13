import SluiceControl
import SluiceModel

/// `watch --on`.
struct AlertCall: Hashable, Sendable {
    /// The conditions to report.
    var kinds: Set<QueueAlert.Kind>
    /// The shell command to run for each.
    var command: String?
}

extension CommandLineParser {
    static func watch(_ arguments: Arguments) throws(QueueError) -> Invocation {
        let command = arguments.text("--run")
        guard let text = arguments.text("--on") else {
            guard command == nil else {
                throw .usage("--run needs --on", of: arguments.command)
            }
            return .follow(.watch)
        }
        guard command?.allSatisfy(\.isWhitespace) != true else {
            throw .badValue("--run", command ?? "", allowed: "a shell command")
        }
        var call = AlertCall(kinds: [], command: command)
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let kind = QueueAlert.Kind(rawValue: String(word)) else {
                let all = QueueAlert.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badValue("--on", String(word), allowed: all)
            }
            call.kinds.insert(kind)
        }
        return .follow(.alerts(call))
    }
}
