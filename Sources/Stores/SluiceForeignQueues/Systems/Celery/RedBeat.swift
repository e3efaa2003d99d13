import SluiceModel
import SluiceSystem

/// An entry of celery-redbeat, a scheduler of Celery: a hash, and a member of one sorted set by
/// its next time. The scheduler reads the definition again before each of its moments.
struct RedBeatEntry {
    /// The standard prefix; the option `redbeat_key_prefix` gives another one.
    static let prefix = "redbeat:"
    static let schedule = Array("redbeat::schedule".utf8)
    /// The maximum number of entries read.
    static let limit = 1_000

    /// The key of its hash, which is its reference here.
    var key: String
    var at: Timestamp?
    var text: String
    private var definition: JSONValue
    private var meta: JSONValue?

    init?(key: String, at: Timestamp?, _ definition: RedisValue, _ meta: RedisValue) {
        guard let text = definition.text, let value = try? JSONValue.parse(text),
            value.object != nil
        else { return nil }
        (self.key, self.at, self.text, self.definition) = (key, at, text, value)
        self.meta = meta.text.flatMap { try? JSONValue.parse($0) }
    }

    static func read(_ redis: RedisConnection) throws -> [RedBeatEntry] {
        let pairs = try redis.look("ZRANGE", schedule, 0, limit - 1, "WITHSCORES").pairs
        guard !pairs.isEmpty else { return [] }
        let answers = try redis.pipeline(
            pairs.map { RedisCommand("HMGET", words: [$0.name] + fields) })
        return zip(pairs, answers).compactMap { pair, answer in
            let values = answer.array
            guard values.count == 2 else { return nil }
            let seconds = pair.value.text.flatMap { Double($0) }
            return RedBeatEntry(
                key: String(decoding: pair.name, as: UTF8.self),
                at: seconds.flatMap(ForeignTime.moment(seconds:)), values[0], values[1])
        }
    }

    private static let fields = ["definition", "meta"].map { Array($0.utf8) }

    var isEnabled: Bool { definition["enabled"]?.bool != false }

    /// The queue that it names; `nil` where Celery's routes decide.
    var queue: String? { definition["options"]?["queue"]?.string }

    /// When it sends, in words.
    var recurrence: String {
        guard let schedule = definition["schedule"] else { return "a schedule" }
        func part(_ name: String) -> String {
            schedule[name].map { $0.string ?? $0.text } ?? "*"
        }
        switch schedule["__type__"]?.string {
        case "crontab":
            return "cron "
                + ["minute", "hour", "day_of_month", "month_of_year", "day_of_week"].map(part)
                .joined(separator: " ")
        case "interval": return "every \(part("every")) s"
        case let other: return other ?? "a schedule"
        }
    }

    func task(in queue: String) -> ForeignTask {
        var task = ForeignTask(
            reference: key, queue: queue, type: definition["task"]?.string ?? "?",
            display: isEnabled ? .delayed : .skipped)
        task.label =
            task.type + PythonText.arguments(definition["args"]?.array ?? [], asList: false)
            + ", \(recurrence)"
        task.notBefore = isEnabled ? at : nil
        return task
    }

    func detail(in queue: String) -> ForeignDetail {
        var call = JSONObject()
        call["args"] = definition["args"] ?? .array([])
        call["kwargs"] = definition["kwargs"] ?? .object(JSONObject())
        var detail = ForeignDetail(
            task: task(in: queue),
            payload: ForeignPayload(
                bytes: Array(text.utf8), format: "json", value: .object(call),
                whyFixed: "it is an entry of celery-redbeat, which its app writes"))
        detail.fields["celery-redbeat"] = .string(recurrence)
        if let count = meta?["total_run_count"] { detail.fields["total_run_count"] = count }
        if let last = meta?["last_run_at"] { detail.fields["last_run_at"] = last }
        return detail
    }

    /// Switches it off or on, or deletes it. Throws `notLegal` for other changes.
    func steps(of change: ForeignChange) throws -> RedisSteps {
        let bytes = Array(key.utf8)
        var steps = RedisChange()
        func switched(on isOn: Bool) throws -> [UInt8] {
            guard isEnabled != isOn, var object = definition.object else {
                throw QueueError.notLegal("\(key) is \(isOn ? "on" : "off") already")
            }
            object["enabled"] = .bool(isOn)
            return JSONValue.object(object).bytes
        }
        switch change {
        case .skip, .unskip:
            let isOn = change.verb == .unskip
            let definition = try switched(on: isOn)
            steps.require(bytes, "definition", text)
            steps.keep(bytes)
            steps.call(RedisCommand("HSET", bytes, "definition", definition))
            return (steps, ["celery beat \(isOn ? "sends" : "omits") it from its next tick on"])
        case .delete:
            steps.removeMember(bytes, from: Self.schedule)
            steps.keep(bytes)
            steps.call(RedisCommand("DEL", bytes))
            return (steps, ["an entry of the app's beat_schedule comes back when beat starts"])
        default: throw refusal
        }
    }

    /// Why most verbs do not apply to it.
    var refusal: QueueError {
        .notLegal(
            "\(key) is an entry of celery-redbeat, and no message in a list",
            fix: isEnabled
                ? "sluice \(ShellWord.command("skip", key)) switches it off"
                : "sluice \(ShellWord.command("unskip", key)) switches it on")
    }
}

extension CelerySystem {
    /// The entries of celery-redbeat in their queues. One without a queue goes to the only queue,
    /// or to Celery's default one.
    func entries() throws -> [(entry: RedBeatEntry, queue: String)] {
        let names = layout.queues.texts
        return try RedBeatEntry.read(redis).map { entry in
            (entry, entry.queue ?? (names.count == 1 ? names[0] : "celery"))
        }
    }

    func entry(_ reference: String) throws -> (entry: RedBeatEntry, queue: String)? {
        guard reference.hasPrefix(RedBeatEntry.prefix) else { return nil }
        return try entries().first { $0.entry.key.isSame(as: reference) }
    }
}
