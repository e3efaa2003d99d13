import SluiceSystem
import SluiceTestSupport
import Testing

/// Four machines of network namespaces, made and driven by `make many` alone.
@Suite("many machines", .serialized)
struct ManyMachinesTests {
    static var isWanted: Bool { ProcessIdentity.environment("SLUICE_MANY") != nil }

    /// The reason why the scenes cannot run here; `nil` if they can.
    static var obstacle: String? {
        if ProcessIdentity.userID != 0 { return "only root can make network namespaces" }
        if !PostgresServer.isInstalled { return "Debian's postgresql is missing" }
        for (tool, package) in [("ip", "iproute2"), ("nsenter", "util-linux"), ("perl", "perl")]
        where (try? Tool.run("sh", ["-c", "command -v \(tool)"])) == nil {
            return "Debian's \(package) is missing"
        }
        do {
            try Tool.run("unshare", ["--net", "--mount", "--uts", "true"])
            return nil
        } catch { return "this system lets nobody make network namespaces: \(error)" }
    }

    @Test(
        "P7 A2 P4 G3 K8 claims, distances, cuts, clocks, restarts and upgrades on four machines",
        .enabled(if: isWanted))
    func show() async throws {
        if let obstacle = Self.obstacle {
            Issue.record("many machines cannot be shown here: \(obstacle)")
            return
        }
        let seed = Soak.seed()
        try await Workplace.onOwnThread {
            let begin = SystemClock.monotonicNanoseconds()
            let trial = try ManyTrial(seed: seed)
            trial.verdicts.write("many machines: seed \(seed)")
            try trial.clocks()
            try trial.crash()
            try trial.distance()
            try trial.upgrade()
            try trial.cut()
            try trial.replace()
            let seconds = SystemClock.monotonicNanoseconds().since(begin) / 1_000_000_000
            let untrue = trial.verdicts.untrue
            trial.verdicts.write("\nmany machines: \(untrue.count) untrue, \(seconds) s")
            #expect(untrue == [])
        }
    }
}
