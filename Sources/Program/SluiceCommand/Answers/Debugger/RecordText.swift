import SluiceModel
import SluiceTapes

extension TapeRecorder.Report {
    /// Whether all is on the tape, and each redaction applied.
    var isWhole: Bool { loss == nil && !redactions.contains(0) }

    /// The contents of the tape, with the command that opens it in a shell or in the console.
    func lines(_ request: TapeRecorder.Request, inConsole: Bool = false) -> [String] {
        let path = SafeText.visible(request.path)
        let count = events == 1 ? "1 event" : "\(events) events"
        let word = SafeText.visible(ShellWord.quoted(Self.place(request.path)))
        let first = "\(path): \(count)" + (loss.map { "; it ended early: \($0)" } ?? "")
        let opening = "open it with: \(inConsole ? ":open" : "sluice") \(word)"
        let left = zip(request.redactedNames, redactions).map { name, count in
            count == 0
                ? "\(name) stood in no payload, so nothing was left out by it"
                : "\(name) was left out \(count == 1 ? "once" : "\(count) times")"
        }
        return [first, opening] + left
    }

    /// A path that is no verb and no option.
    private static func place(_ path: String) -> String {
        path.contains("/") || path.contains(".") && !path.hasPrefix("-") ? path : "./\(path)"
    }
}
