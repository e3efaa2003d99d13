import Sluice
import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// A program's session, the real worker, and a server that wants credentials.
@Suite("end to end: sessions and servers")
struct WebSessionTests {
    struct Note: TaskPayload, Equatable {
        static let taskType = "note"
        var text: String
    }

    /// A file to fetch, with the payload of the handler `download`.
    struct Fetch: TaskPayload, Equatable {
        static let taskType = "fetch"
        var url: String
        var destination: String
        var overwrite = false
    }

    /// The server's answer to an accepted note.
    struct Receipt: Codable, Sendable, Equatable {
        var taken: Bool
    }

    /// Accepts requests with the right password and answers 401 to others.
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
        // With new credentials the program resumes the queue and reissues the rejected task.
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

    /// A worker that downloads into the place's folder `files`.
    private func downloader(_ place: Workplace) async throws -> RunningProgram {
        try await Workplace.onOwnThread {
            try place.makeFolder("files")
            try place.write(
                #"{"handlers":{"fetch":{"download":{"root":"files"}}}}"#, to: "handlers.json")
            return try place.start(["work", "--handlers", place.file("handlers.json")])
        }
    }

    @Test("DBX-23 DBX-26 a download's file stands whole before its end is told, also late")
    func download() async throws {
        let bytes = Pattern.bytes(at: 0, count: 700_000)
        let server = try ScriptedServer { try $0.answer(200, [], bytes) }
        let place = try await Workplace.onOwnThread { try Workplace.withStore() }
        let app = try QueueClient.open(place.store)
        let session = try await app.session("files", of: Fetch.self)
        var wanted: [TaskID: String] = [:]
        for name in ["a.bin", "b.bin"] {
            let fetch = Fetch(url: server.url("/\(name)"), destination: name)
            wanted[try await session.enqueue(fetch, clientString: "\(name)")] = name
        }
        let worker = try await downloader(place)
        // A reader of the events finds the complete file when the end event arrives.
        var (ends, fractions) = (0, [Double]())
        for try await event in session.events {
            if case .progress(let step) = event { fractions.append(step.fraction ?? 0) }
            guard case .ended(let item) = event else { continue }
            let name = try #require(wanted[item.id])
            #expect(item.state == .succeeded, "\(item.error ?? "")")
            #expect(item.payload(as: Fetch.self)?.destination == name)
            #expect(try Files.read(place.file("files/\(name)"), limitBytes: 1 << 20) == bytes)
            ends += 1
            if ends == wanted.count { break }
        }
        #expect(fractions.allSatisfy { (0...1).contains($0) })
        try await stop(worker)
        // So does a later life that asks when all has long been over.
        try await session.close()
        let later = try await app.session("files", of: Fetch.self)
        #expect(Set(later.reconnected.map(\.id)) == Set(wanted.keys))
        for (id, name) in wanted {
            let item = try await later.end(of: id)
            #expect(item.clientString?.text == name)
            #expect(try Files.read(place.file("files/\(name)"), limitBytes: 1 << 20) == bytes)
            try await later.acknowledge(item)
        }
        try await later.close()
    }
}
