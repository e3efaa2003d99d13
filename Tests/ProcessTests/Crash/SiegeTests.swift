import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Everything that runs is killed again and again, at named points and at random moments: workers,
/// the commands of their tasks, verbs, consoles. 1,000 kills with `SLUICE_SOAK=1`.
@Suite("crash: siege", .serialized)
struct SiegeTests {
    @Test(
        "P2 A2 A8 S5 workers, commands, verbs and consoles are killed: nothing lost, all in order")
    func siege() async throws {
        let seed = Soak.seed()
        print("siege: seed \(seed)")
        try await Workplace.onOwnThread {
            let siege = try Siege(seed: seed)
            let begin = SystemClock.monotonicNanoseconds()
            let rounds = Soak.count(1, soak: 5)
            for round in 1...rounds {
                try siege.fight(kills: Soak.count(30, soak: 1000) * round / rounds)
                try siege.truce()
                Self.judge(siege)
                print("siege: \(siege.summary)")
            }
            let seconds = SystemClock.monotonicNanoseconds().since(begin) / 1_000_000_000
            print("siege: \(siege.total) kills in \(seconds) s")
            try siege.end()
            #expect(siege.place.processes() == [])
        }
    }

    /// Checks the handlers' log, the downloaded files, the server's uploads, and `doctor`.
    private static func judge(_ siege: Siege) {
        let told = siege.place.testimony
        let faults = Siege.faults {
            let line = try siege.tasks("line")
            let (wide, files) = (try siege.tasks("wide"), try siege.tasks("files"))
            #expect(siege.handed.isSubset(of: line + wide + files))
            #expect(told.tally("end").keys.sorted() == (line + wide).sorted())
            #expect(told.count("start") <= line.count + wide.count + siege.total)
            #expect(told.of(line).strictBreaches(of: line) == [])
            #expect(told.overlaps == [])
            #expect(try siege.place.list(["--state", "waiting"]) == [])
            #expect(try siege.fileFaults() == [])
            let doctor = try siege.place.sluice(["doctor"])
            #expect(doctor.code == 0, "\(doctor)")
        }
        #expect(faults == nil)
    }
}
