import SluiceModel

extension RowTable {
    /// django-tasks-db, the database backend of Django's tasks. A `run_after` of the year 9999
    /// means no time at all.
    static let djangoTasks = RowTable(
        name: "djangotasks", title: "django-tasks-db",
        table: "django_tasks_database_dbtaskresult",
        needs: [
            "id", "status", "enqueued_at", "started_at", "finished_at", "args_kwargs", "priority",
            "task_path", "worker_ids", "queue_name", "run_after", "exception_class_path",
            "traceback",
        ],
        hasNumbers: false, queue: "queue_name", time: "run_after", clock: .date,
        hold: .time("run_after", immediate: "9999-01-01 00:00:00"), ready: "@status = 'READY'",
        states: [
            (.running, "@status = 'RUNNING'"), (.failed, "@status = 'FAILED'"),
            (.succeeded, "@status = 'SUCCESSFUL'"),
        ],
        watched: ["status"], priority: "priority", created: "enqueued_at",
        ended: "finished_at",
        order: [
            ("@priority", true), ("@run_after", false), ("@enqueued_at", false), ("@id", false),
        ],
        large: ["args_kwargs", "traceback", "return_value"], read: read,
        edit: { row, value in
            guard value["args"]?.array != nil, value["kwargs"]?.object != nil else {
                throw QueueError(
                    .badValue, "the payload has no args and kwargs",
                    fix: "give all of it, as sluice show has it")
            }
            return ["args_kwargs": .string(value.text)]
        },
        retrying: [
            "status": "'READY'", "run_after": "'9999-01-01 00:00:00'", "started_at": "NULL",
            "finished_at": "NULL", "exception_class_path": "''", "traceback": "''",
        ],
        holder: { row in
            let workers = row["worker_ids"].flatMap { $0.array == nil ? $0.string : $0.text }
                .flatMap { try? JSONValue.parse($0) }
            return ForeignHolder(
                worker: workers?.array?.last?.string ?? "?",
                since: RowClock.date.moment(row["started_at"]), heardAt: nil,
                advice: "django-tasks-db gives it to no other worker: enqueue it anew")
        },
        risks: ["its run_after is 4,000 years later, or 8000-01-01 where it had no time"])

    private static let read: @Sendable (JSONValue) -> RowContent = { row in
        let text = row["args_kwargs"]?.string ?? ""
        let value = try? JSONValue.parse(text)
        let path = row["task_path"]?.string ?? "?"
        var content = RowContent(
            type: path.split(separator: ".").last.map(String.init) ?? path,
            payload: ForeignPayload(
                bytes: Array(text.utf8), format: "json", value: value,
                whyFixed: value == nil ? "it is no JSON" : nil))
        content.label = "\(path)\(value?.text ?? "")".prefix(200).description
        if let trace = row["traceback"]?.string, !trace.isEmpty {
            content.error = trace.split(whereSeparator: \.isNewline).last.map(String.init)
            content.fullError = trace
        }
        return content
    }
}
