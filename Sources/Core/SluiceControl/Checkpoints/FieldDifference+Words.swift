package import SluiceModel

extension FieldDifference {
    /// The text of a field's value in a difference.
    package static func words(_ value: JSONValue) -> String {
        switch value {
        case .null: return "none"
        case .string(let text): return text
        case .bool(let isSo): return isSo ? "yes" : "no"
        case .array(let values):
            return values.isEmpty ? "none" : values.map(words).joined(separator: ", ")
        case .object(let object):
            // The object is a skip or the reason of a parked task.
            if let person = object["by"]?.string {
                let end = object["until"]?.string.map { ", until \($0)" } ?? ""
                return "by \(person)\(end)"
            }
            let cause = [object["cause"], object["detail"]].compactMap { $0?.string }
            return cause.isEmpty ? value.text : cause.filter { !$0.isEmpty }.joined(separator: ": ")
        case .integer, .number: return value.text
        }
    }

    /// The same, cut if it is long.
    package static func shortWords(_ value: JSONValue) -> String { cut(words(value)) }

    private static let longest = 60

    /// A text of a line, cut if it is long.
    static func cut(_ text: String) -> String {
        text.count <= longest ? text : "\(text.prefix(longest - 1))…"
    }
}
