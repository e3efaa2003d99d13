import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Workers that die of injected crashes, with what their handlers did as the only witness.
@Suite("crash: faults", .serialized)
struct FaultKillTests {
    private static func prepare() throws -> Workplace {
        let place = try Workplace.withStore()
        try place.employWitness()
        try place.json([
            "queue", "set", "line", "--retry", "fixed(0s)", "--keep-finished", "1000",
        ])
        return place
    }

    private static let work = ["work", "--until-empty", "--quiet", "--handlers", "handlers.json"]

    /// How often a handler begins, by the kind of the fault.
    private static let starts = ["crash-before": 1, "crash-after": 2, "twice": 2]

    @Test(
        "G2 a crash kills the worker before or after the effect, and no task is lost",
        arguments: Array(starts))
    func kinds(_ kind: String, _ starts: Int) async throws {
        try await Workplace.onOwnThread {
            let place = try Self.prepare()
            let ids = try place.enqueue("line", payloads: ["{}", "{}", "{}"])
            try place.json(["fault", "id:\(ids[1])", kind])
            // A worker that allows no crash goes past it.
            if kind != "twice" {
                let spared = try place.enqueue("line", payloads: ["{}"])[0]
                try place.json(["fault", "id:\(spared)", kind])
                try place.json(["pause", "line"])
                try place.json(["step", "--task", "\(spared)", "--handlers", "handlers.json"])
                try place.json(["resume", "line"])
                #expect(place.testimony.tally("end")[spared] == 1)
            }
            let answer = try place.sluice(Self.work + ["--allow-crash"])
            let dies = kind != "twice"
            #expect(answer.exit == (dies ? .signal(.kill) : .code(0)), "\(answer)")
            if dies { try place.expecting(0, place.sluice(Self.work)) }
            let told = place.testimony
            #expect(told.tally("end")[ids[1]] == starts, "\(kind)")
            #expect(told.overlaps == [])
            #expect(try place.list(["line", "--state", "succeeded"]).count >= ids.count)
            let log = try place.json(["show", "\(ids[1])"])["attemptLog"]?.array ?? []
            #expect(log.map { $0["injected"] } == (dies ? [true, false] : [true]))
            #expect(log.first?["outcome"] == (dies ? "lost" : "success"))
            #expect(try place.sluice(["doctor"]).code == 0)
        }
    }
}
