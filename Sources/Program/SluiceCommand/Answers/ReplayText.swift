import SluiceModel
import SluiceTapes

/// What a replay found, in both forms.
enum ReplayText {
    static func reply(_ report: TapeReplay.Report, _ file: TapeFile, isTest: Bool) -> Reply {
        var object = JSONObject()
        object["events"] = JSONValue(report.events)
        object["decisions"] = JSONValue(report.decisions)
        object["same"] = .bool(report.first == nil)
        object["differences"] = JSONValue(report.differences)
        object["difference"] = report.first.map(json) ?? .null
        var reply = Reply(.object(object), lines(report, file, isTest: isTest))
        if isTest, report.first != nil { reply.exit = .refused }
        return reply
    }

    private static func json(_ difference: TapeReplay.Difference) -> JSONValue {
        [
            "event": JSONValue(difference.event), "what": .string(difference.what),
            "tape": difference.tape, "rules": difference.rules,
        ]
    }

    private static func lines(
        _ report: TapeReplay.Report, _ file: TapeFile, isTest: Bool
    ) -> [String] {
        let events = counted(report.events, "event")
        let decisions = counted(report.decisions, "decision")
        let head = "\(file.path): \(events), \(decisions)"
        var lines: [String]
        if let first = report.first {
            let many = counted(report.differences, "difference")
            lines = [
                isTest ? "\(head): the rules say something else" : "\(head): \(many)",
                "event \(first.event), \(first.what)", "  tape:  \(first.tape.text)",
                "  rules: \(first.rules.text)",
            ]
        } else {
            lines = ["\(head): the rules say the same"]
        }
        if let remark = file.remark { lines.append(remark) }
        return lines.map(SafeText.visible)
    }

    private static func counted(_ number: Int, _ word: String) -> String {
        "\(NumberText.grouped(number)) \(word)\(number == 1 ? "" : "s")"
    }
}
