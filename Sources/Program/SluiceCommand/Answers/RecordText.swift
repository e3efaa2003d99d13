import SluiceTapes

extension TapeRecorder.Report {
    /// Whether all is on the tape, and each redaction applied.
    var isWhole: Bool { loss == nil && !redactions.contains(0) }

    /// What is on the tape, for people.
    func lines(_ request: TapeRecorder.Request) -> [String] {
        let path = SafeText.visible(request.path)
        let count = events == 1 ? "1 event" : "\(events) events"
        let first = "\(path): \(count)" + (loss.map { "; it ended early: \($0)" } ?? "")
        let left = zip(request.redactedNames, redactions).map { name, count in
            count == 0
                ? "\(name) stood in no payload, so nothing was left out by it"
                : "\(name) was left out \(count == 1 ? "once" : "\(count) times")"
        }
        return [first] + left
    }
}
