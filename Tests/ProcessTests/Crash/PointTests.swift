import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Programs that kill themselves at each change, before each commit and after it, one point after
/// the other until they come to their end alive.
@Suite("crash: points", .serialized)
struct PointTests {
    /// The operation killed at each of its points.
    enum Way: String, CaseIterable, Sendable {
        case worker, step, deletion

        var words: [String] {
            switch self {
            case .worker: ["work", "--until-empty", "--quiet", "--handlers", "handlers.json"]
            case .step: ["step", "line", "-n", "3", "--handlers", "handlers.json"]
            case .deletion: ["delete", "--filter", "queue:line", "--yes"]
            }
        }
    }

    private static func prepare() throws -> (place: Workplace, ids: [Int64]) {
        let place = try Workplace.withStore()
        try place.employWitness()
        try place.json([
            "queue", "set", "line", "--after-failure", "block", "--retry", "fixed(0s)",
            "--attempts", "none", "--keep-finished", "1000",
        ])
        try place.json(["pause", "line"])
        let ids = try place.enqueue("line", payloads: [#"{"fail":1}"#, "{}", "{}", "{}"])
        return (place, ids)
    }

    @Test(
        "P2 A2 killed at any change or commit, a program loses nothing and settles once",
        arguments: Way.allCases)
    func points(_ way: Way) async throws {
        try await Workplace.onOwnThread {
            let stride = Soak.count(way == .deletion ? 3 : 9, soak: 1)
            var (point, kills) = (1, 0)
            while true {
                let (place, ids) = try Self.prepare()
                if way == .worker { try place.json(["resume", "line"]) }
                let answer = try place.sluice(
                    way.words, environment: ["SLUICE_TEST_KILL=\(point)"])
                if answer.code == 0 { break }
                #expect(answer.exit == .signal(.kill), "point \(point): \(answer)")
                guard answer.exit == .signal(.kill) else { return }
                kills += 1
                if way == .deletion {
                    // The deletion is atomic. Restore the tasks and process them.
                    let deleted = try place.count("line", "deleted")
                    #expect(deleted == 0 || deleted == ids.count, "point \(point)")
                    let trash = ["--filter", "queue:line state:deleted", "--yes"]
                    if deleted > 0 { try place.json(["undelete"] + trash) }
                }
                try place.json(["resume", "line"])
                try place.expecting(0, place.sluice(Way.worker.words))
                let told = place.testimony
                #expect(told.tally("end").keys.sorted() == ids, "point \(point)")
                #expect(told.overlaps == [], "point \(point)")
                #expect(told.strictBreaches(of: ids) == [], "point \(point)")
                #expect(told.count("start") <= ids.count + 2, "point \(point)")
                let succeeded = try place.list(["line", "--state", "succeeded"]).sorted()
                #expect(succeeded == ids, "point \(point)")
                #expect(try place.sluice(["doctor"]).code == 0, "point \(point)")
                point += stride
            }
            print("points: \(way.rawValue) killed \(kills) times, its way is \(point) points long")
            #expect(kills > 3)
        }
    }
}
