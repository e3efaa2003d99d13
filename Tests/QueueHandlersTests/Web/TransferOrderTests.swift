import SluiceModel
import SluiceRunner
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceHandlers

@Suite("The payload of a transfer", .timeLimit(.minutes(10)))
struct TransferOrderTests {
    @Test("PN-02 all of it is read")
    func read() throws {
        let up = try TransferOrder.upload(
            Array(
                #"{"url":"http://h/p","method":"POST","headers":{"X-A":"b"},"source":"./a//b"}"#
                    .utf8))
        #expect(up.method == "POST" && up.path.text == "a/b" && up.url.text == "http://h/p")
        #expect(up.headers.map(\.name) == ["X-A"] && up.headers.map(\.value) == ["b"])
        let down = try TransferOrder.download(
            Array(#"{"url":"https://h","headers":null,"destination":"x","overwrite":true}"#.utf8))
        #expect(down.overwrites && down.path.name == "x" && down.path.folders.isEmpty)
        #expect(down.method == "GET" && down.url.origin == "https://h:443")
    }

    private static let url = #""url":"http://h/""#

    @Test(
        "A4 a payload that is none is given up, and says what it lacks",
        arguments: [
            ("", "the payload is not JSON: line 1, column 1"),
            ("[]", "the payload is an array; it must be an object"),
            ("{}", "the payload has no destination"),
            (#"{"destination":"a"}"#, "the payload has no url"),
            (#"{"url":3,"destination":"a"}"#, "the payload's url is a number; it must be a str"),
            (#"{"url":"x y","destination":"a"}"#, "the payload's url cannot be used: "),
            (#"{"url":"ftp://h/","destination":"a"}"#, "only http and https are spoken"),
            (#"{"url":"file:///x","destination":"a"}"#, "the payload's url cannot be used: "),
            ("{\(url),\"destination\":\"../a\"}", "\"../a\" is no path below the root"),
            ("{\(url),\"destination\":\"a\",\"overwite\":true}", "did you mean \"overwrite\"?"),
            ("{\(url),\"destination\":\"a\",\"overwrite\":1}", "the payload's overwrite is a num"),
            ("{\(url),\"destination\":\"a\",\"headers\":[]}", "headers are an array; they must"),
            ("{\(url),\"destination\":\"a\",\"headers\":{\"A\":1}}", "header A is a number; it"),
            (
                "{\(url),\"destination\":\"a\",\"headers\":{\"A\":\"b\\r\\nC: d\"}}",
                "the payload: the value of the header A holds a control character"
            ),
            (
                "{\(url),\"destination\":\"a\",\"headers\":{\"Range\":\"x\"}}",
                "the header Range is not for you to set"
            ),
            (
                "{\(url),\"destination\":\"a\",\"headers\":{\"content-length\":\"1\"}}",
                "the header content-length is not for you to set"
            ),
        ])
    func faults(_ payload: String, _ sentence: String) async throws {
        let place = try TransferPlace()
        let handler = TransferHandler(
            direction: .down, root: TransferRoot(path: place.path), settings: WebSettings(),
            timeoutMilliseconds: nil)
        let outcome = await Asked(handler, payload: Array(payload.utf8)).outcome
        guard case .giveUp(let error?) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.contains(sentence), "\(error)")
        #expect(try place.names() == [])
    }

    @Test("A4 an upload knows PUT, POST and PATCH alone, and its own keys")
    func uploadFaults() {
        for payload in [
            #"{\#(Self.url),"source":"a","method":"GET"}"#,
            #"{\#(Self.url),"source":"a","destination":"b"}"#, #"{\#(Self.url)}"#,
        ] {
            #expect(throws: TransferOrder.Fault.self) {
                try TransferOrder.upload(Array(payload.utf8))
            }
        }
    }

    @Test("P5 a payload's variables are letters, its headers stand behind the handler's own")
    func headers() async throws {
        let place = try TransferPlace()
        let server = try ScriptedServer { try $0.answer(200, [], "x") }
        let templates = [
            try HeaderTemplate("Authorization", "Bearer ${TOKEN}")
        ]
        let payload: JSONValue = [
            "url": .string(server.url("/")), "destination": "a",
            "headers": ["authorization": "mine", "X-Say": "${TOKEN}"],
        ]
        let asked = place.download(payload) {
            $0.headers = templates
            $0.environment = ["TOKEN": "tok-en"]
        }
        #expect(await asked.outcome == .placed("a", bytes: 1))
        let headers = try #require(server.requests.first).headers
        #expect(headers["authorization"] == "Bearer tok-en" && headers["x-say"] == "${TOKEN}")
    }

    @Test("P5 where the handler names its hosts, no other is asked")
    func hosts() async throws {
        let place = try TransferPlace()
        let server = try ScriptedServer { try $0.answer(200, [], "x") }
        let hosts = ["files.example.com", "127.0.0.1:\(server.port)"]
        let good = await place.download(server.url("/"), to: "a") { $0.hosts = hosts }
        #expect(await good.outcome == .placed("a", bytes: 1))
        let other = "http://127.0.0.1:\(try Loopback.closedPort())/"
        let bad = await place.download(other, to: "b") { $0.hosts = hosts }
        #expect(await bad.outcome.error?.hasSuffix("is not among the handler's hosts") == true)
    }

    @Test("A7 progress says how much of how much, how fast, and how long it will take")
    func meter() {
        let second: UInt64 = 1_000_000_000
        var meter = TransferMeter(totalBytes: 100 << 20, nanoseconds: 0)
        #expect(meter.progress == .init(fraction: 0, text: "0 B of 100 MiB"))
        #expect(meter.reach(1 << 20, nanoseconds: second / 5) == nil)
        let first = meter.reach(10 << 20, nanoseconds: second)
        #expect(first == .init(fraction: 0.1, text: "10 MiB of 100 MiB, 10 MiB/s, 9s left"))
        #expect(meter.reach(11 << 20, nanoseconds: second + 1) == nil)
        // It slows down: the rate follows within some seconds.
        let slow = meter.reach(11 << 20, nanoseconds: 6 * second)
        #expect(slow?.text == "11 MiB of 100 MiB, 5.0 MiB/s, 18s left")
        var endless = TransferMeter(bytes: 500, totalBytes: nil, nanoseconds: 0)
        #expect(endless.progress == .init(fraction: nil, text: "500 B"))
        #expect(endless.reach(2548, nanoseconds: second)?.text == "2.4 KiB, 2.0 KiB/s")
        #expect(TransferMeter(totalBytes: 0, nanoseconds: 0).progress.fraction == 1)
        var still = TransferMeter(bytes: 5, totalBytes: 10, nanoseconds: 0)
        #expect(still.reach(5, nanoseconds: second)?.text == "5 B of 10 B")
    }
}
