import SluiceModel

/// Values as Python writes them (`repr`), as far as JSON has such.
enum PythonText {
    /// Longer texts are cut, as Celery cuts its own.
    private static let limit = 1024

    /// The arguments of a call: a tuple, or a list where it was said as one.
    static func arguments(_ values: [JSONValue], asList: Bool) -> String {
        let inner = values.map(text).joined(separator: ", ")
        if asList { return cut("[\(inner)]") }
        return cut(values.count == 1 ? "(\(inner),)" : "(\(inner))")
    }

    static func named(_ values: JSONObject) -> String { cut(text(.object(values))) }

    private static func cut(_ text: String) -> String {
        text.count <= limit ? text : text.prefix(limit - 3) + "..."
    }

    private static func text(_ value: JSONValue) -> String {
        if let string = value.string { return quoted(string) }
        if let values = value.array { return "[\(values.map(text).joined(separator: ", "))]" }
        if let object = value.object {
            let pairs = object.pairs.map { "\(quoted($0.key)): \(text($0.value))" }
            return "{\(pairs.joined(separator: ", "))}"
        }
        if let bool = value.bool { return bool ? "True" : "False" }
        return value.isNull ? "None" : value.text
    }

    private static func quoted(_ text: String) -> String {
        let quote: Unicode.Scalar = text.contains("'") && !text.contains("\"") ? "\"" : "'"
        var result = String(quote)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case quote: result += "\\\(quote)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                let digits = String(scalar.value, radix: 16)
                result += "\\x" + (digits.count < 2 ? "0" : "") + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + String(quote)
    }
}
