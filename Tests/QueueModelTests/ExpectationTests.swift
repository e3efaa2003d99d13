import SluiceModel
import Testing

@Suite("Expectations")
struct ExpectationTests {
    /// A queue `q` with #1 running, and #5 and #6 waiting. #12 failed, and #3 was removed.
    private struct Facts: ExpectationFacts {
        func live(in queue: String, first limit: Int) throws -> LiveTasks {
            guard queue != "none" else { return LiveTasks(waiting: 0, running: 0, first: []) }
            guard queue == "q" else { throw QueueError.unknownQueue(queue, known: ["q"]) }
            return LiveTasks(waiting: 2, running: 1, first: Array([1, 5, 6].prefix(limit)))
        }

        func count(_ filter: TaskFilter, first limit: Int) -> CountedTasks {
            CountedTasks(count: 3, first: [5, 6])
        }

        func ran(_ filter: TaskFilter, first limit: Int) -> CountedTasks {
            CountedTasks(count: 2, first: [5])
        }

        func task(_ reference: TaskReference) -> ExpectedTask? {
            switch reference.number {
            case 1: ExpectedTask(id: 1, display: .running, attempts: 1)
            case 3: ExpectedTask(id: 3, display: .succeeded, attempts: 2, isGone: true)
            case 5: ExpectedTask(id: 5, display: .next, attempts: 0)
            case 6: ExpectedTask(id: 6, display: .held, attempts: 0)
            case 12: ExpectedTask(id: 12, display: .failed, attempts: 3)
            default: nil
            }
        }

        func payload(of id: TaskID) -> [UInt8]? {
            id == 3 ? nil : Array(#"{"user":{"id":7,"name":"kim"},"a b":[1,null]}"#.utf8)
        }

        func name(_ id: TaskID) -> String { "#\(id)" }
    }

    private func verdict(_ text: String) throws -> ExpectationVerdict {
        try Expectation(text).verdict(Facts())
    }

    static let right: [(String, Bool)] = [
        ("empty(none)", true), ("empty(q)", false), ("not empty(q)", true),
        ("empty( \"none\" )", true), ("(empty(none))", true), ("not not empty(none)", true),
        ("count(state:failed type:mail) == 3", true), ("count(x) = 3", true),
        ("count(x)!=3", false), ("count(type~^(a|b)$)>=3", true), ("count((x or y) -z) < 3", false),
        ("count(\"a ) b\") <= 3", true), ("ran(type:mail) == 2", true), ("ran(id:1) > 2", false),
        ("state(#12) == failed", true), ("state(12) = \"failed\"", true),
        ("state(5) == waiting", true), ("state(5) == due", true), ("state(5) == next", true),
        ("state(6) == due", false), ("state(6) != due", true), ("state(6) == heldByGroup", true),
        ("state(3) == succeeded", true), ("state(7) == failed", false),
        ("state(7) != failed", false), ("attempts(#12) <= 2", false), ("attempts(3) == 2", true),
        ("attempts(7) >= 0", false), ("order(q) == [1, 5, 6]", true),
        ("order(q) = [#1,5 , 6]", true),
        ("order(q) == [1,5]", false), ("order(q) == [1,5,6,7]", false), ("order(q) != [5]", true),
        ("order(none) == []", true), ("order(q) == []", false), ("order(q) == [1,6,5]", false),
        ("payload(#12).user.id == 7", true), ("payload(12).user.name = kim", true),
        ("payload(12).user.name == \"kim\"", true), ("payload(12).\"a b\"[0] < 2", true),
        ("payload(12).user", true), ("payload(12).nobody", false),
        ("payload(12).nobody != 7", false), ("payload(3).user.id == 7", false),
        ("payload(12).\"a b\"[1] == null", true), ("(payload(12).user.id == 7)", true),
        ("empty(q) or empty(none)", true), ("empty(q) and empty(none)", false),
        ("empty(none) and not (empty(q) and empty(none)) or empty(q)", true),
        ("empty(q)and empty(none)", false), ("not(empty(q))", true),
    ]

    @Test("G7 what is written is read, and holds or not", arguments: right)
    func reads(_ text: String, _ held: Bool) throws {
        #expect(try verdict(text).held == held)
    }

    /// An invalid text, the error's position, and a word of its message.
    static let wrong: [(text: String, place: Int?, word: String)] = [
        ("", nil, "empty"), ("   ", nil, "empty"), ("emty(q)", 1, "empty(QUEUE)"),
        ("empty", 6, "empty(QUEUE)"), ("empty(q", 6, "closed"), ("empty()", 7, "empty(QUEUE)"),
        ("empty(q) == true", 10, "not compared"), ("empty(q) empty(q)", 10, "and"),
        ("empty(q) && empty(q)", 10, "write and"), ("empty(q) and", 13, "a check is missing"),
        ("and empty(q)", 1, "and"), ("empty(q))", 9, "nothing opened"),
        ("(empty(q)", 1, "not closed"), ("count(x)", 9, "compared"),
        ("count(x) == x", 13, "no whole number"), ("count(x) ==", 12, "missing"),
        ("count(x) == 99999999999999999999", 13, "too large"), ("count() == 1", 7, "missing"),
        ("count(tpye:x) == 1", 7, "type:"), ("empty(q) and count(state:failde) == 1", 26, "failed"),
        ("count(state:failed == 1", 20, "no field before it"),
        ("cuont(x) == 1", 1, "count(FILTER)"),
        ("state(#12) == failde", 15, "failed"), ("state(#12) < failed", 12, "== or !="),
        ("state(#12) ==", 14, "missing"), ("state(x) == due", 7, "names no task"),
        ("order(q) == 1", 13, "list"), ("order(q) == [1", 13, "not closed"),
        ("order(q) == [1 2]", 16, "comma"), ("order(q) == [1,]", 16, "names no task"),
        ("order(q) >= [1]", 10, "== or !="), ("payload(12) user", 13, "follows a check"),
        ("payload(12)user", 12, "begins with"), ("payload(12).user.id ==", 23, "missing"),
        ("payload(12).user.id < kim", 23, "no number"), ("payload(12).", 13, "key"),
        ("ran(group:x) == 1", 5, "type, queue, id"), ("attempts(12) == two", 17, "no whole"),
        ("7 == 7", 1, "begins no check"), ("empty(\u{1b})", nil, "U+001B"),
    ]

    @Test(
        "G7 a mistake is named with its place and the nearest right word", arguments: wrong.indices)
    func refuses(_ row: Int) {
        let (text, place, word) = Self.wrong[row]
        let error = #expect(throws: QueueError.self) { try Expectation(text) }
        let said = error?.description ?? ""
        #expect(said.contains(word), "\(text): \(said)")
        if let place { #expect(said.contains("character \(place):"), "\(text): \(said)") }
        #expect(!said.contains("\u{1b}"))
    }

    @Test("G7 parentheses in parentheses end somewhere")
    func deep() {
        let text = String(repeating: "(", count: 50_000)
        #expect(throws: QueueError.self) { try Expectation(text) }
        #expect(throws: QueueError.self) {
            try Expectation(String(repeating: "not ", count: 50_000) + "empty(q)")
        }
    }

    @Test("G7 what did not hold is said with what is, and the tasks in the way")
    func says() throws {
        let one = try verdict("empty(none) and empty(q) and count(x) == 3")
        #expect(one.expected == "empty(q)" && one.actual == "2 waiting and 1 running in q")
        #expect(one.tasks == [1, 5, 6])
        let either = try verdict("state(12) == due or attempts(6) > 4")
        #expect(either.expected == "(state(12) == due or attempts(6) > 4)")
        #expect(either.actual == "#12 is failed; #6 had 0 attempts" && either.tasks == [12, 6])
        let order = try verdict("order(q) == [1, 6]")
        #expect(order.actual == "order(q) is [#1, #5, #6]" && order.tasks == [5, 1, 6])
        let gone = try verdict("state(3) == failed and state(7) == due")
        #expect(gone.actual == "#3 is succeeded, and has gone; there is no task #7")
        #expect(gone.tasks == [])
        let value = try verdict("payload(12).user.id == 8 and not payload(12).user.name == kim")
        #expect(value.expected.hasSuffix("and not (payload(12).user.name == kim)"))
        #expect(value.actual == "payload(#12).user.id is 7; payload(#12).user.name is \"kim\"")
        let held = try verdict("empty(q) or attempts(6) == 0")
        #expect(held.held && held.expected == "empty(q) or attempts(6) == 0" && held.tasks == [])
        #expect(held.actual == "#6 had 0 attempts")
    }

    @Test("G7 an unknown queue is told, also follows a check that decides")
    func unknown() {
        #expect(throws: QueueError.self) { try verdict("empty(none) or empty(Q)") }
    }

    @Test("G7 saved filters are read in it")
    func saved() throws {
        let text = "count(@bad type:x) == 3"
        #expect(try Expectation(text, saved: ["bad": "state:failed"]).verdict(Facts()).held)
        #expect(throws: QueueError.self) { try Expectation(text) }
    }
}
