import SluiceModel

/// The keys of one object of a handlers file, read with checks.
struct HandlerFields {
    let object: JSONObject
    let place: HandlerPlace

    init(_ value: JSONValue, at place: HandlerPlace) throws(QueueError) {
        guard let object = value.object else {
            throw place.wrongKind(value, needed: "an object")
        }
        self.object = object
        self.place = place
    }

    /// Refuses every key but these, and names the nearest of them.
    func refuseKeys(except known: [String]) throws(QueueError) {
        for key in object.keys where !known.contains(key) {
            let near = Spelling.nearest(to: key, among: known)
            throw place.error(
                "there is no key \(place.key(key).subject)",
                fix: near.map { "did you mean \"\($0)\"?" }
                    ?? "the keys are \(known.joined(separator: ", "))")
        }
    }

    /// A text; nil where the key is missing.
    func text(_ key: String) throws(QueueError) -> String? {
        guard let value = object[key] else { return nil }
        guard let text = value.string else {
            throw place.key(key).wrongKind(value, needed: "a string")
        }
        return text
    }

    /// A whole number, 0 or more; nil where the key is missing.
    func count(_ key: String) throws(QueueError) -> Int? {
        guard let value = object[key] else { return nil }
        let needed = "a whole number, 0 or more"
        guard value.double != nil else { throw place.key(key).wrongKind(value, needed: needed) }
        guard let number = value.integer, number >= 0 else {
            throw bad(key, value.text(indent: nil), needed: needed)
        }
        return Int(number)
    }

    /// A duration in milliseconds; nil where the key is missing.
    func duration(_ key: String, atLeast least: Int64 = 0) throws(QueueError) -> Int64? {
        guard let text = try text(key) else { return nil }
        guard let milliseconds = DurationText.milliseconds(text), milliseconds >= least else {
            let positive = least > 0 ? " longer than 0" : ""
            throw bad(
                key, "\"\(text)\"", needed: "a duration\(positive) such as 250ms, 30s or 15m")
        }
        return milliseconds
    }

    /// The value of a key is of the right kind and still not allowed.
    func bad(_ key: String, _ value: String, needed: String) -> QueueError {
        let text = value.filter { $0 != "\"" }
        let word = NumberText.excess(of: text).map { ", which is \($0)" } ?? ""
        return place.error(
            "\(place.key(key).subject) is \(value)\(word)", fix: "it must be \(needed)")
    }
}
