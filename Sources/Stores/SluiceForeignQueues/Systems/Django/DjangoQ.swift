import SluiceModel

extension RowTable {
    /// django-q2 with Django's database as its broker. A cluster that takes a row writes the time
    /// when another one may take it, so a row with a later time is running.
    static let djangoQ = RowTable(
        name: "djangoq", title: "django-q2", table: "django_q_ormq",
        needs: ["id", "key", "payload", "lock"], isExact: true, queue: "key", unnamed: "default",
        time: "lock", clock: .date, hold: .time("lock"), ready: "@id IS NOT NULL", states: [],
        isTakenLater: true, watched: nil, order: [("@id", false)], large: ["payload"],
        read: { DjangoPackage($0["payload"]?.string ?? "").content },
        whyFixed: "django-q2 signs its tasks with the app's SECRET_KEY",
        others: [
            ended(.failed, "@success = false"), ended(.succeeded, "@success = true"),
        ],
        risks: [
            "its lock is 4,000 years later",
            "a stepped task that its cluster does not finish within retry seconds runs again",
        ])

    private static func ended(
        _ display: ForeignTask.Display, _ condition: String
    ) -> OtherRows {
        OtherRows(
            table: "django_q_task",
            needs: ["id", "func", "args", "kwargs", "result", "stopped", "success", "cluster"],
            key: "id", queue: "cluster", display: display, condition: condition, ended: "stopped",
            large: ["args", "kwargs", "result"],
            read: { row in
                func value(_ key: String) -> JSONValue {
                    row[key]?.string.flatMap { DjangoPackage.pickled($0, isURLSafe: false) }
                        ?? .null
                }
                let payload: JSONValue = ["args": value("args"), "kwargs": value("kwargs")]
                let name = row["func"]?.string ?? "?"
                var content = RowContent(
                    type: name.split(separator: ".").last.map(String.init) ?? name,
                    payload: ForeignPayload(
                        bytes: Array(payload.text.utf8), format: "pickle", value: payload,
                        whyFixed: djangoQ.whyFixed))
                content.label = "\(name)\(payload.text)".prefix(200).description
                content.isFailure = display == .failed
                if display == .failed, let text = value("result").string {
                    content.error = text.split(separator: " : Traceback").first.map(String.init)
                    content.fullError = text
                }
                return content
            },
            again: nil, isSame: { id, dialect in "j.id = \(try dialect.literal(id))" })
    }
}

/// A django-q2 package: a signed pickle as text. This type does not verify the signature, and calls
/// nothing from the pickle.
private struct DjangoPackage {
    private let text: String
    private let value: JSONValue?

    init(_ text: String) {
        self.text = text
        value = text.split(separator: ":").first.flatMap { Self.pickled($0, isURLSafe: true) }
    }

    /// Decodes a pickle from base64 text, decompressed if needed.
    static func pickled(_ text: some StringProtocol, isURLSafe: Bool) -> JSONValue? {
        let isPacked = text.hasPrefix(".")
        var digits = text.drop { $0 == "." }.map { character -> Character in
            guard isURLSafe else { return character }
            return character == "-" ? "+" : character == "_" ? "/" : character
        }
        while digits.count % 4 != 0 { digits.append("=") }
        guard let bytes = Base64.decode(String(digits)) else { return nil }
        let content = isPacked || !isURLSafe ? Zlib.content(bytes) ?? bytes : bytes
        guard let value = PickleReader.value(content) else { return nil }
        var text = PickleText()
        return text.json(value)
    }

    var content: RowContent {
        let name = value?["func"]?.string ?? "?"
        var content = RowContent(
            type: name.split(separator: ".").last.map(String.init) ?? name,
            payload: ForeignPayload(
                bytes: Array(text.utf8), format: value == nil ? "text" : "signed pickle",
                value: value, whyFixed: RowTable.djangoQ.whyFixed))
        let call = "\(name)(\(value?["args"]?.text ?? "") \(value?["kwargs"]?.text ?? ""))"
        content.label = value == nil ? nil : String(call.prefix(200))
        content.identity = value?["id"]?.string
        return content
    }
}
