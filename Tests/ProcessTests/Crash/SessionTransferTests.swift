import Sluice
import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// The transfers of a session, whose worker kills itself at each change and commit of its way.
@Suite("crash: a session's transfers", .serialized)
struct SessionTransferTests {
    struct Fetch: TaskPayload {
        static let taskType = "fetch"
        var url: String
        var destination: String
    }

    struct Send: TaskPayload {
        static let taskType = "send"
        var url: String
        var source: String
    }

    private static let file = ServedFile(bytes: 100_000)

    /// Serves the file, cutting every answer except the third in its middle, and accepts uploads.
    private static func server() throws -> ScriptedServer {
        try ScriptedServer { talk in
            guard talk.request.method == "GET" else {
                _ = try talk.body()
                return try talk.answer(200, [], "taken")
            }
            try talk.serve(file, cutAfter: talk.number % 3 == 0 ? .max : 30_000)
        }
    }

    @Test("PN-19 PN-12 a worker killed at any change or commit: each result once, each file whole")
    func points() async throws {
        let stride = Soak.count(9, soak: 1)
        var (point, kills) = (1, 0)
        while true {
            let server = try Self.server()
            let place = try await Workplace.onOwnThread { try Self.place() }
            let ids = try await Self.handOver(place, server)
            let (exit, at) = (try await Self.work(place, killAt: point), point)
            if exit == .signal(.kill) {
                kills += 1
                #expect(try await Self.work(place) == .code(0), "point \(at)")
            }
            let told = try await Self.collect(place)
            #expect(told.map(\.id).sorted() == ids, "point \(at)")
            #expect(told.allSatisfy { $0.state == .succeeded }, "point \(at)")
            #expect(try await Self.collect(place).isEmpty, "point \(at)")
            #expect(try Files.list(place.file("files")) == ["a", "b"], "point \(at)")
            for name in ["a", "b"] {
                let bytes = try Files.read(place.file("files/\(name)"), limitBytes: 1 << 20)
                #expect(bytes == Self.file.content, "point \(at)")
            }
            let sent = server.requests.count { $0.method == "PUT" }
            #expect(sent == 1 || sent == 2 && exit == .signal(.kill), "point \(at)")
            guard exit == .signal(.kill) else { break }
            point += stride
        }
        print("session transfers: a worker killed \(kills) times, its way is \(point) points long")
        #expect(kills > 3)
    }

    private static func place() throws -> Workplace {
        let place = try Workplace.withStore()
        try place.makeFolder("files")
        try place.write("what is sent", to: "letter")
        try place.write(
            #"{"handlers":{"fetch":{"download":{"root":"files"}},"send":{"upload":{"root":"."}}}}"#,
            to: "handlers.json")
        try place.json(["queue", "set", "album", "--retry", "fixed(0s)", "--attempts", "none"])
        return place
    }

    private static func client(_ place: Workplace) throws -> QueueClient {
        QueueClient(store: try SQLiteStore.open(path: place.store, createIfMissing: false))
    }

    /// A program's first life: it hands three transfers over.
    private static func handOver(
        _ place: Workplace, _ server: ScriptedServer
    ) async throws -> [TaskID] {
        let session = try await client(place).session("album", of: Fetch.self, Send.self)
        var ids: [TaskID] = []
        for name in ["a", "b"] {
            ids.append(
                try await session.enqueue(Fetch(url: server.url("/\(name)"), destination: name)))
        }
        ids.append(try await session.enqueue(Send(url: server.url("/in"), source: "letter")))
        try await session.close()
        return ids
    }

    /// The next process receives each result.
    private static func collect(_ place: Workplace) async throws -> [SessionItem] {
        let session = try await client(place).session("album", of: Fetch.self, Send.self)
        var told: [SessionItem] = []
        for item in session.reconnected {
            let end = try await session.end(of: item.id)
            told.append(end)
            try await session.acknowledge(end)
        }
        try await session.close()
        return told
    }

    private static func work(
        _ place: Workplace, killAt point: Int? = nil
    ) async throws -> ChildProcess.Exit {
        try await Workplace.onOwnThread {
            try place.sluice(
                ["work", "--until-empty", "--quiet", "--handlers", place.file("handlers.json")],
                environment: point.map { ["SLUICE_TEST_KILL=\($0)"] } ?? []
            ).exit
        }
    }
}
