import SluiceModel
import SluiceRunner

/// The JSON line that gives a task to a persistent program.
enum TaskLine {
    /// The line with its newline. A JSON payload appears as a value, any other as `payloadBase64`.
    static func bytes(of execution: Execution) -> [UInt8] {
        let task = execution.task
        var object: JSONObject = [
            "id": .integer(task.id), "queue": .string(task.queue), "type": .string(task.type),
            "attempt": JSONValue(execution.number),
            "idempotencyKey": .string(execution.idempotencyKey),
        ]
        if !task.headers.isEmpty { object["headers"] = TaskHeaders.json(task.headers) }
        do throws(JSONError) {
            object["payload"] = try JSONValue.parse(execution.payload)
        } catch {
            object["payloadBase64"] = .string(Base64.encode(execution.payload))
        }
        return JSONValue.object(object).bytes + [UInt8(ascii: "\n")]
    }
}
