import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

/// About texts from the payload paths that a queue names.
@Suite("What tasks are about, by a queue's own places")
struct SummaryTests {
    private static let payload =
        #"{"to":"zoë","n":7,"items":[{"name":"first"}],"a b":{"c":[1, 2]},"body":"line\nnext"}"#

    private func about(_ paths: String, _ payload: String, label: String? = nil) throws -> String? {
        let bench = Bench()
        let outcome = bench.run(["queue", "set", "mail", "--summary", paths])
        #expect(outcome.exit == .done, "\(outcome.errors)")
        let words = ["enqueue", "mail", "send", payload]
        #expect(bench.run(words + (label.map { ["--label", $0] } ?? [])).exit == .done)
        return try bench.store.readBlocking { store in
            let query = TaskQuery(queue: "mail", state: .waiting, limit: 1)
            return try Reading(store, now: Timestamp(milliseconds: 0))
                .about(try store.tasks(matching: query))[1]
        }
    }

    @Test(
        "Q12 the places that a queue names say what a task is about",
        arguments: [
            ("n", "7"), ("items[0].name, to", "first · zoë"), (#""a b".c"#, "[1, 2]"),
            ("body,n", "line · 7"), ("gone,n", "7"), ("none", "zoë · 7 · first · 1"),
        ])
    func places(_ example: (paths: String, text: String)) throws {
        #expect(try about(example.paths, Self.payload) == example.text)
    }

    @Test("Q12 where none of them is in a payload its label says it, or its first values")
    func without() throws {
        #expect(try about("gone", Self.payload, label: "by hand") == "by hand")
        #expect(try about("gone", #"{"to":"kim"}"#) == "kim")
        #expect(try about("n", Self.payload, label: "by hand") == "7")
        #expect(try about("n", "no JSON") == "no JSON")
        let long = #"{"n":7,"x":""# + String(repeating: "x", count: 65 << 10) + #""}"#
        #expect(try about("n", long) == "\(long.utf8.count) bytes")
    }

    @Test("Q12 the setting is told, taken back and carried over")
    func told() throws {
        let bench = Bench()
        _ = bench("enqueue mail send")
        #expect(bench("queue set mail --summary to,items[0].name").exit == .done)
        #expect(bench("log").output.contains("to,items[0].name"))
        let queue = bench("queues --json").json["queues"]?.array?.first
        #expect(queue?["summary"] == "to,items[0].name")
        #expect(bench("undo").exit == .done)
        #expect(bench("queues --json").json["queues"]?.array?.first?["summary"] == nil)
    }

    @Test(
        "Q12 what is no list of places is refused",
        arguments: ["", "a b", "to,", "to,,n", "to,to", "items[x]", "a,b,c,d,e,f,g,h,i", "a=1"])
    func refused(_ text: String) {
        let bench = Bench()
        let outcome = bench.run(["queue", "set", "mail", "--summary", text])
        #expect(outcome.exit == .usage, "\(text)")
        #expect(outcome.errors.contains("items[0].name"), "\(outcome.errors)")
    }
}
