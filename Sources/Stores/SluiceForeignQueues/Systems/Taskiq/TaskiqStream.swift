import SluiceModel
import SluiceSystem

/// A stream of Taskiq's `RedisStreamBroker` with its consumer group, as the server describes it.
struct TaskiqStream {
    /// A position that no entry reaches: a group there gets nothing, and new entries wait too.
    static let mark = "9007199254740991-0"

    let name: String
    /// The group; `nil` before the first worker.
    let group: String?
    let groups: Int
    /// The last entry that workers got, or the mark while held.
    private let delivered: String
    let pending: Int
    /// The number of entries after the last delivered one, if the server knows it.
    private let lag: Int?
    let hold: ForeignHold?
    /// The last delivered entry when the hold began.
    private let begin: String?

    /// The keys of held and skipped tasks, named as for a list.
    var workList: WorkList { WorkList(name, takes: .left) }
    /// The set of entries that a step let through during the hold.
    var stepped: [UInt8] { workList.requests }

    static func questions(_ name: String) -> [RedisCommand] {
        [
            RedisCommand("XINFO", "GROUPS", name),
            RedisCommand("HGETALL", WorkList(name, takes: .left).record),
        ]
    }

    /// Asks; a stream that was removed in between has no answers.
    static func ask(
        _ commands: [RedisCommand], _ redis: RedisConnection
    ) throws -> [RedisValue] {
        try redis.pipeline(commands).map { answer in
            guard case .refusal(let text) = answer,
                text.starts(with: "ERR no such key".utf8) || text.starts(with: "WRONGTYPE".utf8)
            else { return try answer.accepted() }
            return .none
        }
    }

    init(_ name: String, _ answers: ArraySlice<RedisValue>) {
        self.name = name
        let all = answers.first?.array.map(\.dictionary) ?? []
        groups = all.count
        let own = all.first { $0["name"]?.text == TaskiqListSystem.defaultQueue } ?? all.first
        group = own?["name"]?.text
        delivered = own?["last-delivered-id"]?.text ?? "0-0"
        pending = Int(own?["pending"]?.integer ?? 0)
        lag = own?["lag"]?.integer.map { Int($0) }
        let record = answers.last ?? .none
        begin = record.dictionary["last"]?.text
        var hold = HoldRecord.read(record)
        if hold != nil, delivered != Self.mark {
            hold?.leak = "the position of its group was changed: new tasks run"
        }
        self.hold = hold
    }

    /// The entry after which tasks wait.
    var start: String { delivered == Self.mark ? begin ?? "0-0" : delivered }

    var isHeld: Bool { hold != nil && delivered == Self.mark }

    /// The number of waiting entries, if the server counts it.
    var count: Int? { hold == nil ? lag : nil }
}

struct TaskiqEntry {
    let id: String
    let message: TaskiqMessage

    init?(_ answer: RedisValue) {
        guard let id = answer.array.first?.text,
            let data = answer.array.last?.pairs.first(where: { $0.name == Array("data".utf8) }),
            let message = data.value.bytes.flatMap({ TaskiqMessage($0) })
        else { return nil }
        (self.id, self.message) = (id, message)
    }

    /// The server's time of its arrival.
    private var moment: Timestamp? {
        id.split(separator: "-").first.flatMap { Int64($0) }.map { Timestamp(milliseconds: $0) }
    }

    func task(in queue: String, _ display: ForeignTask.Display) -> ForeignTask {
        var task = message.task(in: queue, display)
        task.createdAt = moment
        return task
    }
}
