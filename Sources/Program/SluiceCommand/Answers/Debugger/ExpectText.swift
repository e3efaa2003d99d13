import SluiceControl
import SluiceModel

/// The answer of `expect`, in both of its forms.
enum ExpectText {
    /// Whether the expectation held, the expected and actual values, and the reasons of the tasks
    /// in the way.
    static func reply(_ answer: ExpectAnswer, names: TaskNames) -> Reply {
        let json: JSONValue = [
            "held": .bool(answer.held),
            "expression": .string(answer.request.expectation.text),
            "expected": .string(answer.expected),
            "actual": .string(answer.actual),
            "milliseconds": .integer(answer.milliseconds),
            "why": .array(
                answer.why.map { line in
                    ["id": .integer(line.task.id), "blockers": BlockerJSON.array(line.blockers)]
                }),
        ]
        var reply = Reply(json, lines(answer, names))
        reply.isConfirmation = answer.held
        reply.exit = answer.held ? .done : .notHeld
        return reply
    }

    private static func lines(_ answer: ExpectAnswer, _ names: TaskNames) -> [String] {
        let after =
            answer.milliseconds > 0 ? " after \(DurationText.taken(answer.milliseconds))" : ""
        guard !answer.held else {
            return [SafeText.visible("held\(after): \(answer.expected)")]
        }
        let head = [
            "not held\(after)", "  expected: \(answer.expected)",
            "  is:       \(names.text(answer.actual))",
        ]
        return head.map(SafeText.visible)
            + TaskText.why(answer.why, names: names).map { "  \($0)" }
    }
}
