import Platform
import Testing

@Suite("simulation")
struct SimulationTests {
    /// A seed, and whether its store lies on a disk.
    struct Life: Sendable, CustomTestStringConvertible {
        var seed: Int
        var isOnDisk: Bool

        var testDescription: String { "seed \(seed)\(isOnDisk ? " on disk" : "")" }
    }

    /// As many seeds in memory as `SIMULATION_SEEDS` says, 32 by itself, and a few on a disk.
    static let lives =
        (1...(ProcessIdentity.environment("SIMULATION_SEEDS").flatMap { Int($0) } ?? 32)).map {
            Life(seed: $0, isOnDisk: false)
        }
        + (33...36).map { Life(seed: $0, isOnDisk: true) }

    @Test(
        "P2 no task is lost, none is settled twice, order holds, and every execution is explained",
        arguments: lives)
    func live(_ life: Life) throws {
        let world = try World(seed: life.seed, onDisk: life.isOnDisk)
        try world.live(steps: 400)
        #expect(world.auditor.problems == [], "seed \(life.seed)")
    }
}
