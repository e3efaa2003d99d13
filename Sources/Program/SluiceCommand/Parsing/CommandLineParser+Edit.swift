import SluiceControl
import SluiceModel

/// `edit`: a new payload, and fields as `--set FIELD=VALUE`.
extension CommandLineParser {
    static let editableFields = [
        "type", "priority", "sortKey", "label", "attempts", "expires", "requires", "required",
    ]

    static func edit(_ arguments: Arguments, now: Timestamp) throws(QueueError) -> TaskAction {
        guard !(arguments.has("--payload") && arguments.has("--payload-file")) else {
            throw .usage("either --payload or --payload-file", of: arguments.command)
        }
        let payload =
            arguments.bytes("--payload").map(ByteSource.bytes)
            ?? arguments.text("--payload-file").map(ByteSource.init(file:))
        var fields: [FieldChange] = []
        for text in arguments.all("--set") { fields.append(try field(text, now: now)) }
        guard payload != nil || !fields.isEmpty else {
            throw .usage(
                "nothing to change: --payload, --payload-file or --set", of: arguments.command)
        }
        return .edit(payload: payload, fields: fields)
    }

    private static func field(_ text: String, now: Timestamp) throws(QueueError) -> FieldChange {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw .badValue("--set", text, allowed: "FIELD=VALUE")
        }
        let value = String(parts[1])
        let option = "--set \(parts[0])"
        switch parts[0] {
        case "type":
            try Names.check(value, of: "type")
            return .type(value)
        case "priority": return .priority(try Arguments.priority(value, of: option))
        case "sortKey": return .sortKey(value.isEmpty ? nil : sortKey(value))
        case "label": return .label(value.isEmpty ? nil : value)
        case "attempts": return .attemptLimit(try countOrNone(value, of: option))
        case "expires":
            let never = value == "none"
            return .expiresAt(never ? nil : try Arguments.moment(value, of: option, now: now))
        case "requires":
            let names = value == "none" ? [] : value.split(separator: ",").map(String.init)
            return .requires(try requirements(names, of: option))
        case "required": return .isRequired(try yesOrNo(value, of: option))
        default: throw unknownField(String(parts[0]))
        }
    }

    private static func unknownField(_ name: String) -> QueueError {
        let near = Spelling.nearest(to: name, among: editableFields)
        let known = editableFields.joined(separator: ", ")
        return QueueError(
            .badValue, "--set: there is no field \"\(name)\"",
            fix: near.map { "did you mean \($0)?" } ?? "allowed: \(known)")
    }
}
