import SluiceModel
import Testing

@testable import SluiceModel

@Suite("Paths into JSON that is a text")
struct FoldedTests {
    private static let inner = #"{"data":{"n":[1,{"x":"y"}]},"name":"Dashboard"}"#

    private static func quoted(_ text: String) -> String { JSONValue.string(text).text }

    private func holds(_ filter: String, _ payload: String) throws -> Bool {
        let task = QueueTask(
            id: 1, queue: "q", type: "t", position: 1, createdAt: Timestamp(milliseconds: 0))
        let facts = KnownFacts(
            now: Timestamp(milliseconds: 0), display: .due, payload: Array(payload.utf8))
        return try TaskFilter(filter).matches(task, facts)
    }

    private static let payloads = [
        #"{"a":\#(quoted(inner)),"b":1}"#,
        #"{"a":\#(quoted(Base64.encode(Array(inner.utf8)))),"b":1}"#,
        #"{"a":\#(quoted("  " + inner)),"b":1}"#,
        quoted(#"{"a":\#(quoted(inner))}"#),
    ]

    @Test("a step into a text continues in its JSON", arguments: payloads)
    func read(payload: String) throws {
        #expect(try holds("payload.a.name=Dashboard", payload))
        #expect(try holds("payload.a.name~^Dash", payload))
        #expect(try holds("payload.a.data.n[0]<2", payload))
        #expect(try holds("payload.a.data.n[1].x=y", payload))
        #expect(try !holds("payload.a.none", payload))
        #expect(try !holds("payload.a.name.more", payload))
        #expect(try !holds("payload.a.name=Other", payload))
        let summary = try #require(SummaryPaths(text: "a.name,a.none,a.data.n[1].x"))
        #expect(summary.values(in: Array(payload.utf8)) == ["Dashboard", "y"])
    }

    @Test("a text that holds no object or list has no values")
    func others() throws {
        #expect(try !holds("payload.a.name", #"{"a":"name"}"#))
        #expect(try !holds("payload.a.name", #"{"a":"{no JSON"}"#))
        #expect(try !holds("payload.a.name", #"{"a":"eyJubyI"}"#))
        #expect(try !holds("payload.a.name", #"{"a":7}"#))
    }

    @Test("eight texts deep, and no deeper", arguments: 1...10)
    func depth(_ depth: Int) throws {
        var payload = #"{"x":1}"#
        for _ in 0..<depth { payload = #"{"x":\#(Self.quoted(payload))}"# }
        let path = String(repeating: ".x", count: depth + 1)
        #expect(try holds("payload\(path)=1", payload) == (depth <= 8))
    }

    @Test("texts of ten million bytes are read, whether or not they hold JSON")
    func long() throws {
        let text = String(repeating: "x", count: 10_000_000)
        #expect(try !holds("payload.a.name", #"{"a":"\#(text)"}"#))
        #expect(try !holds("payload.a.name", #"{"a":"{\#(text)"}"#))
        let inner = #"{"pad":"\#(text)","name":"Dashboard"}"#
        #expect(try holds("payload.a.name=Dashboard", #"{"a":\#(Self.quoted(inner))}"#))
    }

    @Test("JSON in a text is set out; any other text stays as it is")
    func unfolded() throws {
        let value: JSONValue = ["a": .string(#"{"b":["[1]","no"]}"#), "c": "{no"]
        #expect(
            value.unfoldedText == """
                {
                  "a": JSON in a text
                    {
                      "b": [
                        JSON in a text
                          [
                            1
                          ],
                        "no"
                      ]
                    },
                  "c": "{no"
                }
                """)
        let plain: JSONValue = ["a": ["x", 1], "b": [:]]
        #expect(plain.unfoldedText == plain.text(indent: 2))
    }

    @Test(
        "base64 is read in both alphabets, with and without its end",
        arguments: [
            ("eyJ-IjoiPz8_In0=", #"{"~":"???"}"#), ("eyJ+IjoiPz8/In0", #"{"~":"???"}"#),
            ("WzFd", "[1]"), ("W", nil), ("W zFd", nil), ("", ""),
        ])
    func base64(_ text: String, _ bytes: String?) {
        #expect(Base64.decodeAny(text).map { String(decoding: $0, as: UTF8.self) } == bytes)
    }

    @Test("a redaction reaches into a text, which keeps its form", arguments: payloads.dropLast())
    func redacted(payload: String) throws {
        let path = try #require(PayloadPath.list("a.name")?.first)
        var redactions = Redactions([path])
        let clean = redactions.clean(try JSONValue.parse(payload))
        #expect(redactions.counts.map(\.count) == [1])
        #expect(path.text(in: Array(clean.text.utf8)) == "[redacted]")
        #expect(!clean.text.contains("Dashboard"))
        #expect(try holds("payload.a.data.n[1].x=y", clean.text))
        let other = try #require(PayloadPath.list("a.none")?.first)
        var none = Redactions([other])
        let json = try JSONValue.parse(payload)
        #expect(none.clean(json) == json)
    }
}
