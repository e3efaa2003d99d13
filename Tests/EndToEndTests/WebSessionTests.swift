import Platform
import ProgramHarness
import QueueModel
import Sluice
import Testing
import WebHarness

/// A program's session, the real worker, and a server that wants credentials.
@Suite("end to end: sessions and servers")
struct WebSessionTests {
    struct Note: TaskPayload, Equatable {
        static let taskType = "note"
        var text: String
    }

    /// What the server gives for a note that it took.
    struct Receipt: Codable, Sendable, Equatable {
        var taken: Bool
    }

    /// Takes what comes with the right word; anything else is 401.
    private func server() throws -> ScriptedServer {
        try ScriptedServer { talk in
            _ = try talk.body()
            let isKnown = talk.request.headers["authorization"] == "Bearer good"
            try talk.answer(
                isKnown ? 200 : 401, ["Content-Type: application/json"],
                isKnown ? #"{"taken":true}"# : "token expired")
        }
    }

    /// A worker whose handler takes its word from the environment.
    private func worker(
        _ place: Workplace, _ server: ScriptedServer, token: String
    ) async throws -> RunningProgram {
        try await Workplace.onOwnThread {
            try place.write(
                """
                {"handlers":{"note":{"http":{"url":"\(server.url("/in"))",
                "headers":{"Authorization":"Bearer ${NOTE_TOKEN}"}}}}}
                """, to: "handlers.json")
            return try place.start(
                ["work", "--handlers", place.file("handlers.json")],
                environment: ["NOTE_TOKEN=\(token)"])
        }
    }

    private func stop(_ worker: RunningProgram) async throws {
        try await Workplace.onOwnThread {
            try worker.signal(.terminate)
            _ = try worker.answer()
        }
    }

    @Test(
        "PN-15 DBX-17 DBX-18 a 401 is a result and a pause that is told; a good token goes through")
    func credentials() async throws {
        let server = try server()
        let place = try await Workplace.onOwnThread { try Workplace.withStore() }
        let app = try QueueClient.open(place.store)
        let session = try await app.session("notes", of: Note.self)
        let ids = [
            try await session.enqueue(Note(text: "a"), clientString: "1"),
            try await session.enqueue(Note(text: "b"), clientString: "2"),
        ]
        let stale = try await worker(place, server, token: "stale")
        var told: [String] = []
        for try await event in session.events {
            switch event {
            case .ended(let item): told.append("\(item.id) \(item.error ?? "")")
            case .paused(let queue, let pause):
                told.append("\(queue) \(pause.cause.rawValue)")
                #expect(pause.until != nil)
            case .progress: break
            }
            if told.count == 2 { break }
        }
        try await stop(stale)
        #expect(told[0] == "notes handler")
        #expect(told[1].hasPrefix("\(ids[0]) ") && told[1].contains("401"), "\(told)")
        #expect(server.requests.count == 1)
        // New credentials: the program lets the queue go on, and the refused one go again.
        try await app.control.perform(.resume(.queue("notes")))
        let again = try await session.reissue(ids[0])
        let fresh = try await worker(place, server, token: "good")
        for (id, string) in [(ids[1], "2"), (again, "1")] {
            let item = try await session.end(of: id)
            #expect(item.state == .succeeded && item.clientString?.text == string)
            #expect(try item.result(as: Receipt.self) == Receipt(taken: true))
            try await session.acknowledge(item)
        }
        try await stop(fresh)
        try await session.close()
    }
}
