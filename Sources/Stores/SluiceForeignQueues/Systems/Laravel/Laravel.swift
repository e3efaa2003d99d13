import SluiceModel

extension RowTable {
    /// Laravel's driver `database`. Its times are of 32 bits, so a hold gives another name of the
    /// queue. A retry is a new row, which the trigger catches; what gave up is in `failed_jobs`.
    static let laravel = RowTable(
        name: "laravel", title: "Laravel", table: "jobs",
        needs: ["id", "queue", "payload", "attempts", "reserved_at", "available_at", "created_at"],
        signs: [TableForm.Sign(table: "jobs", columns: ["queue", "payload", "attempts"])],
        isExact: true, queue: "queue", time: "available_at", clock: .unix, hold: .name("queue"),
        ready: "@reserved_at IS NULL", states: [(.running, "@reserved_at IS NOT NULL")],
        attempts: "attempts", created: "created_at", order: [("@id", false)],
        large: ["payload"], read: { LaravelPayload($0["payload"]?.string ?? "").content },
        edit: { row, value in
            ["payload": .string(try LaravelPayload(row["payload"]?.string ?? "").edited(value))]
        },
        others: [
            OtherRows(
                table: "failed_jobs",
                needs: ["id", "connection", "queue", "payload", "exception", "failed_at", "uuid"],
                key: "uuid", queue: "queue", display: .failed, ended: "failed_at",
                large: ["payload", "exception"],
                read: { row in
                    var content = LaravelPayload(row["payload"]?.string ?? "").content
                    content.error = row["exception"]?.string?.split(whereSeparator: \.isNewline)
                        .first
                        .map(String.init)
                    content.fullError = row["exception"]?.string
                    return content
                },
                again: { row in
                    [
                        "queue": row["queue"] ?? .null, "payload": row["payload"] ?? .null,
                        "attempts": 0, "reserved_at": .null, "available_at": .string(nowMark),
                        "created_at": .string(nowMark),
                    ]
                },
                isSame: { uuid, dialect in "uuid = \(try dialect.literal(uuid))" })
        ],
        holder: { row in
            ForeignHolder(
                worker: nil, since: RowClock.unix.moment(row["reserved_at"]),
                heardAt: nil,
                advice: "Laravel gives it to another worker when its retry_after has passed, which "
                    + "is 90 s unless config/queue.php says otherwise")
        },
        pauses: (
            "cache",
            """
            SELECT c.key AS name FROM cache c WHERE c.key LIKE '%\(LaravelPause.single)%'
            OR c.key LIKE '%\(LaravelPause.all)'
            """,
            { row in
                guard let key = row["name"]?.string else { return nil }
                if key.hasSuffix(LaravelPause.all) { return (nil, LaravelPause.reasonOfAll) }
                return key.split(separator: ":").last.map { (String($0), LaravelPause.reason) }
            }
        ),
        risks: ["its queue is called sluice:held:NAME while held; queue:clear NAME misses it"],
        again: { uuid, dialect in
            // The bytes of the uuid are its own, so no sign of a pattern is among them.
            let plain = uuid.filter { $0.isHexDigit || $0 == "-" }
            return "@payload LIKE '%\(plain)%'"
        })
}

/// How Laravel's own command pauses queues: by keys of its cache, which may have a prefix.
enum LaravelPause {
    /// Before the names of a connection and of a queue, since Laravel 12.40.
    static let single = "illuminate:queue:paused:"
    /// The key for all queues of an app, since 13.25.
    static let all = "illuminate:queues:paused"
    static let reason = "by php artisan queue:pause"
    static let reasonOfAll = "all queues, by php artisan queue:pause --all"
}

/// A Laravel payload: JSON that contains the job in PHP's `serialize` format.
struct LaravelPayload {
    private let text: String
    private let value: JSONValue?

    init(_ text: String) {
        self.text = text
        value = try? JSONValue.parse(text)
    }

    private var command: String? { value?["data"]?["command"]?.string }

    private var commandValue: JSONValue? { command.flatMap { PHPReader.value(Array($0.utf8)) } }

    var content: RowContent {
        let named = value?["displayName"]?.string ?? value?["job"]?.string ?? prefixName
        var content = RowContent(
            type: named ?? "?",
            payload: ForeignPayload(
                bytes: Array(text.utf8), format: value == nil ? "text" : "json", value: shown,
                whyFixed: value == nil ? "it is no JSON" : nil))
        content.label = (commandValue.map(Self.properties) ?? value?["data"]).map {
            String($0.text.prefix(200))
        }
        content.attemptLimit = value?["maxTries"]?.integer.map { Int(clamping: $0) }
        content.identity = value?["uuid"]?.string
        return content
    }

    /// The name out of the beginning of a payload that is too long to be read whole.
    private var prefixName: String? {
        guard let start = text.firstRange(of: "\"displayName\":\"") else { return nil }
        let rest = text[start.upperBound...].prefix { $0 != "\"" }
        return (try? JSONValue.parse("\"\(rest)\""))?.string
    }

    /// The whole, with the job as data.
    private var shown: JSONValue? {
        guard var object = value?.object, var data = object["data"]?.object, let commandValue else {
            return value
        }
        data["command"] = commandValue
        object["data"] = .object(data)
        return .object(object)
    }

    /// The properties of a job's class, without empty ones and the properties of Laravel's own
    /// traits.
    private static func properties(_ value: JSONValue) -> JSONValue {
        guard let object = value.object else { return value }
        let own = object.pairs.filter {
            !$0.value.isNull && $0.key != PHPReader.classKey && !traits.contains($0.key)
        }
        return .object(JSONObject(own.map { ($0.key, $0.value) }))
    }

    private static let traits: Set = [
        "job", "connection", "queue", "chainConnection", "chainQueue", "chainCatchCallbacks",
        "delay", "afterCommit", "middleware", "chained",
    ]

    /// The text with other values around the unchanged job.
    func edited(_ new: JSONValue) throws -> String {
        guard var object = new.object, value?.object != nil else {
            throw QueueError(
                .badValue, "the payload is no object", fix: "give all of it, as sluice show has it")
        }
        if let command, let commandValue {
            guard var data = object["data"]?.object, data["command"] == commandValue else {
                throw QueueError.notLegal(
                    "data.command is PHP's own form and stays as it is",
                    fix: "edit the other values, or send the job anew")
            }
            data["command"] = .string(command)
            object["data"] = .object(data)
        }
        return JSONValue.object(object).text
    }
}
