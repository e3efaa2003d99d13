import SluiceControl
import SluiceModel
import SluiceTapes

/// `record` and `replay` (G6).
extension CommandLineParser {
    static func replay(_ arguments: Arguments) throws(QueueError) -> ReplayCall {
        var call = ReplayCall(path: try arguments.one("FILE"))
        call.event = try arguments.count("--at", atLeast: 0)
        call.target = arguments.text("--into")
        for text in arguments.all("--set") { call.settings.append(try setting(text)) }
        if call.target != nil, call.event == nil {
            throw .usage("--into needs the event, --at N", of: arguments.command)
        }
        if call.target != nil, !call.settings.isEmpty {
            throw .usage("--into makes a store of the past, without --set", of: arguments.command)
        }
        return call
    }

    private static func setting(_ text: String) throws(QueueError) -> ReplayCall.Setting {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        // A queue's name may have dots, a setting has none.
        guard parts.count == 2, let dot = parts[0].lastIndex(of: "."), dot > parts[0].startIndex
        else { throw .badValue("--set", text, allowed: "QUEUE.SETTING=VALUE") }
        let name = String(parts[0][parts[0].index(after: dot)...])
        let known = QueueSetting.allCases
        guard let setting = known.first(where: { $0.option == "--\(name)" }) else {
            let names = known.map { String($0.option.dropFirst(2)) }
            let near = Spelling.nearest(to: name, among: names)
            throw QueueError(
                .badValue, "--set: a queue has no setting \"\(name)\"",
                fix: near.map { "did you mean \"\($0)\"?" }
                    ?? "sluice help queue set lists them")
        }
        guard let change = try? setting.change(String(parts[1])) else {
            throw .badValue("--set", text, allowed: "\(parts[0])=VALUE: \(setting.allowed)")
        }
        return ReplayCall.Setting(
            queue: Names.composed(String(parts[0][..<dot])), change: change)
    }

    static func record(_ arguments: Arguments) throws(QueueError) -> RecordCall {
        var request = TapeRecorder.Request(path: try arguments.one("FILE"))
        guard request.path != "" else {
            throw .badValue("FILE", "", allowed: "a path such as ./incident.tape")
        }
        let queues = arguments.all("--queue")
        for name in queues { try Names.check(name, of: "queue") }
        if !queues.isEmpty { request.queues = queues }
        for text in arguments.all("--redact") {
            let bare = text.hasPrefix("payload.") ? String(text.dropFirst(8)) : text
            guard let path = SummaryPaths(text: bare)?.paths.first, bare != "none",
                !bare.contains(",")
            else {
                throw .badValue(
                    "--redact", text, allowed: "a place such as payload.user.email")
            }
            request.redactions.append(path)
            request.redactedNames.append("payload.\(bare)")
        }
        request.endsOlder = arguments.has("--yes")
        let duration = try arguments.milliseconds("--for")
        if let duration, duration <= 0 {
            throw .badValue("--for", arguments.text("--for") ?? "", allowed: "30s, 10m or 2h")
        }
        return RecordCall(request: request, forMilliseconds: duration)
    }
}
