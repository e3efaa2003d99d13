import SluiceControl
import SluiceModel

/// The `changes` object of the JSON contract, and the results of verbs with other forms.
enum AnswerJSON {
    /// The changes of a verb. Foreign tasks appear with their own ids.
    static func changes(_ answer: Answer, _ names: TaskNames = TaskNames()) -> JSONObject {
        var object: JSONObject = [
            "changed": .array(answer.changed.map(names.json)),
            "failed": .array(answer.failed.map { failure($0, names) }),
            "consequences": JSONValue(answer.consequences),
            "undo": JSONValue(answer.undo),
        ]
        if let stop = answer.stop {
            object["stopped"] = [
                "left": .array(stop.left.map { names.json($0.id) }),
                "error": stop.error.map(ErrorJSON.value) ?? .null,
            ]
        }
        return object
    }

    static func enqueue(_ answer: Answer) -> JSONObject {
        var object: JSONObject = [
            "ids": .array(answer.changed.map(JSONValue.integer)),
            "created": JSONValue(answer.createdQueue),
        ]
        if !answer.kept.isEmpty {
            object["kept"] = .array(
                answer.kept.map { ["id": .integer($0.id), "state": .string($0.state.rawValue)] })
        }
        return object
    }

    /// The result of `pause` and `resume` for a queue; `queue` is null for the whole store.
    static func pauses(
        _ answer: Answer, queue: String?, state: String, _ names: TaskNames
    ) -> JSONObject {
        [
            "queue": JSONValue(queue),
            "state": .string(state),
            "ended": PauseJSON.array(answer.endedPauses, names),
            "pauses": PauseJSON.array(answer.pauses, names),
            "undo": JSONValue(answer.undo),
        ]
    }

    private static func failure(_ failure: Answer.Failure, _ names: TaskNames) -> JSONValue {
        [
            "id": names.json(failure.id),
            "code": .string(failure.error.code.rawValue),
            "error": .string(failure.error.description),
        ]
    }
}

/// An error as `--json` says it.
enum ErrorJSON {
    static func text(_ error: QueueError) -> String {
        let object: JSONValue = ["error": value(error)]
        return object.text
    }

    static func value(_ error: QueueError) -> JSONValue {
        [
            "code": .string(error.code.rawValue),
            "message": .string(error.message),
            "fix": .string(error.fix),
        ]
    }
}

extension TaskNames {
    /// The id of a task: its number, or the text that is its id in another system.
    func json(_ id: TaskID) -> JSONValue { isForeign ? .string(reference(id)) : .integer(id) }
}
