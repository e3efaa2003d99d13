import SluiceModel
import SluiceRunner
import SluiceSystem
import Testing

@testable import SluiceHandlers

@Suite("http in the handlers file")
struct WebEntryTests {
    @Test("an entry is read with all its keys")
    func read() throws {
        let set = try HandlersFileTests.read(
            #"""
            {"handlers": {
              "track": {"http": {"method": "PUT", "url": "http://127.0.0.1:8080/{type}",
                "headers": {"X-App": "demo", "Authorization": "Bearer ${TOKEN}"},
                "giveUpOn": [400], "connectTimeout": "2s", "stalledAfter": "250ms"},
                "timeout": "30s"},
              "ask": {"http": {"url": "https://example.com/"}}}}
            """#)
        let track = try #require(set.handler(for: "track") as? HTTPHandler)
        #expect(track.method == "PUT" && track.address == "http://127.0.0.1:8080/{type}")
        #expect(track.timeoutMilliseconds == 30_000 && track.settings.giveUpOn == [400])
        #expect(track.settings.limits.connectMilliseconds == 2000)
        #expect(track.settings.limits.stalledMilliseconds == 250)
        #expect(track.settings.firstPauseMilliseconds == 100)
        #expect(track.settings.headers.map(\.name) == ["X-App", "Authorization"])
        #expect(track.settings.headers.last?.pieces == [.text("Bearer "), .variable("TOKEN")])
        let ask = try #require(set.handler(for: "ask") as? HTTPHandler)
        #expect(ask.method == "POST" && ask.settings.giveUpOn == nil)
        #expect(ask.settings.limits.connectMilliseconds == 30_000)
        #expect(ask.settings.limits.stalledMilliseconds == 60_000)
    }

    private static func http(_ text: String, _ sentence: String) -> HandlersFileTests.Bad {
        .entry(#"{"http": \#(text)}"#, sentence)
    }

    /// An entry with more fields after a valid address.
    private static func more(_ text: String, _ sentence: String) -> HandlersFileTests.Bad {
        http(#"{"url": "http://x/", \#(text)}"#, sentence)
    }

    static let bad: [HandlersFileTests.Bad] = [
        http("{}", #""http" names no "url"; add one: an address such as http://127.0.0.1:8080/"#),
        http(#"{"urls": "x"}"#, #"there is no key "http.urls"; did you mean "url"?"#),
        http(#"{"url": 3}"#, #""http.url" is a number; it must be a string"#),
        http(#"{"url": "file:///x"}"#, #""http.url" is "file:///x"; it must be an address such"#),
        http(#"{"url": "http://a b/"}"#, #""http.url" is "http://a b/"; it must be an address"#),
        more(#""method": "get""#, #""http.method" is "get"; it must be one of GET, HEAD, POST"#),
        more(#""headers": []"#, #""http.headers" is an array; it must be an object"#),
        more(#""headers": {"X": 1}"#, #""http.headers.X" is a number; it must be a string"#),
        more(#""headers": {"X": "a", "x": "b"}"#, #""http.headers" has "x" twice; keep one"#),
        more(
            #""headers": {"Content-Length": "1"}"#,
            #""http.headers.Content-Length": the header Content-Length is not for you to set"#),
        more(#""headers": {"X": "${A"}"#, #""http.headers.X": a "${" has no "}"; write it as"#),
        more(
            #""headers": {"X": "a\nb"}"#,
            #""http.headers.X": the value of the header X holds a control character"#),
        more(#""giveUpOn": 400"#, #""http.giveUpOn" is a number; it must be a list of statuses"#),
        more(#""giveUpOn": [200]"#, #""http.giveUpOn" is [200]; it must be a list of statuses"#),
        more(#""giveUpOn": [400, 429]"#, #""http.giveUpOn" has 429; drop it: it has another rule"#),
        more(#""stalledAfter": "0s""#, #""http.stalledAfter" is "0s"; it must be a duration"#),
    ]

    @Test("badHandlers names the key that is wrong", arguments: bad)
    func refused(_ one: HandlersFileTests.Bad) throws {
        let error = try #require(throws: QueueError.self) {
            try HandlersFileTests.read(one.text)
        }
        #expect(error.code == .badHandlers && !error.fix.isEmpty)
        #expect(error.description.contains(one.sentence), "\(error)")
    }
}
