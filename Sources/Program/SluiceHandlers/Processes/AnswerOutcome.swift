import SluiceModel

/// Decodes the outcome in a line of a persistent program, with the words of rule A3. An invalid
/// outcome is a failure that names the error.
struct AnswerOutcome {
    private static let words = ["success", "retry", "park", "giveUp", "pauseQueue", "offline"]

    let outcome: HandlerOutcome

    init(_ object: JSONObject) {
        do throws(Mistake) {
            outcome = try Self.read(object)
        } catch {
            outcome = .retry(
                afterMilliseconds: nil, error: "its outcome cannot be read: \(error.sentence)")
        }
    }

    private struct Mistake: Error {
        let sentence: String
    }

    private static func read(_ object: JSONObject) throws(Mistake) -> HandlerOutcome {
        let error = try text("error", of: object)
        let after = try duration("after", of: object)
        let pause = try duration("for", of: object)
        switch object["outcome"]?.string {
        case "success": return .success(result: try result(object["result"]))
        case "retry": return .retry(afterMilliseconds: after, error: error)
        case "park": return .park(error: error)
        case "giveUp": return .giveUp(error: error)
        case "offline": return .offline(error: error)
        case "pauseQueue":
            return .pauseQueue(
                milliseconds: max(1, pause ?? CommandExit.pauseMilliseconds), isCounted: false,
                error: error)
        default:
            let said = object["outcome"]?.text(indent: nil) ?? ""
            throw Mistake(
                sentence: "outcome is \(BoundedText.prefix(said, bytes: 100)); it must be one of "
                    + words.joined(separator: ", "))
        }
    }

    /// The result's bytes: a text as it is, any other value as JSON.
    private static func result(_ value: JSONValue?) throws(Mistake) -> [UInt8]? {
        guard let value, !value.isNull else { return nil }
        let bytes = value.string.map { Array($0.utf8) } ?? value.bytes
        guard bytes.count <= BoundedOutput.limitBytes else {
            let limit = SizeText.compact(BoundedOutput.limitBytes)
            throw Mistake(sentence: "the result has \(bytes.count) bytes, more than \(limit)")
        }
        return bytes
    }

    private static func text(_ key: String, of object: JSONObject) throws(Mistake) -> String? {
        guard let value = object[key], !value.isNull else { return nil }
        guard let text = value.string else {
            throw Mistake(sentence: "\(key) is \(value.kindName); it must be a string")
        }
        return BoundedText.prefix(text, bytes: ErrorTail.limitBytes)
    }

    private static func duration(_ key: String, of object: JSONObject) throws(Mistake) -> Int64? {
        guard let text = try text(key, of: object) else { return nil }
        guard let milliseconds = DurationText.milliseconds(text) else {
            throw Mistake(
                sentence: "\(key) is \"\(text)\"; it must be a duration such as 250ms, 30s or 15m")
        }
        return milliseconds
    }
}
