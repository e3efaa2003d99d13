import SluiceModel
import Testing

@Suite("filters by what they demand")
struct FilterIndexTests {
    @Test(
        "G1 G2 whatever matches of many filters is among those that their index finds",
        arguments: 0..<400)
    func random(_ seed: Int) throws {
        var world = IndexWorld(seed: seed)
        let filters = try (0..<(1 + world.draw(60))).map { _ in try TaskFilter(world.filter()) }
        let index = FilterIndex(filters)
        var asked = 0
        for _ in 0..<20 {
            let (task, facts) = world.task()
            let places = try index.places(of: task, facts)
            #expect(
                places == Array(Set(places)).sorted() && places.allSatisfy(filters.indices.contains)
            )
            let all = try filters.indices.filter { try filters[$0].matches(task, facts) }
            let found = try places.filter { try filters[$0].matches(task, facts) }
            #expect(found == all, "of \(filters.map(\.description))")
            asked += places.count
        }
        #expect(asked < 20 * filters.count || filters.count < 10, "nothing was told apart")
    }

    @Test(
        "G1 G2 a task is put to those alone that demand what it has",
        arguments: [
            ("type:send", [0, 6, 7]), ("type:other id:1", [6]), ("queue:mail", [1, 6]),
            ("session:s", [2, 6]), ("group:h", [3, 6, 7]), ("id:7", [4, 6]),
            ("payload:9", [5, 6]), ("payload:\"9\"", [5, 6]), ("payload:9.0", [5, 6]),
            ("payload:\"\\u0039\"", [5, 6]), ("payload:90", [6]), ("payload:[9]", [6]),
        ])
    func told(_ words: String, _ expected: [Int]) throws {
        let filters = [
            "type:send attempts<3", "queue:mail -label:x", "session:s,t", "group:g,h", "id:5..9",
            "payload.n=9 priority=0", "label:x or type:send", "type:send or group:h",
        ]
        var task = IndexWorld.task
        var payload = "{}"
        for word in words.split(separator: " ") {
            let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
            switch parts[0] {
            case "type": task.type = parts[1]
            case "queue": task.queue = parts[1]
            case "session": task.session = parts[1]
            case "group": task.groupMembers = ["x", parts[1]]
            case "id": task.id = try #require(TaskID(parts[1]))
            default: payload = "{\"n\": \(parts[1])}"
            }
        }
        let facts = KnownFacts(now: at(0), display: .due, payload: Array(payload.utf8))
        let index = FilterIndex(try filters.map { try TaskFilter($0) })
        #expect(try index.places(of: task, facts) == expected)
    }

    @Test("G1 G2 where no filter demands a value of the payload it is not read")
    func unread() throws {
        let index = FilterIndex([try TaskFilter("type:send payload.n=1"), try TaskFilter("kim")])
        #expect(try index.places(of: IndexWorld.task, UnreadFacts()) == [1])
    }
}

/// Facts of a task whose payload must not be read.
private struct UnreadFacts: FilterFacts {
    struct Asked: Error {}
    let now = at(0)
    func display() -> Display { .due }
    func payload() throws -> [UInt8] { throw Asked() }
    func lastAttempt() -> AttemptRecord? { nil }
    func uuid() -> String? { nil }
    func twins() throws -> [TaskID] { throw Asked() }
}

/// Filters and tasks that have much in common.
private struct IndexWorld {
    private var random: SeededRandom

    static let task = QueueTask(
        id: 1, queue: "q", type: "other", position: 1, createdAt: at(0),
        state: .waiting(Waiting()))
    private static let values = [
        "7", "\"7\"", "7.0", "70e-1", "kim", "\"kim\"", "true", "null", "9007199254740993", "\"\"",
    ]
    private static let payloads = [
        "{\"n\": 7, \"u\": {\"id\": \"kim\"}}", "{\"n\":\"7\",\"u\":{\"id\":7.0}}",
        "{\"n\":true,\"u\":null}", "{\"n\":\"k\\u0069m\"}", "{\"n\":[7],\"u\":{\"id\":null}}",
        "{\"n\":9007199254740993,\"u\":{\"id\":9007199254740992}}", "", "no JSON", "{\"n\": 7",
        "{\"n\":\"\",\"n\":\"kim\"}", "{\"n\":\"a\nb\"}", "{\"n\":\"\\q\"}", "{\"n\":-0}", "7",
    ]

    init(seed: Int) { random = SeededRandom(seed: UInt64(seed)) }

    mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[draw(values.count)] }

    mutating func filter(_ depth: Int = 0) -> String {
        let parts = (0..<(1 + draw(3))).map { _ in
            let mark = draw(6) == 0 ? "-" : ""
            return depth < 2 && draw(4) == 0
                ? "\(mark)(\(filter(depth + 1)))" : mark + word()
        }
        return parts.joined(separator: pick([" ", " ", " or "]))
    }

    private mutating func word() -> String {
        switch draw(12) {
        case 0, 1: "type:" + pick(["a", "b", "c,d", "a*", "é"])
        case 2: "queue:" + pick(["q", "r", "q,r"])
        case 3, 4: "group:" + pick(["g", "h", "g,i", "*", "h,i"])
        case 5: "session:" + pick(["s", "t"])
        case 6: "id:" + pick(["1", "2..4", "3,9", "1..9000000", "7*"])
        case 7, 8: "payload." + pick(["n", "u.id", "u"]) + "=" + pick(Self.values)
        case 9: "payload." + pick(["n!=7", "n", "u.id>6", "n~k"])
        case 10: pick(["label:x", "attempts>1", "kim", "text:7", "priority=0"])
        default: pick(["type~^a", "unique:k", "error:boom", "state:due"])
        }
    }

    mutating func task() -> (QueueTask, KnownFacts) {
        var task = Self.task
        task.id = TaskID(1 + draw(9))
        task.type = pick(["a", "b", "c", "ab", "e\u{301}"])
        task.queue = pick(["q", "r"])
        task.session = pick([nil, "s", "u"])
        task.groupStart = pick([nil, nil, "g", "h"])
        task.groupMembers = pick([[], [], ["g"], ["h", "i"], ["i"]])
        task.label = pick([nil, "x"])
        task.attempts = draw(3)
        let payload = Array(pick(Self.payloads).utf8)
        return (task, KnownFacts(now: at(0), display: .due, payload: payload))
    }
}
