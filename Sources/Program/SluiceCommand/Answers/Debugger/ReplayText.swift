import SluiceControl
import SluiceModel
import SluiceTapes

/// The result of a replay, as text and as JSON.
enum ReplayText {
    /// The maximum number of differences in the text; JSON has up to a thousand.
    private static let shown = 20
    /// How many tasks of one decision, and fields of one task.
    private static let shownParts = 3

    static func reply(_ report: TapeReplay.Report, _ file: TapeFile, isTest: Bool) -> Reply {
        var object = JSONObject()
        object["events"] = JSONValue(report.events)
        object["decisions"] = JSONValue(report.decisions)
        object["same"] = .bool(report.first == nil)
        object["differences"] = JSONValue(report.differences)
        object["difference"] = report.first.map(json) ?? .null
        object["all"] = .array(report.all.map(json))
        object["remark"] = JSONValue(file.remark)
        var reply = Reply(.object(object), lines(report, file, isTest: isTest))
        if isTest, report.first != nil { reply.exit = .refused }
        reply.isConfirmation = isTest && report.first == nil && file.remark == nil
        return reply
    }

    /// Throws `notLegal` if nothing could be compared because other queues were not recorded.
    static func check(
        _ report: TapeReplay.Report, _ file: TapeFile
    ) throws(QueueError) {
        guard report.decisions == 0, let queues = file.header.queues else { return }
        throw QueueError.notLegal(
            "\(file.path): nothing was compared: \(only(queues)), and what workers were given was "
                + "decided with the others",
            fix: "record without --queue to replay")
    }

    private static func only(_ queues: [String]) -> String {
        "only \(queues.count == 1 ? "queue" : "queues") \(WordList.and(queues)) "
            + "\(queues.count == 1 ? "was" : "were") recorded"
    }

    private static func json(_ difference: TapeReplay.Difference) -> JSONValue {
        [
            "event": JSONValue(difference.event), "what": .string(difference.what),
            "tape": difference.tape, "rules": difference.rules, "text": .string(text(difference)),
        ]
    }

    private static func lines(
        _ report: TapeReplay.Report, _ file: TapeFile, isTest: Bool
    ) -> [String] {
        let events = counted(report.events, "event")
        let decisions = counted(report.decisions, "decision")
        let found =
            report.first == nil
            ? "the rules say the same"
            : isTest
                ? "the rules say something else" : counted(report.differences, "difference")
        var lines = ["\(file.path): \(events), \(decisions): \(found)"]
        lines += report.all.prefix(shown).map { "event \($0.event): \(text($0))" }
        let rest = report.differences - min(report.all.count, shown)
        if rest > 0 { lines.append("and \(NumberText.grouped(rest)) more") }
        if let queues = file.header.queues {
            lines.append("\(only(queues)): decisions with the others were not compared")
        }
        if let remark = file.remark { lines.append(remark) }
        return lines.map(SafeText.visible)
    }

    /// The result of the rules, and of the tape.
    private static func text(_ difference: TapeReplay.Difference) -> String {
        let parts = difference.parts.prefix(shownParts).map(text)
        let rest = difference.parts.count - parts.count
        return parts.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more tasks" : "")
    }

    private static func text(_ part: TapeReplay.Part) -> String {
        switch part {
        case .claim(let runner, let tape, let rules):
            return "worker \(runner) would be given \(names(rules)), the tape gave it "
                + names(tape)
        case .refused(let what, let error): return "\(what) would be refused: \(error.message)"
        case .presence(let id, let isThere):
            return "#\(id) would \(isThere ? "stay" : "be gone") after its end, on the tape it "
                + (isThere ? "was gone" : "stayed")
        case .end(let id, let fields):
            let told = fields.prefix(shownParts).map { field in
                let name = words[field.name] ?? field.name
                return "\(name) \(FieldDifference.shortWords(field.to)), on the tape "
                    + FieldDifference.shortWords(field.from)
            }
            let rest = fields.count - told.count
            return "#\(id) after its end: " + told.joined(separator: "; ")
                + (rest > 0 ? "; and \(rest) more" : "")
        }
    }

    private static func names(_ ids: [TaskID]) -> String {
        ids.isEmpty ? "nothing" : ids.map { "#\($0)" }.joined(separator: " ")
    }

    /// Fields in other words than JSON's.
    private static let words = [
        "notBefore": "waits until", "ended": "ended at", "attemptedInRun": "attempted in the run",
        "isHeld": "held by its group", "freshAt": "due since", "updatedAt": "changed at",
    ]

    private static func counted(_ number: Int, _ word: String) -> String {
        "\(NumberText.grouped(number)) \(word)\(number == 1 ? "" : "s")"
    }
}
