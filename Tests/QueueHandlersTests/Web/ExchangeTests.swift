import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceHandlers

@Suite("Exchanges of the handler http", .timeLimit(.minutes(10)))
struct ExchangeTests {
    private static let secret = "sesame-0815"

    private static func handler(_ address: String) throws -> HTTPHandler {
        let headers = [
            try HeaderTemplate("Authorization", "Bearer ${TOKEN}"),
            try HeaderTemplate("X-Trace", "t-${TOKEN}-1"),
        ]
        return HTTPHandler.asking(address) {
            $0.headers = headers
            $0.environment = ["TOKEN": secret]
        }
    }

    @Test("CIO-111 each try is kept: head, body, status, answer and phases, and no secret of it")
    func tries() async throws {
        let server = try ScriptedServer { talk in
            let body = try talk.body()
            let isFirst = talk.request.headers["x-trace"] != nil && talk.number == 1
            try talk.answer(
                isFirst ? 503 : 200, ["Content-Type: text/plain", "Set-Cookie: a=\(Self.secret)"],
                "for \(Self.secret): \(String(decoding: body, as: UTF8.self))")
        }
        let handler = try Self.handler(server.url("/in?key=\(Self.secret)"))
        let asked = Asked(handler, payload: #"{"n":1}"#)
        _ = await asked.outcome
        let lines = asked.report.seen.exchanges
        #expect(!lines.contains { $0.contains(Self.secret) })
        let exchanges = lines.compactMap { WebExchange(line: $0) }
        try #require(exchanges.count == 2 && lines.count == 2)
        let (first, second) = (exchanges[0], exchanges[1])
        #expect(first.method == "POST" && first.url == server.url("/in") + "?[redacted]")
        #expect(first.status == 503 && second.status == 200)
        #expect(first.version == "HTTP/1.1" && first.error == nil)
        let sent = Dictionary(uniqueKeysWithValues: first.headers.map { ($0.name, $0.value) })
        #expect(sent["Authorization"] == "[redacted]" && sent["X-Trace"] == "t-${TOKEN}-1")
        #expect(sent["Content-Type"] == "application/json")
        #expect(sent["Idempotency-Key"] == "key-1042")
        #expect(first.body?.text == #"{"n":1}"# && first.body?.isCut == false)
        #expect(!first.repeatsBody && second.body == nil && second.repeatsBody)
        let came = Dictionary(
            first.answerHeaders.map { ($0.name, $0.value) }, uniquingKeysWith: { a, _ in a })
        #expect(came["Set-Cookie"] == "[redacted]" && came["Content-Type"] == "text/plain")
        #expect(first.answer?.text == #"for ${TOKEN}: {"n":1}"#)
        #expect(first.phases.wait != nil && first.phases.total > 0)
        #expect(second.atMilliseconds >= first.atMilliseconds)
        let line = try #require(first.lines.first)
        #expect(line.hasPrefix("POST \(first.url): 503 Service Unavailable, "))
        // The line about the attempt is still in the log.
        #expect(asked.report.seen.log.count == 1)
    }

    @Test("CIO-111 a redirect is two exchanges; without an answer the reason is kept")
    func redirect() async throws {
        let server = try ScriptedServer { talk in
            _ = try talk.body()
            talk.request.path == "/a"
                ? try talk.answer(307, ["Location: /b?sig=\(Self.secret)"])
                : try talk.answer(204)
        }
        let asked = Asked(try Self.handler(server.url("/a")), payload: "{}")
        _ = await asked.outcome
        let exchanges = asked.report.seen.exchanges.compactMap { WebExchange(line: $0) }
        #expect(exchanges.map(\.status) == [307, 204])
        #expect(exchanges.last?.url == server.url("/b") + "?[redacted]")
        #expect(exchanges.last?.repeatsBody == true)
        #expect(!asked.report.seen.exchanges.contains { $0.contains(Self.secret) })
        let refused = Asked(try Self.handler("http://127.0.0.1:1/in"), payload: "{}")
        _ = await refused.outcome
        let failed = try #require(refused.report.seen.exchanges.first)
        let exchange = try #require(WebExchange(line: failed))
        #expect(exchange.status == nil && exchange.error?.isEmpty == false)
        #expect(exchange.answer == nil && exchange.answerHeaders.isEmpty)
    }

    @Test("CIO-111 of long bodies the beginning is kept, of bytes that are no text in base64")
    func long() async throws {
        let server = try ScriptedServer { talk in
            _ = try talk.body()
            try talk.answer(200, [], String(repeating: "ö", count: 100_000))
        }
        let payload = [UInt8](repeating: 0xFF, count: 50_000)
        let asked = Asked(try Self.handler(server.url("/")), payload: payload)
        _ = await asked.outcome
        let line = try #require(asked.report.seen.exchanges.first)
        let exchange = try #require(WebExchange(line: line))
        let limit = WebExchange.Body.limitBytes
        #expect(exchange.body?.isBase64 == true && exchange.body?.isCut == true)
        #expect(exchange.body?.bytes == 50_000)
        #expect(exchange.answer?.bytes == 200_000 && exchange.answer?.isCut == true)
        #expect(exchange.answer?.text.allSatisfy { $0 == "ö" } == true)
        #expect((exchange.answer?.text.utf8.count ?? 0) > limit - 4)
        #expect(line.utf8.count < 3 * limit)
    }
}
