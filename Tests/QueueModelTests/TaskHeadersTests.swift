import SluiceModel
import Testing

@Suite("Headers of a task")
struct TaskHeadersTests {
    private static let long = String(repeating: "n", count: 64)

    static let good: [[String: String]] = [
        [:], ["traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
        ["A.b_c-9": "ä 😀"], [long: ""], ["n": String(repeating: "é", count: 512)],
        Dictionary(uniqueKeysWithValues: (1...32).map { ("h\($0)", "v") }),
    ]

    @Test("T7 headers within the limits are allowed", arguments: good)
    func allowed(_ headers: [String: String]) throws {
        try TaskHeaders.check(headers)
        try TaskHeaders.check(TaskHeaders.composed(headers))
    }

    static let bad: [(headers: [String: String], says: String, fix: String)] = [
        (["": "v"], "\"\" is no name of a header", "a-z, 0-9, _, . and -"),
        (["a b": "v"], "\"a b\" is no name of a header", "1 to 64"),
        (["a\u{1B}=": "v"], "\"a=\" is no name of a header", "1 to 64"),
        // The sign for kelvin, which becomes a plain k in small letters.
        (["\u{212A}": "v"], "is no name of a header", "a-z"),
        ([long + "n": "v"], "is no name of a header", "1 to 64"),
        (["a": "v", "A": "v"], "two headers of the task have the name a", "keep one of them"),
        (["a": "1\u{7}"], "header a has the control character U+0007", "without control"),
        (["a": "1\n2"], "header a has the control character U+000A", "line breaks"),
        (["a": "\u{9B}"], "header a has the control character U+009B", "without control"),
        (["a": "\u{2028}"], "header a has the control character U+2028", "line breaks"),
        (
            ["a": String(repeating: "é", count: 513)], "value of the header a has 1026 bytes",
            "at most 1024 bytes"
        ),
        (
            Dictionary(uniqueKeysWithValues: (1...33).map { ("h\($0)", "v") }),
            "the task has 33 headers", "at most 32"
        ),
        (
            Dictionary(
                uniqueKeysWithValues: (1...9).map {
                    ("h\($0)", String(repeating: "v", count: 1000))
                }
            ), "the headers of the task have 9018 bytes", "at most 8192 bytes"
        ),
    ]

    @Test("T7 other headers are refused, with the place and the fix", arguments: bad.indices)
    func refused(_ index: Int) {
        let bad = Self.bad[index]
        let error = #expect(throws: QueueError.self) { try TaskHeaders.check(bad.headers) }
        #expect(error?.code == .badValue)
        #expect(error?.message.contains(bad.says) == true, "\(error?.message ?? "")")
        #expect(error?.fix.contains(bad.fix) == true, "\(error?.fix ?? "")")
        #expect(error?.message.contains("\u{1B}") == false)
    }

    @Test("T7 capital letters of a name become small ones")
    func composed() {
        #expect(
            TaskHeaders.composed(["TraceParent": "V", "b": "W"]) == ["traceparent": "V", "b": "W"])
        // Two names that would become one stay, for the error.
        #expect(TaskHeaders.composed(["A": "1", "a": "2"]) == ["A": "1", "a": "2"])
    }

    @Test("T7 JSON has the names in their order, and reads back")
    func json() throws {
        let headers = ["b": "\"2\"", "a": "ä"]
        let json = TaskHeaders.json(headers)
        #expect(json.text == #"{"a":"ä","b":"\"2\""}"#)
        #expect(TaskHeaders.read(try JSONValue.parse(json.text)) == headers)
        #expect(TaskHeaders.read(["a": 1]) == nil && TaskHeaders.read(["a"]) == nil)
    }
}
