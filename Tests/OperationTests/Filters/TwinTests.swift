import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@Suite("Twins")
struct TwinTests {
    private static func payload(_ text: String) -> EnqueueRequest {
        request("mail") { $0.payload = Array(text.utf8) }
    }

    private static func matches(_ bench: Bench, _ filter: String) throws -> [TaskID] {
        let now = bench.now
        return try bench.read { store in
            let reading = try Reading(store, now: now)
            let filtered = try FilteredQueue(
                reading, store.requireQueue("q"), TaskFilter(filter))
            return try filtered.matching(store.tasks(Array(1...50))).map(\.id)
        }
    }

    private static func twins(_ bench: Bench, _ id: TaskID) throws -> [TaskID] {
        let now = bench.now
        return try bench.read { try Reading($0, now: now).detail(id).twins }
    }

    @Test(
        "D10 a twin has the queue, type and payload of another task of the same minute",
        arguments: Engine.all)
    func twins(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        try bench.makeQueue("other")
        let first = try bench.enqueue([Self.payload(#"{"a": 1}"#), Self.payload(#"{"a": 2}"#)])
        let foreign = try bench.enqueue([Self.payload(#"{"a": 1}"#)], to: "other")[0]
        let kind = try bench.enqueue([request("push") { $0.payload = Array(#"{"a": 1}"#.utf8) }])[0]
        bench.pass(60_000)
        let second = try bench.enqueue([Self.payload(#"{"a": 1}"#)])[0]
        bench.pass(1)
        let late = try bench.enqueue([Self.payload(#"{"a": 2}"#), Self.payload(#"{"a": 1}"#)])
        #expect(try Self.twins(bench, first[0]) == [second])
        #expect(try Self.twins(bench, second) == [first[0], late[1]])
        #expect(try Self.twins(bench, late[1]) == [second])
        for id in [first[1], late[0], kind, foreign] {
            #expect(try Self.twins(bench, id).isEmpty, "\(id)")
        }
        #expect(try Self.matches(bench, "twin:") == [first[0], second, late[1]])
        #expect(try Self.matches(bench, "twin:*") == [first[0], second, late[1]])
        #expect(try Self.matches(bench, "twin:\(second)") == [first[0], late[1]])
        #expect(try Self.matches(bench, "-twin: queue:q") == [first[1], kind, late[0]])
    }

    @Test("D10 twins are at most 1,000 numbers apart", arguments: [Engine.memory, .sqlite])
    func reach(_ engine: Engine) throws {
        let bench = try Bench(engine)
        try bench.makeQueue()
        let first = try bench.enqueue([Self.payload("1")])[0]
        try bench.enqueue((0..<998).map { Self.payload("other \($0)") })
        let near = try bench.enqueue([Self.payload("2"), Self.payload("1")])[1]
        let far = try bench.enqueue([Self.payload("1")])[0]
        #expect((near, far) == (first + 1000, first + 1001))
        #expect(try Self.twins(bench, first) == [near])
        #expect(try Self.twins(bench, near) == [first, far])
        #expect(try Self.twins(bench, far) == [near])
    }
}
