import SluiceModel
import Testing

@Suite("Exchanges")
struct ExchangeTests {
    private func exchange(_ body: String, answer: String) -> WebExchange {
        var exchange = WebExchange(
            at: 3, "POST", "http://h/a", headers: [.init("X-User", "kim \"k\" ö")],
            phases: WebExchange.Phases(ends: [10, 30, 0, 40, 900, 950]))
        exchange.body = WebExchange.Body(Array(body.utf8))
        exchange.status = 404
        exchange.version = "HTTP/2"
        exchange.answerHeaders = [.init("Content-Type", "text/plain")]
        exchange.answer = WebExchange.Body(Array(answer.utf8), left: 5)
        exchange.error = "broken off"
        return exchange
    }

    @Test("CIO-111 an exchange reads back from its line, and other lines are none")
    func line() {
        let exchange = exchange(#"{"a":"ö\n"}"#, answer: "no\nsuch")
        #expect(WebExchange(line: exchange.line) == exchange)
        #expect(exchange.phases.total == 950 && exchange.phases.tls == nil)
        #expect(exchange.phases.blocked == 10 && exchange.phases.wait == 860)
        for line in ["", "exchange", #"{"exchange":{}}"#, #"{"exchange":3}"#, #"{"exchange":"#] {
            #expect(WebExchange(line: line) == nil)
        }
        let lines = exchange.lines
        #expect(lines.first == "POST http://h/a: 404 Not Found, 950 us")
        let phases = "  blocked 10 us, dns 10 us, connect 20 us, wait 860 us, receive 50 us"
        #expect(lines.contains(phases))
        #expect(lines.contains(#"  > X-User: kim "k" ö"#) && lines.contains("  < such"))
        #expect(lines.contains("  < (cut: 12 bytes)"))
    }

    @Test("CIO-111 a redaction finds its value in every spelling, and leaves out a cut body")
    func redaction() throws {
        let path = try #require(PayloadPath.list("user.name"))
        var redactions = Redactions(path)
        let name = #"kim \"k\" \u00f6"#
        redactions.learn(Array(#"{"user":{"name":"\#(name)"}}"#.utf8))
        var whole = exchange(
            #"{"n":1,"user":{"name":"\#(name)"}}"#, answer: "hello kim \"k\" ö")
        whole.answer?.isCut = false
        let clean = redactions.clean(whole)
        #expect(clean.body?.text == #"{"n":1,"user":{"name":"[redacted]"}}"#)
        #expect(clean.answer?.text == "hello [redacted]")
        #expect(!clean.line.contains("kim"))
        // Another value at the place, as of a payload that was edited since.
        let edited = redactions.clean(
            exchange(#"{"user":{"name":"ann"}}"#, answer: "ann is unknown"))
        #expect(!edited.line.contains("ann"))
        var cut = exchange(#"{"user":{"name":"bob"#, answer: "")
        cut.body?.isCut = true
        #expect(redactions.clean(cut).body?.text == Redactions.mark)
        var none = Redactions([])
        #expect(none.clean(whole) == whole)
    }

    @Test("CIO-111 an answer in the microsecond of the request has a wait of 0")
    func noWait() {
        let phases = WebExchange.Phases(ends: [0, 20, 0, 40, 40, 50])
        #expect(phases.wait == 0 && phases.receive == 10 && phases.total == 50)
    }

    @Test(
        "CIO-111 headers of credentials are known by their names",
        arguments: ["Authorization", "Proxy-Authorization", "cookie", "Set-Cookie", "X-Api-Key"])
    func secretHeaders(_ name: String) {
        #expect(Redactions.isSecret(header: name))
        #expect(!Redactions.isSecret(header: "Idempotency-Key"))
        #expect(!Redactions.isSecret(header: "WWW-Authenticate"))
    }
}
