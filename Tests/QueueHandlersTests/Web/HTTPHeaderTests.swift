import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceHandlers

@Suite("What goes into a request, and what comes out of it", .timeLimit(.minutes(10)))
struct HTTPHeaderTests {
    private func settings(
        _ headers: [(String, String)], _ environment: [String: String] = [:]
    ) throws -> (inout WebSettings) -> Void {
        let templates = try headers.map { try HeaderTemplate($0.0, $0.1) }
        return {
            $0.headers = templates
            $0.environment = environment
        }
    }

    @Test("P5 variables are filled in when the attempt starts, and never said back")
    func variables() async throws {
        let server = try ScriptedServer { talk in
            let said = talk.request.headers["authorization"] ?? ""
            let status = talk.request.path == "/ok" ? 200 : 404
            try talk.answer(status, [], "you said \(said)")
        }
        let change = try settings(
            [
                ("Authorization", "Bearer ${TOKEN}"), ("X-Task", "#${SLUICE_TASK_ID} $5 {x}"),
                ("content-type", "text/plain"), ("X-Empty", ""),
            ], ["TOKEN": "s3cret-value"])
        let good = await Asked.run(.asking(server, "/ok", change))
        #expect(await good.result == "you said Bearer ${TOKEN}")
        let bad = await Asked.run(.asking(server, "/no", change))
        #expect(
            await bad.outcome
                == .giveUp(error: "HTTP 404 Not Found: you said Bearer ${TOKEN}"))
        let request = try #require(server.requests.first)
        #expect(request.headers["authorization"] == "Bearer s3cret-value")
        #expect(request.headers["x-task"] == "#1042 $5 {x}")
        #expect(request.headers["content-type"] == "text/plain")
        #expect(request.headers["x-empty"]?.isEmpty == true)
    }

    @Test("P5 a variable that is not there, or would break the head, pauses the queue, unsent")
    func badVariables() async throws {
        let server = try ScriptedServer { try $0.answer(200) }
        let change = try settings([("X-Token", "${TOKEN}")])
        let missing = await Asked.run(.asking(server, "/", change)).outcome
        let prefix = "the header X-Token cannot be sent: "
        #expect(missing == .paused(prefix + "the environment has no TOKEN"))
        let injecting = try settings([("X-Token", "${TOKEN}")], ["TOKEN": "a\r\nX-Evil: yes"])
        let refused = await Asked.run(.asking(server, "/", injecting)).outcome
        #expect(
            refused
                == .paused(prefix + "the value of the header X-Token holds a control character"))
        #expect(server.requests == [])
    }

    @Test(
        "P5 a header that would end the line, the head or the body is refused",
        arguments: [
            ("X Y", "a"), ("X:", "a"), ("", "a"), ("X\r\n", "a"), ("X", "a\nb"), ("X", "a\rb"),
            ("X", "a\u{0}b"), ("X", "\u{7f}"), ("Content-Length", "1"), ("CONNECTION", "close"),
            ("transfer-encoding", "chunked"), ("Expect", ""), ("Ü", "a"), ("X", "${"),
            ("X", "${}"), ("X", "${a-b}"), ("X", "${1a}"),
        ])
    func refused(name: String, value: String) {
        #expect(throws: HeaderTemplate.Fault.self) { try HeaderTemplate(name, value) }
    }

    @Test("S5 redirects are followed ten times, to http and https alone; 307 and 308 keep the body")
    func redirects() async throws {
        let server = try ScriptedServer { talk in
            let body = String(decoding: try talk.body(), as: UTF8.self)
            switch talk.request.path {
            case "/307": try talk.answer(307, ["Location: /308"], "wait")
            case "/308": try talk.answer(308, ["Location: ./end?a=b"], "wait")
            case "/303": try talk.answer(303, ["Location: /end"], "wait")
            case "/302": try talk.answer(302, ["Location: /end"], "moved")
            case "/round": try talk.answer(307, ["Location: /round"])
            case "/ftp": try talk.answer(307, ["Location: ftp://127.0.0.1/x"])
            case "/file": try talk.answer(307, ["Location: file:///etc/passwd"])
            default: try talk.answer(200, [], "\(talk.request.method) \(body)")
            }
        }
        func outcome(_ path: String, _ method: String = "POST") async -> HandlerOutcome {
            await Asked.run(.asking(server, path, method: method), payload: "7").outcome
        }
        #expect(await outcome("/307") == .success(result: Array("POST 7".utf8)))
        #expect(await outcome("/303") == .success(result: Array("GET ".utf8)))
        #expect(await outcome("/302", "GET") == .success(result: Array("GET ".utf8)))
        // Followed as browsers do, it would be a success without its payload.
        #expect(await outcome("/302") == .giveUp(error: "HTTP 302 Found: moved"))
        let count = server.requests.count
        let round = await outcome("/round")
        #expect(round == .giveUp(error: "POST \(server.url("/round")): more than 10 redirects"))
        #expect(server.requests.count == count + 11)
        for path in ["/ftp", "/file"] {
            let leads = "a redirect leads to an address that cannot be used"
            #expect(
                await outcome(path) == .giveUp(error: "POST \(server.url(path)): \(leads)"))
        }
    }

    @Test("P5 to another server a redirect takes no credentials along")
    func credentials() async throws {
        let other = try ScriptedServer { try $0.answer(200, [], "there") }
        let server = try ScriptedServer { [url = other.url("/x")] talk in
            let isFirst = talk.request.path == "/"
            try talk.answer(307, ["Location: \(isFirst ? "/same" : url)"])
        }
        let change = try settings(
            [("Authorization", "Bearer ${T}"), ("X-Key", "k"), ("Accept", "text/plain")],
            ["T": "tok-en"])
        let address = server.url("/").replacing("://", with: "://kim:hush@")
        let asked = await Asked.run(.asking(address, change))
        #expect(await asked.result == "there")
        let same = server.requests.map { $0.headers["authorization"] }
        #expect(same == ["Bearer tok-en", "Bearer tok-en"])
        let headers = try #require(other.requests.first).headers
        #expect(
            Set(headers.keys)
                == ["host", "user-agent", "accept", "content-type", "content-length"])
        #expect(
            asked.report.seen.log == [
                "redirected to \(server.url("/same"))", "redirected to \(other.url("/x"))",
            ])
    }

    @Test("P5 an address shows neither password nor query")
    func shownURL() throws {
        let url = try HTTPURL("HTTP://kim:hush@Example.COM:80/a/b?token=x#y")
        #expect(url.shown == "http://example.com/a/b" && url.origin == "http://example.com:80")
        #expect(try HTTPURL("https://[::1]:8443/").shown == "https://[::1]:8443/")
        for text in ["", "x", "ftp://a/b", "file:///etc/passwd", "http://", "http://a b/", "//a"] {
            #expect(throws: HTTPFailure.self, "\(text)") { try HTTPURL(text) }
        }
    }
}
