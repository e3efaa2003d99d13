import SluiceModel
import SluiceRunner
import SluiceStore

/// The task that a program that stays wants enqueued in the commit of its success (A3).
enum FollowUpLine {
    struct Mistake: Error {
        let sentence: String
    }

    private static let keys = [
        "queue", "type", "payload", "payloadBase64", "delay", "priority", "unique", "groupStart",
        "groupMembers", "headers",
    ]

    static func read(_ value: JSONValue) throws(Mistake) -> FollowUp {
        guard let object = value.object else {
            throw Mistake(sentence: "it is \(value.kindName); it must be an object")
        }
        for key in object.keys where !keys.contains(key) {
            let near = Spelling.nearest(to: key, among: keys).map { "; did you mean \"\($0)\"?" }
            throw Mistake(sentence: "there is no key \"\(key)\"\(near ?? "")")
        }
        guard let queue = try text("queue", of: object), let type = try text("type", of: object)
        else { throw Mistake(sentence: "it needs a \"queue\" and a \"type\"") }
        var followUp = FollowUp(queue: queue, type: type, payload: try payload(of: object))
        if let delay = try text("delay", of: object) {
            guard let milliseconds = DurationText.milliseconds(delay) else {
                throw Mistake(sentence: "\"delay\" is \"\(delay)\"; it must be a duration")
            }
            followUp.delayMilliseconds = milliseconds
        }
        if let priority = object["priority"] {
            guard let number = priority.integer else {
                throw Mistake(sentence: "\"priority\" must be a whole number")
            }
            followUp.task.priority = Int(number)
        }
        followUp.task.uniqueKey = try text("unique", of: object)
        if let value = object["headers"] {
            guard let headers = TaskHeaders.read(value) else {
                throw Mistake(sentence: "\"headers\" must be an object of strings")
            }
            followUp.task.headers = headers
        }
        followUp.task.groupStart = try text("groupStart", of: object)
        if let groups = object["groupMembers"] {
            guard let names = groups.array?.map(\.string), !names.contains(nil) else {
                throw Mistake(sentence: "\"groupMembers\" must be a list of strings")
            }
            followUp.task.groupMembers = names.compactMap { $0 }
        }
        return followUp
    }

    private static func payload(of object: JSONObject) throws(Mistake) -> [UInt8] {
        if let value = object["payload"] { return value.bytes }
        guard let text = try text("payloadBase64", of: object) else { return [] }
        guard let bytes = Base64.decode(text) else {
            throw Mistake(sentence: "\"payloadBase64\" is not Base64")
        }
        return bytes
    }

    private static func text(_ key: String, of object: JSONObject) throws(Mistake) -> String? {
        guard let value = object[key], !value.isNull else { return nil }
        guard let text = value.string else {
            throw Mistake(sentence: "\"\(key)\" is \(value.kindName); it must be a string")
        }
        return text
    }
}
