import SluiceModel

/// The keys next to `process` in an entry of a handlers file.
struct ProcessEntry {
    static let keys = ["copies", "heartbeat"]
    private static let copiesLimit = 1000

    /// The maximum number of copies; `nil` for one per concurrent task.
    let copies: Int?
    /// How long a copy in a task may say nothing; nil for any time.
    let silenceMilliseconds: Int64?

    /// Throws where a handler that does not stay has one of its keys.
    init(_ fields: HandlerFields, isMeant: Bool) throws(QueueError) {
        if !isMeant, let key = Self.keys.first(where: { fields.object[$0] != nil }) {
            throw fields.place.error(
                "\(fields.place.key(key).subject) means nothing without \"process\"",
                fix: "take it out, or add that")
        }
        copies = try fields.count("copies")
        if let copies, copies < 1 || copies > Self.copiesLimit {
            throw fields.bad("copies", "\(copies)", needed: "from 1 to \(Self.copiesLimit)")
        }
        silenceMilliseconds = try fields.duration("heartbeat", atLeast: 1)
    }
}
