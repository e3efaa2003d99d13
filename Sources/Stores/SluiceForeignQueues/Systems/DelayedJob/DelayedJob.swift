import SluiceModel

extension RowTable {
    /// Delayed::Job for Ruby with Active Record, and its fork `delayed`. By default workers take
    /// every queue name, so a hold changes the time.
    static let delayedJob = RowTable(
        name: "delayedjob", title: "Delayed::Job", table: "delayed_jobs",
        needs: [
            "id", "priority", "attempts", "handler", "last_error", "run_at", "locked_at",
            "failed_at", "locked_by", "queue", "created_at",
        ],
        queue: "queue", unnamed: "default", time: "run_at", clock: .date, hold: .time("run_at"),
        ready: "@locked_at IS NULL AND @failed_at IS NULL",
        states: [
            (.running, "@locked_at IS NOT NULL AND @failed_at IS NULL"),
            (.failed, "@failed_at IS NOT NULL"),
        ],
        watched: ["locked_at", "failed_at"], attempts: "attempts", priority: "priority",
        created: "created_at", ended: "failed_at",
        order: [
            ("@priority", false), ("coalesce(@run_at, '1970-01-01 00:00:00')", false),
            ("@id", false),
        ],
        large: ["handler", "last_error"], read: { DelayedJobHandler($0).content },
        whyFixed: "Delayed::Job keeps YAML with objects of Ruby in it, which is not written here",
        retrying: [
            "failed_at": "NULL", "attempts": "0", "locked_at": "NULL", "locked_by": "NULL",
        ],
        holder: { row in
            ForeignHolder(
                worker: row["locked_by"]?.string ?? "?",
                since: RowClock.date.moment(row["locked_at"]), heardAt: nil,
                advice: "Delayed::Job gives it to another worker when its max_run_time has passed, "
                    + "which is 4 h, of its fork delayed 20 minutes, unless the app says otherwise")
        },
        risks: ["its run_at is 4,000 years later"])
}

/// The handler of a job: YAML of an object of Ruby's.
private struct DelayedJobHandler {
    private let row: JSONValue
    private let text: String
    private let value: JSONValue?

    init(_ row: JSONValue) {
        self.row = row
        text = row["handler"]?.string ?? ""
        value = RubyYAMLReader.value(text)
    }

    var content: RowContent {
        var content = RowContent(
            type: type,
            payload: ForeignPayload(
                bytes: Array(text.utf8), format: value == nil ? "text" : "yaml",
                value: value ?? .string(text), whyFixed: RowTable.delayedJob.whyFixed))
        content.label = arguments.map { String($0.text.prefix(200)) }
        content.error = row["last_error"]?.string?.split(whereSeparator: \.isNewline).first
            .map(String.init)
        content.fullError = row["last_error"]?.string
        return content
    }

    /// The class of the job: inside Active Job's wrapper its own one, of a method that is called
    /// later the class and the method.
    private var type: String {
        let own = value?[PHPReader.classKey]?.string ?? firstType
        if let name = value?["job_data"]?["job_class"]?.string { return name }
        guard let method = value?["method_name"]?.string else { return own ?? "?" }
        let object = value?["object"]
        let name = object?[PHPReader.classKey]?.string ?? object?.string ?? "?"
        return "\(name)#\(method.drop { $0 == ":" })"
    }

    private var arguments: JSONValue? {
        if let data = value?["job_data"] { return data["arguments"] }
        if value?["method_name"] != nil { return value?["args"] }
        guard let object = value?.object else { return nil }
        return .object(
            JSONObject(
                object.pairs.filter { $0.key != PHPReader.classKey }.map { ($0.key, $0.value) }))
    }

    /// The class out of a text that is too long to be read whole.
    private var firstType: String? {
        let line = text.prefix { $0 != "\n" }
        return line.split(separator: ":", maxSplits: 1).last.map(String.init)
    }
}
