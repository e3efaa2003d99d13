import SluiceModel
import SluiceSystem

/// A hold's note as a Redis hash.
enum HoldRecord {
    /// Writes it unless there is one; false where another hold is there.
    static func begin(
        _ note: HoldNote, system: String, queue: String, recipe: String, at key: [UInt8],
        _ redis: RedisConnection
    ) throws -> Bool {
        let script = """
            if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
            redis.call('HSET', KEYS[1], 'system', ARGV[1], 'queue', ARGV[2], 'recipe', ARGV[3],
                'by', ARGV[4], 'since', ARGV[5], 'reason', ARGV[6])
            return 1
            """
        let words: [any RedisWord] = [
            system, queue, recipe, note.by, note.since.milliseconds, note.reason ?? "",
        ]
        return try redis.call(.script(script, keys: [key], arguments: words)).integer == 1
    }

    /// The hold that an answer to `HGETALL` says; nil for none.
    static func read(_ answer: RedisValue) -> ForeignHold? {
        let fields = answer.dictionary
        guard let by = fields["by"]?.text, let since = fields["since"]?.integer else { return nil }
        let reason = fields["reason"]?.text ?? ""
        let note = HoldNote(
            by: by, since: Timestamp(milliseconds: since), reason: reason.isEmpty ? nil : reason)
        return ForeignHold(note: note, recipe: fields["recipe"]?.text ?? "")
    }
}
