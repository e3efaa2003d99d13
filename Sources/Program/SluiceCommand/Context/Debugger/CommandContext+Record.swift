import SluiceModel
import SluicePlatform
import SluiceStore
import SluiceTapes

/// `record` (G6).
extension CommandContext {
    /// Records until TERM, INT or the end of `--for`, then reports the tape's contents.
    func record(_ call: RecordCall) throws -> Reply {
        let store = try store()
        guard !store.isReadOnly else {
            throw QueueError(
                .readOnly, "record leaves a mark in the store while it records",
                fix: "leave --read-only out")
        }
        var request = call.request
        if !request.endsOlder, host.canAsk(), let ended = try ends(.recording) {
            guard try isAgreed([ended]) else { return AnswerText.reply(notConfirmed) }
            request.endsOlder = true
        }
        let stop = try EventSignal()
        let signals = try SignalWatch { _ in
            stop.signal()
            return true
        }
        defer { signals.end() }
        let began = host.now()
        let recorder = try TapeRecorder(
            store, request, person: person, now: host.now, chance: host.chance())
        if !common.isQuiet, !common.isJSON {
            let path = SafeText.visible(request.path)
            let time = call.forMilliseconds.map { "for \(DurationText.compact($0)) or " } ?? ""
            try host.write("sluice: recording into \(path), \(time)until ^C\n", .errors)
        }
        let report = try recorder.run(
            stop: stop, until: call.forMilliseconds.map { began + $0 })
        return reply(report, request)
    }

    private func reply(_ report: TapeRecorder.Report, _ request: TapeRecorder.Request) -> Reply {
        var redactions = JSONObject()
        for (name, count) in zip(request.redactedNames, report.redactions) {
            redactions[name] = .integer(Int64(count))
        }
        var object = JSONObject()
        object["file"] = .string(request.path)
        object["events"] = .integer(Int64(report.events))
        object["redactions"] = .object(redactions)
        object["ended"] = JSONValue(report.loss)
        var reply = Reply(.object(object), report.lines(request))
        reply.isConfirmation = report.isWhole
        if !report.isWhole { reply.exit = .partlyDone }
        return reply
    }
}
