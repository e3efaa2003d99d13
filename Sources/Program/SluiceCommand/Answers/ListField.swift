import SluiceControl
import SluiceModel

/// A field of each task of a list, as `--fields` and `--columns` name it: a field of JSON, or a
/// place in the payload.
enum ListField: Hashable, Sendable {
    case named(String)
    case payload(PayloadPath)

    /// The default fields of `list`.
    static let usual = [
        "id", "reference", "queue", "type", "state", "display", "position", "priority",
        "priorityName", "sortKey", "groupStart", "groupMembers", "attempts", "attemptLimit",
        "notBefore", "createdAt", "version", "label", "error", "blockers",
    ]
    /// The fields that `list` shows only on request.
    static let more = [
        "payload", "startedAt", "finishedAt", "took", "expiresAt", "requires", "required",
        "unique", "session", "clientString", "parent", "schedule", "headers",
    ]

    /// Parses `id,type,payload.items[0].name`. Throws `badValue` for an invalid list of fields.
    static func list(_ text: String, of option: String) throws(QueueError) -> [ListField] {
        var fields: [ListField] = []
        for word in words(text) {
            let field = try ListField(word, of: option)
            guard !fields.contains(field) else {
                throw QueueError(
                    .badValue, "\(option): \"\(word)\" is named twice", fix: "name it once")
            }
            fields.append(field)
        }
        return fields
    }

    /// The parts between commas, quoted keys kept whole.
    private static func words(_ text: String) -> [String] {
        var (words, isQuoted, isEscaped) = ([""], false, false)
        for letter in text {
            if letter == ",", !isQuoted {
                words.append("")
                continue
            }
            if letter == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = letter == "\\" && !isEscaped
            words[words.count - 1].append(letter)
        }
        return words
    }

    private init(_ word: String, of option: String) throws(QueueError) {
        if Self.usual.contains(word) || Self.more.contains(word) {
            self = .named(word)
            return
        }
        guard let path = Self.path(word) else {
            throw QueueError(
                .badValue, "\(option): there is no field \"\(word)\"",
                fix: "allowed: payload.KEY, " + (Self.usual + Self.more).joined(separator: ", "))
        }
        self = .payload(path)
    }

    /// The place that `payload.KEY` or `payload[0]` means.
    private static func path(_ word: String) -> PayloadPath? {
        guard word.hasPrefix("payload.") || word.hasPrefix("payload[") else { return nil }
        let rest = word.dropFirst(word.hasPrefix("payload[") ? 7 : 8)
        guard let paths = PayloadPath.list(String(rest)), paths.count == 1 else { return nil }
        return paths[0]
    }

    /// Its name in JSON, and the heading of its column.
    var name: String {
        switch self {
        case .named(let name): name
        case .payload(let path): "payload\(path)"
        }
    }

    var needsPayload: Bool {
        switch self {
        case .named(let name): name == "payload"
        case .payload: true
        }
    }
}

extension ListField {
    /// The fields of a task, in the requested order.
    static func object(
        _ fields: [ListField], of entry: ListPage.Entry, _ payload: [UInt8]
    ) -> JSONObject {
        let task = entry.line.task
        var all = TaskJSON.object(entry.line, in: entry.queue)
        TaskJSON.putRest(of: task, into: &all)
        all["startedAt"] = JSONValue(task.running?.since)
        all["finishedAt"] = JSONValue(task.endedAt)
        all["took"] = JSONValue(entry.line.took)
        var chosen = JSONObject()
        for field in fields {
            switch field {
            case .named("payload"): TaskJSON.put(payload, as: "payload", into: &chosen)
            case .named(let name): chosen[name] = all[name] ?? .null
            case .payload(let path): chosen[field.name] = value(at: path, of: payload)
            }
        }
        return chosen
    }

    /// The requested fields of a foreign task, or all without a request.
    static func chosen(_ fields: [ListField], of task: JSONObject) -> JSONObject {
        guard !fields.isEmpty else { return task }
        var chosen = JSONObject()
        for field in fields { chosen[field.name] = task[field.name] ?? .null }
        return chosen
    }

    /// Throws `badValue` for a field that the tasks of another system do not have in a list.
    static func check(_ fields: [ListField], at tasks: [JSONObject]) throws(QueueError) {
        guard let known = tasks.first?.keys else { return }
        guard let field = fields.first(where: { !known.contains($0.name) }) else { return }
        throw QueueError(
            .badValue, "a list of another system's tasks has no field \(field.name)",
            fix: "allowed: \(known.joined(separator: ", ")); sluice show TASK says the rest")
    }

    /// The fields as the columns of a table for people; tasks are named as everywhere.
    static func table(
        _ fields: [ListField], of rows: [(line: TaskLine, object: JSONObject)],
        _ names: TaskNames, _ width: Int?
    ) -> [String] {
        table(fields, width, rows) { field, row in
            if field == .named("id") { return names.word(row.line.task.id) }
            if field == .named("took") { return row.line.took.map(DurationText.taken) ?? "" }
            return text(row.object[field.name] ?? row.object["\(field.name)Base64"])
        }
    }

    /// The same of another system's tasks.
    static func table(
        _ fields: [ListField], of rows: [JSONObject], _ width: Int?
    ) -> [String] {
        table(fields, width, rows) { field, row in text(row[field.name]) }
    }

    private static func table<Row>(
        _ fields: [ListField], _ width: Int?, _ rows: [Row],
        _ cell: @escaping (ListField, Row) -> String
    ) -> [String] {
        TextTable(
            fields.map { field in
                .words(field.name, limit: .max) { cell(field, $0) }
            }
        ).lines(rows, width)
    }

    private static func value(at path: PayloadPath, of payload: [UInt8]) -> JSONValue {
        path.written(in: payload).flatMap { try? JSONValue.parse($0) } ?? .null
    }

    private static func text(_ value: JSONValue?) -> String {
        guard let value, !value.isNull else { return "" }
        return value.string ?? value.text
    }
}
