import SluiceControl
import SluiceModel

/// The results that a session waits for, as text.
enum ResultText {
    static func lines(
        _ results: [ResultLine], session: String, names: TaskNames, now: Timestamp, width: Int?
    ) -> [String] {
        guard !results.isEmpty else {
            let name = SafeText.visible(session)
            return ["session \(name) waits for nothing: no task of it is left, or all is collected"]
        }
        return TextTable<ResultLine>([
            .numbers("#") { names.word($0.task.id) },
            .words("TYPE", limit: 30) { $0.task.type },
            .words("CLIENT", limit: 30) {
                $0.task.clientString.map(TaskSentences.clientString) ?? ""
            },
            .whole("STATE") { $0.task.state.name.rawValue },
            .whole("OUTCOME") { $0.outcome?.rawValue ?? "" },
            .whole("ENDED") { $0.task.endedAt.map { ClockText.relative($0, now: now) } ?? "" },
            .words("RESULT") { what($0, names) },
        ]).lines(results, width)
    }

    /// The result, or else the reason for its absence.
    private static func what(_ line: ResultLine, _ names: TaskNames) -> String {
        if let fault = line.fault { return "unreadable: \(fault.rawValue)" }
        if let result = line.result { return String(decoding: result, as: UTF8.self) }
        if let attempt = line.attempt {
            return TaskText.progress(attempt.fraction, attempt.progressWords)
                ?? "runs, attempt \(attempt.number)"
        }
        if let first = line.blockers.first {
            let more = line.blockers.count > 1 ? " (\(line.blockers.count - 1) more)" : ""
            return "waits: \(names.text(first.text))\(more)"
        }
        return line.task.endedAt == nil ? "may start now" : line.task.error ?? ""
    }
}

/// The results that a session waits for, as JSON.
enum ResultJSON {
    /// One task of `results`.
    static func value(_ line: ResultLine) -> JSONValue {
        let task = line.task
        var object: JSONObject = [
            "id": .integer(task.id), "type": .string(task.type),
        ]
        TaskJSON.put(task.clientString, into: &object)
        object["state"] = .string(task.state.name.rawValue)
        object["outcome"] = JSONValue(line.outcome?.rawValue)
        object["failure"] =
            line.fault.map { fault in
                [
                    "kind": .string(fault.rawValue),
                    "description": .string(String(decoding: line.payload, as: UTF8.self)),
                ]
            } ?? .null
        object["error"] = JSONValue(task.endedAt == nil ? nil : task.error)
        object["blockers"] = BlockerJSON.array(line.blockers)
        object["progress"] =
            line.attempt.map { attempt in
                [
                    "attempt": JSONValue(attempt.number), "fraction": JSONValue(attempt.fraction),
                    "text": JSONValue(attempt.progressText),
                ]
            } ?? .null
        TaskJSON.putResult(line.result, into: &object)
        return .object(object)
    }
}
