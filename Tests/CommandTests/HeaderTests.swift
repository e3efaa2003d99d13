import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

/// Headers of a task on the command line, in JSON, lines and reports (T7).
@Suite("headers of a task")
struct HeaderTests {
    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private let bench = Bench()

    private func enqueue(_ headers: String...) -> Bench.Outcome {
        bench.run(["enqueue", "q", "t", "{}"] + headers.flatMap { ["--header", $0] })
    }

    @Test("T7 --header gives a header, and show prints each on a line")
    func shown() {
        #expect(
            enqueue("TraceParent=\(Self.trace)", "baggage=shop=7\u{202E}", "empty=").exit == .done)
        let text = bench("show 1").output
        #expect(text.contains("\n  header traceparent: \(Self.trace)\n"), "\(text)")
        #expect(text.contains("\n  header baggage: shop=7") && !text.contains("\u{202E}"))
        #expect(text.contains("\n  header empty: \n"))
        let headers = bench("show 1 --json").json["headers"]
        #expect(headers?.object?.keys == ["baggage", "empty", "traceparent"])
        #expect(headers?["baggage"] == "shop=7\u{202E}" && headers?["empty"] == "")
        #expect(enqueue().exit == .done && !bench("show 2").output.contains("header"))
        #expect(bench("show 2 --json").json["headers"]?.text == "{}")
        let listed = bench("list q --json --fields id,headers").json["tasks"]
        #expect(listed?[0]?["headers"] == headers && listed?[1]?["headers"]?.text == "{}")
    }

    @Test(
        "T7 a header that no task may have is refused, and nothing is enqueued",
        arguments: [
            ("novalue", "--header: \"novalue\" has no value; write a name and a value"),
            ("=v", "\"\" is no name of a header; a name has 1 to 64"),
            ("a b=v", "\"a b\" is no name of a header"),
            ("a=1\n2", "the value of the header a has the control character U+000A"),
        ])
    func refused(_ word: String, _ says: String) {
        let refused = enqueue(word)
        #expect(refused.exit != .done && refused.errors.contains(says), "\(refused.errors)")
        #expect(enqueue("a=1", "a=2").errors.contains("--header: a is there twice"))
        #expect(enqueue("a=1", "A=2").errors.contains("two headers of the task have the name a"))
        #expect(bench("queues --json").json["queues"]?.array == [])
    }

    @Test("T7 P6 a line of JSON takes headers, and a bad line is named")
    func lines() {
        var bench = bench
        for (bad, says) in [
            (#"{"type":"t","headers":["a"]}"#, "headers is [\"a\"]; allowed: an object of strings"),
            (#"{"type":"t","headers":{"a":1}}"#, "headers is {\"a\":1}"),
            (#"{"type":"t","headers":{"a b":"v"}}"#, "\"a b\" is no name of a header"),
        ] {
            bench.input = "{\"type\":\"t\"}\n\(bad)\n"
            let refused = bench("enqueue q --jsonl -")
            #expect(
                refused.errors.contains("line 2") && refused.errors.contains(says), "\(refused)")
        }
        bench.input =
            "{\"type\":\"t\"}\n" + #"{"type":"t","headers":{"Baggage":"a=1","x":"ä"}}"# + "\n"
        #expect(bench("enqueue q --jsonl -").exit == .done)
        #expect(bench("show 2 --json").json["headers"]?.text == #"{"baggage":"a=1","x":"ä"}"#)
        let exported = bench("export -").output
        #expect(exported.contains(#""headers":{"baggage":"a=1","x":"ä"}"#), "\(exported)")
    }

    @Test("T7 G7 a report has the headers; with --redact it has their names alone")
    func report() {
        #expect(enqueue("traceparent=\(Self.trace)", "user=kim").exit == .done)
        let open = bench("report 1").output
        #expect(open.contains("- header traceparent: `\(Self.trace)`"), "\(open)")
        let closed = bench("report 1 --redact payload.user").output
        #expect(closed.contains("- header traceparent: `[redacted]`"))
        #expect(closed.contains("- header user: `[redacted]`"))
        #expect(!closed.contains(Self.trace) && !closed.contains("kim"))
    }

    @Test("T7 G7 a script of the log repeats an enqueue with its headers")
    func script() throws {
        #expect(enqueue("b=2 3", "a=1").exit == .done)
        let script = bench("log --script").output
        #expect(script.contains("--header=a=1 --header='b=2 3'"), "\(script)")
    }
}
