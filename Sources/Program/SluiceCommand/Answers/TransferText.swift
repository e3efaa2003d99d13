import SluiceControl
import SluiceModel
import SluiceSystem
import SluiceTransfer

/// The result of an export, as text and as JSON.
enum ExportText {
    static func reply(
        _ report: ExportReport, _ call: ExportCall, archive: HARSink? = nil
    ) -> Reply {
        var json: JSONObject = [
            "target": .string(call.target), "format": .string(call.format.rawValue),
            "tasks": JSONValue(report.tasks), "queues": JSONValue(report.queues),
            "notHeld": LossText.json(report.losses), "stopped": .bool(report.isStopped),
        ]
        var count = NumberText.tasks(report.tasks)
        if let archive {
            json["requests"] = JSONValue(archive.count)
            json["redactions"] = .array(
                archive.redacted.map { ["path": .string($0.path), "applied": JSONValue($0.count)] })
            let requests = archive.count == 1 ? "1 request" : "\(archive.count) requests"
            count = "\(requests) of \(count)"
        }
        let first =
            report.isStopped
            ? "stopped: nothing was written"
            : "\(count) written to \(call.target == "-" ? "standard output" : call.target)"
        let losses = LossText.line(report.losses, "the format does not hold")
        var reply = Reply(.object(json), ([first] + losses).map(SafeText.visible))
        reply.isConfirmation = !report.isStopped && report.losses.isEmpty
        if call.target == "-" { reply.stream = .errors }
        if report.isStopped { reply.exit = .interrupted }
        return reply
    }
}

/// The result of an import, as text and as JSON.
enum ImportText {
    private static let shownRefusals = 20
    /// The maximum number of new queues in the text; JSON has all.
    private static let shownQueues = 8

    static func reply(_ report: ImportReport, _ source: any TransferSource) -> Reply {
        var reply = Reply(json(report, source), lines(report, source).map(SafeText.visible))
        reply.isConfirmation = report.refusedCount == 0 && report.losses.isEmpty
        if report.isStopped {
            reply.exit = .interrupted
        } else if report.error != nil || report.refusedCount > 0 {
            reply.exit = report.added > 0 ? .partlyDone : .refused
        }
        return reply
    }

    private static func json(_ report: ImportReport, _ source: any TransferSource) -> JSONValue {
        [
            "source": .string(Secrets.hidden(in: source.name)),
            "format": .string(source.format.rawValue),
            "added": JSONValue(report.added), "known": JSONValue(report.known),
            "created": JSONValue(report.created), "failedCount": JSONValue(report.refusedCount),
            "failed": .array(
                report.refused.map { refusal in
                    [
                        "line": JSONValue(refusal.line), "origin": .string(refusal.origin),
                        "code": .string(refusal.error.code.rawValue),
                        "error": .string(refusal.error.description),
                    ]
                }),
            "undo": JSONValue(report.undo), "notHeld": LossText.json(report.losses),
            "stopped": .bool(report.isStopped),
            "error": report.error.map(ErrorJSON.value) ?? .null,
        ]
    }

    private static func lines(
        _ report: ImportReport, _ source: any TransferSource
    ) -> [String] {
        let name = Secrets.hidden(in: source.name)
        var lines = ["\(NumberText.tasks(report.added)) imported from \(name)"]
        if report.known > 0 {
            lines.append("  \(NumberText.tasks(report.known)) came in before, or are of this store")
        }
        if !report.created.isEmpty {
            let more = report.created.count - shownQueues
            lines.append(
                "  new queues: \(report.created.prefix(shownQueues).joined(separator: ", "))"
                    + (more > 0 ? " and \(NumberText.grouped(more)) more" : ""))
        }
        lines += LossText.line(report.losses, "left behind")
        lines += report.refused.prefix(shownRefusals).map { refusal in
            let place = refusal.line.map { "line \($0)" } ?? refusal.origin
            return "not imported: \(place): \(refusal.error.description)"
        }
        let more = report.refusedCount - min(report.refused.count, shownRefusals)
        if more > 0 { lines.append("not imported: \(NumberText.grouped(more)) more") }
        if let error = report.error { lines.append("it ended early: \(error.description)") }
        if report.isStopped { lines.append("stopped: the same import continues with the rest") }
        if let undo = report.undo { lines.append("undo with: sluice undo \(undo)") }
        return lines
    }
}

/// The values that a transfer omitted.
private enum LossText {
    static func json(_ losses: [TransferLoss]) -> JSONValue {
        .array(losses.map { ["what": .string($0.what), "tasks": JSONValue($0.tasks)] })
    }

    static func line(_ losses: [TransferLoss], _ words: String) -> [String] {
        guard !losses.isEmpty else { return [] }
        let all = losses.map { "\($0.what) (\(NumberText.grouped($0.tasks)))" }
        return ["  \(words): \(all.joined(separator: ", "))"]
    }
}
