import SluiceControl
import SluiceModel
import SluiceTerminalUI

extension EventLine {
    /// The line as JSON; `inQueue` exists only if known.
    var json: JSONValue {
        var object: JSONObject = [
            "sequence": JSONValue(sequence),
            "at": JSONValue(at),
            "kind": .string(kind),
            "queue": JSONValue(queue),
            "task": JSONValue(task),
            "by": .string(by),
            "text": .string(text),
        ]
        object["inQueue"] = inQueue.map { JSONValue($0) }
        return .object(object)
    }

    /// The line for people; its number is what `undo EVENT` takes.
    var line: String {
        let place = queue.map { SafeText.visible($0) + "  " } ?? ""
        let number = DisplayText.paddedLeft(sequence.map(String.init) ?? "", to: numberWidth)
        return "\(number)  \(ClockText.moment(at))  \(place)\(SafeText.visible(text))"
    }

    /// The width of the number column. Lines are printed one at a time, so each line has its own
    /// width.
    private var numberWidth: Int { max(5, sequence.map { "\($0)".utf8.count } ?? 0) }
}
