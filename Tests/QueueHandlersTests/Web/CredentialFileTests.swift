import SluiceModel
import SluiceRunner
import SluiceSystem
import SluiceTestSupport
import Testing

@testable import SluiceHandlers

@Suite("Credentials in files", .timeLimit(.minutes(10)))
struct CredentialFileTests {
    let place: TransferPlace

    init() throws { place = try TransferPlace() }

    /// Sends a request to a server that echoes its headers.
    private func asked(
        _ server: ScriptedServer, _ value: String = "Bearer ${file:token}"
    ) async throws -> Asked {
        let header = try HeaderTemplate("Authorization", value)
        return await Asked.run(
            .asking(server) {
                $0.headers = [header]
                $0.folder = place.path
            })
    }

    private func echo() throws -> ScriptedServer {
        try ScriptedServer { talk in
            try talk.answer(200, [], "you said \(talk.request.headers["authorization"] ?? "")")
        }
    }

    @Test("P5 a credential is read from its file for each attempt, and never said back")
    func read() async throws {
        let server = try echo()
        for token in ["s3cret-one", "s3cret-two\n", "s3cret-three\r\n"] {
            try place.write(token, to: "token")
            #expect(try await asked(server).result == "you said Bearer ${file:token}")
        }
        let sent = server.requests.map { $0.headers["authorization"] }
        #expect(sent == ["Bearer s3cret-one", "Bearer s3cret-two", "Bearer s3cret-three"])
        let absolute = try await asked(server, "${file:\(place.file("token"))}")
        #expect(await absolute.outcome.error == nil)
        #expect(server.requests.last?.headers["authorization"] == "s3cret-three")
    }

    @Test("P5 a file that is missing, too long or of two lines pauses the queue, and sends nothing")
    func bad() async throws {
        let server = try echo()
        let start = "the header Authorization cannot be sent: "
        let missing = try await asked(server).outcome
        #expect(missing == .paused(missing.error ?? ""))
        #expect(missing.error?.hasPrefix(start + "cannot open ") == true, "\(missing)")
        for text in ["secret-1\nsecret-2", String(repeating: "x", count: 70_000)] {
            try place.write(text, to: "token")
            let outcome = try await asked(server).outcome
            #expect(outcome == .paused(outcome.error ?? ""))
            #expect(outcome.error?.hasPrefix(start) == true, "\(outcome)")
            #expect(outcome.error?.contains("secret") == false)
        }
        #expect(server.requests == [])
        #expect(throws: HeaderTemplate.Fault.badVariable("file:")) {
            try HeaderTemplate("X", "${file:}")
        }
    }

    @Test("P5 the path of a credential counts from the handlers file")
    func folder() throws {
        let set = try HandlersFileTests.read(
            """
            {"handlers": {"b": {"command": ["./x"]},
                "a": {"http": {"url": "http://x/", "headers": {"X": "${file:t}"}}}}}
            """)
        let handler = try #require(set.handler(for: "a") as? HTTPHandler)
        let command = try #require(set.handler(for: "b") as? CommandHandler)
        #expect(handler.settings.folder == command.directory)
        #expect(handler.settings.headers.first?.pieces == [.variable("file:t")])
    }
}
