import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// A worker that kills itself at each change and commit while it takes in what an application left.
@Suite("crash: inbox", .serialized, .enabled(if: Files.exists("/usr/bin/sqlite3")))
struct InboxPointTests {
    private static let work = ["work", "--until-empty", "--quiet", "--handlers", "handlers.json"]
    /// Four tasks, one deleted and inserted again, and an invalid row.
    private static let rows = """
        BEGIN;
        INSERT INTO sluice_inbox (queue, type, payload, unique_key)
        VALUES ('line', 'job', '{}', 'a'), ('line', 'job', '{}', 'b'), ('line', 'job', '{}', 'c');
        INSERT INTO sluice_removed (queue, type, unique_key) VALUES ('line', 'job', 'b');
        INSERT INTO sluice_inbox (queue, type, payload, unique_key, attempt_limit)
        VALUES ('line', 'job', '{}', 'b', NULL), ('line', 'job', '{}', 'bad', 0);
        COMMIT
        """

    @Test("P2 T4 killed at any change or commit, no row of the inbox is lost or taken in twice")
    func points() async throws {
        try await Workplace.onOwnThread {
            let stride = Soak.count(3, soak: 1)
            var (point, kills) = (1, 0)
            while true {
                let place = try Workplace.withStore()
                try place.employWitness()
                try place.json([
                    "queue", "set", "line", "--after-failure", "block", "--retry", "fixed(0s)",
                    "--attempts", "none", "--keep-finished", "1000",
                ])
                let shell = try place.start("sqlite3", [place.store, Self.rows])
                try place.expecting(0, shell.answer())
                let answer = try place.sluice(
                    Self.work, environment: ["SLUICE_TEST_KILL=\(point)"])
                let isAlive = answer.code == 0
                if !isAlive {
                    #expect(answer.exit == .signal(.kill), "point \(point): \(answer)")
                    kills += 1
                    try place.expecting(0, place.sluice(Self.work))
                }
                let done = try place.list(["line", "--state", "succeeded"]).sorted()
                #expect(done.count == 3, "point \(point)")
                let told = place.testimony
                #expect(told.tally("end").keys.sorted() == done, "point \(point)")
                #expect(told.overlaps == [], "point \(point)")
                #expect(told.strictBreaches(of: done) == [], "point \(point)")
                #expect(try place.count("line", "deleted") == 1, "point \(point)")
                let refused = try place.json(["queues"])["inbox"]?["refused"]?.array?.count
                #expect(refused == 1, "point \(point)")
                if isAlive { break }
                point += stride
            }
            print("points: a worker with an inbox killed \(kills) times, \(point) points long")
            #expect(kills > 3)
        }
    }
}
