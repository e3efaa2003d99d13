import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// A server that fails once and wants credentials, and all places that show the exchanges.
@Suite("end to end: exchanges of http handlers")
struct WebExchangeTests {
    @Test("CIO-111 show, report and an HTTP Archive have the exchange of an attempt, redacted")
    func everywhere() async throws {
        let server = try ScriptedServer { talk in
            let body = String(decoding: try talk.body(), as: UTF8.self)
            try talk.answer(400, ["Set-Cookie: s=1"], "unknown: \(body)")
        }
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(
                """
                {"handlers":{"*":{"http":{"url":"\(server.url("/in"))",
                "headers":{"Authorization":"Bearer word-4711"}}}}}
                """, to: "handlers.json")
            try place.sluice(["enqueue", "mail", "send", #"{"to":"kim@example.com","n":1}"#])
            try place.sluice(["enqueue", "mail", "send", #"{"to":"ann@example.com","n":2}"#])
            try place.sluice(["step", "mail", "--handlers", place.file("handlers.json")])

            let shown = try place.json(["show", "1"])
            let attempt = shown["attemptLog"]?[0]
            let exchange = attempt?["exchanges"]?[0]
            #expect(attempt?["log"] == [])
            #expect(exchange?["status"] == 400 && exchange?["method"] == "POST")
            #expect(exchange?["body"]?["text"] == #"{"to":"kim@example.com","n":1}"#)
            let text = try place.sluice(["show", "1"]).output
            #expect(text.contains("POST \(server.url("/in")): 400 Bad Request, "))
            #expect(text.contains("> Authorization: [redacted]"))
            #expect(text.contains(#"< unknown: {"to":"kim@example.com","n":1}"#))

            let report = try place.sluice(["report", "1", "--redact", "payload.to"]).output
            #expect(report.contains("400 Bad Request") && !report.contains("kim@"))

            let made = try place.sluice([
                "export", "--har", place.file("a.har"), "--redact", "payload.to", "--json",
            ])
            #expect(made.output.contains(#""format":"har","#))
            #expect(made.output.contains(#""tasks":1"#))
            #expect(made.output.contains(#""requests":1"#))
            let bytes = try Files.read(place.file("a.har"), limitBytes: 1 << 20)
            let archive = try JSONValue.parse(bytes)["log"]
            let entries = try #require(archive?["entries"]?.array)
            try #require(entries.count == 1)
            let entry = entries[0]
            #expect(archive?["version"] == "1.2" && archive?["creator"]?["name"] == "Sluice")
            #expect(entry["request"]?["postData"]?["text"] == #"{"to":"[redacted]","n":1}"#)
            #expect(entry["response"]?["status"] == 400)
            #expect(entry["response"]?["statusText"] == "Bad Request")
            let all = String(decoding: bytes, as: UTF8.self)
            #expect(!all.contains("4711") && !all.contains("kim@") && !all.contains("s=1"))
            let timings = entry["timings"]?.object?.pairs.filter { $0.key != "ssl" } ?? []
            let sum = timings.compactMap(\.value.double).filter { $0 > 0 }.reduce(0, +)
            #expect(abs(sum - (entry["time"]?.double ?? -1)) < 0.001)
            // The archive replaces no file, and other formats take no redaction.
            #expect(try place.sluice(["export", place.file("a.har")]).code != 0)
            let refused = try place.sluice([
                "export", place.file("a.jsonl"), "--redact", "payload.to",
            ])
            #expect(refused.code != 0 && refused.errors.contains("--har"))
        }
    }
}
