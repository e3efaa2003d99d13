import SluiceModel
import SluiceStore

/// The lines of `enqueue --jsonl`: each an object with the names of a task's JSON.
package enum TaskLines {
    package static let fields = [
        "type", "payload", "payloadBase64", "priority", "sortKey", "groupStart", "groupMembers",
        "notBefore", "attemptLimit", "expiresAt", "requires", "required", "unique",
        "uniqueFor", "label", "headers", "session", "clientString", "clientStringBase64",
    ]
    /// Fields of a task's JSON or of an export line that a new task ignores.
    static let passedOver: Set<String> = [
        "id", "reference", "queue", "state", "display", "position", "attempts", "createdAt",
        "version", "error", "blockers", "attemptLog", "losses", "result", "resultBase64", "parent",
        "followUps", "origin", "parentOrigin", "life", "executions", "lossesInSuccession",
        "offlineInSuccession", "depth", "priorityName",
    ]

    /// The request of a line; nil for an empty line, or for a queue of an export.
    static func request(
        _ line: [UInt8], number: Int, now: Timestamp, queue: String? = nil
    ) throws(QueueError) -> EnqueueRequest? {
        if isBlank(line) { return nil }
        do throws(QueueError) {
            let object = try object(of: line)
            if object["type"] == nil, object["settings"] != nil { return nil }
            try refuseUnknown(object, but: passedOver)
            if let queue { try refuseOther(than: queue, object["queue"]) }
            var request = try TaskFields(object: object, now: now).request()
            request.line = number
            return request
        } catch {
            throw error.ofLine(number, then: "nothing was enqueued")
        }
    }

    /// Throws if a line names another queue.
    private static func refuseOther(
        than queue: String, _ said: JSONValue?
    ) throws(QueueError) {
        guard let said, said != .null,
            said.string.map(Names.composed) != Names.composed(queue)
        else { return }
        throw QueueError(
            .badValue, "queue: \(said.text) is not the queue of the command, \"\(queue)\"",
            fix: "name that queue, add --any-queue to enqueue the line in \(queue) all the same, "
                + "or use sluice import")
    }

    /// The object that a line holds: one level more than the payload in it, which may be as deep
    /// as any value.
    static func object(of line: [UInt8]) throws(QueueError) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(
                line, allowsRepeatedKeys: false, depthLimit: JSONValue.depthLimit + 1)
        } catch {
            let place = "column \(error.column): \(error.message)"
            if error.isLoneSurrogate {
                throw QueueError(
                    .badValue, place, fix: "write a payload that is no Unicode as payloadBase64")
            }
            throw error.isRepeatedKey
                ? QueueError(.badValue, place, fix: "keep one of the two")
                : QueueError(
                    .badValue, "no JSON, \(place)", fix: #"write {"type":"identify","payload":{}}"#)
        }
        guard let object = value.object else {
            throw QueueError(
                .badValue, "it is \(value.kindName)",
                fix: #"write an object such as {"type":"identify"}"#)
        }
        return object
    }

    /// Throws for a field that is not in `fields` or `others`.
    static func refuseUnknown(
        _ object: JSONObject, but others: Set<String>
    ) throws(QueueError) {
        for key in object.keys where !fields.contains(key) && !others.contains(key) {
            let near = Spelling.nearest(to: key, among: fields)
            throw QueueError(
                .badValue, "there is no field \"\(key)\"",
                fix: near.map { "did you mean \"\($0)\"?" }
                    ?? "fields are \(fields.joined(separator: ", "))")
        }
    }

    /// Whether a line holds nothing but blanks.
    static func isBlank(_ line: some Sequence<UInt8>) -> Bool {
        line.allSatisfy { [9, 13, 32].contains($0) }
    }
}
