import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@Suite("simulation")
struct SimulationTests {
    /// Seeds that live one after the other, and whether their stores lie on a disk.
    struct Lives: Sendable, CustomTestStringConvertible {
        var seeds: Range<Int>
        var isOnDisk = false

        var testDescription: String {
            let name =
                seeds.count == 1 ? "seed \(seeds.lowerBound)" : "seeds \(seeds)"
            return isOnDisk ? "\(name) on disk" : name
        }
    }

    /// The random steps of one seed, before calm.
    static let steps = 400
    /// The number of seeds in memory: `SIMULATION_SEEDS`, by default 32. A few more run on a disk.
    static let seeds = ProcessIdentity.environment("SIMULATION_SEEDS").flatMap { Int($0) } ?? 32
    /// The one that `SIMULATION_SEED` names, or all.
    static let lives =
        ProcessIdentity.environment("SIMULATION_SEED").flatMap { Int($0) }
        .map { [Lives(seeds: $0..<$0 + 1)] } ?? all
    private static let all =
        stride(from: 1, through: seeds, by: seeds > 100 ? 50 : 1).map {
            Lives(seeds: $0..<min($0 + (seeds > 100 ? 50 : 1), seeds + 1))
        }
        + stride(from: seeds + 1, through: seeds + max(4, seeds / 50), by: 4).map {
            Lives(seeds: $0..<$0 + 4, isOnDisk: true)
        }

    @Test(
        "P2 no task is lost, none is settled twice, order holds, and every execution is explained",
        arguments: lives)
    func live(_ lives: Lives) throws {
        var steps = 0
        for seed in lives.seeds {
            let world = try World(seed: seed, onDisk: lives.isOnDisk)
            try world.live(steps: Self.steps)
            #expect(world.auditor.problems == [], "seed \(seed)")
            steps += world.steps
        }
        if lives.seeds.count > 1 { print("simulated \(lives): \(steps) steps") }
    }

    @Test("G3 what is due as it is enqueued waits for no moment, also where the clock goes back")
    func dueAtOnce() {
        var auditor = Auditor()
        auditor.rules["q"] = Auditor.Rules()
        let now = Timestamp(milliseconds: 1000)
        for (id, moment) in [(TaskID(1), now), (2, now + -1), (3, now + 1)] {
            var request = EnqueueRequest(type: "t", payload: [])
            request.notBefore = moment
            auditor.enqueued([id], [request], "q", at: now)
        }
        auditor.noted(now + -500)
        #expect(auditor.tasks[1]?.notBefore == nil && auditor.tasks[2]?.notBefore == nil)
        #expect(auditor.tasks[3]?.notBefore == now + 1)
    }

    @Test("A1 A2 worlds hand tasks over, also to workers that die before they begin")
    func handsOver() throws {
        var handOvers = (all: 0, lost: 0)
        for seed in 1...8 where handOvers.lost == 0 {
            let world = try World(seed: seed)
            try world.live(steps: Self.steps)
            handOvers.all += world.handOvers.all
            handOvers.lost += world.handOvers.lost
        }
        #expect(handOvers.lost > 0 && handOvers.all > handOvers.lost)
    }

    @Test(
        "P2 the auditor finds each rule that is broken on purpose",
        arguments: PlantedFault.allCases)
    func planted(_ fault: PlantedFault) throws {
        var caught: (seed: Int, problem: String)?
        for seed in 1...64 where caught == nil {
            let world = try World(seed: seed, planted: fault)
            try world.live(steps: Self.steps)
            caught = world.auditor.problems.first.map { (seed, $0) }
        }
        let found = try #require(caught, "\(fault.rawValue) was not found in 64 seeds")
        print("planted \(fault.rawValue): seed \(found.seed), \(found.problem)")
    }
}
