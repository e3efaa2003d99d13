import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// The extent of a trial: a little with the other tests, all of it by `make foreign`.
enum TrialSize {
    private static let asked = ProcessIdentity.environment("SLUICE_FOREIGN")
    static let isWhole = asked != nil
    /// The names of the selected systems, separated by commas; none selects all.
    static let names = asked == "1" ? [] : (asked ?? "").split(separator: ",").map(String.init)
    static let steps = isWhole ? 20 : 5
    static let canRun =
        PythonPackages.areThere && RedisServer.isInstalled && PostgresServer.isInstalled
}

@Suite("steps of other systems' own workers", .serialized, .enabled(if: TrialSize.canRun))
struct StepTrialTests {
    @Test(
        "X2 X3 what is held runs not, each step runs its task alone, and all ran once at the end",
        arguments: TrialSize.isWhole ? Trial.System.all : Trial.System.few)
    func steps(system: Trial.System) async throws {
        try await Workplace.onOwnThread { try Self.trySteps(Trial(system)) }
    }

    private static func trySteps(_ trial: Trial) throws {
        let first = try trial.send(1, 1)
        try trial.wait(for: "the first task runs") { trial.log == [1] }
        try first.answer()
        try trial.place.expecting(
            0, trial.sluice(["pause", trial.system.queue, "--reason", "trial"]))
        let sender = try trial.send(100, 40)
        try sender.answer()
        let references = Trial.sent(sender)
        try trial.wait(for: "all are held") { try trial.held() == 40 }
        let arrivals = try trial.send(1000, 100_000, every: 0.05)
        try trial.wait(for: "arrivals") { !Trial.sent(arrivals).isEmpty }
        var expected = [1]
        var random = Seeded(state: 7)
        let chosen = Array(
            references.keys.sorted().shuffled(using: &random).prefix(TrialSize.steps))
        var times: [Int64] = []
        for number in chosen {
            let answer = try trial.place.expecting(
                0, trial.sluice(["step", "--task", references[number] ?? "?", "--json"]))
            times.append(answer.json["stepped"]?[0]?["milliseconds"]?.integer ?? -1)
            expected.append(number)
            try trial.wait(for: "\(number) runs") { trial.log.contains(number) }
            #expect(trial.stepped == expected)
        }
        if TrialSize.isWhole {
            // Restarted workers take no task either.
            for number in 0..<2 { try trial.restartWorker(number) }
            let burst = try trial.send(500, 200)
            try burst.answer()
            #expect(trial.stepped == expected)
        }
        try arrivals.child.signal(.kill)
        try arrivals.answer()
        #expect(trial.stepped == expected)
        let leaked = trial.log.count - trial.stepped.count
        let came = Trial.sent(arrivals).keys
        try trial.place.expecting(0, trial.sluice(["resume", trial.system.queue]))
        let burst = TrialSize.isWhole ? Array(500..<700) : []
        // The sender may die between a send and its report.
        let all = Set([1] + references.keys + came + burst)
        try trial.expectEachOnce(all)
        #expect(Set(trial.log).subtracting(all).count <= 1)
        let sorted = times.sorted()
        print(
            "trial: \(trial.system.rawValue): \(chosen.count) steps, \(came.count) arrivals, "
                + "\(leaked) taken along, \(trial.again.count) again by the system, "
                + "median \(sorted[sorted.count / 2]) ms, most \(sorted.last ?? 0) ms")
        try trial.end()
    }

    @Test(
        "X7 after kills of the tool nothing is lost and nothing runs twice",
        .enabled(if: TrialSize.isWhole), arguments: Trial.System.all)
    func kills(system: Trial.System) async throws {
        try await Workplace.onOwnThread { try Self.tryKills(Trial(system)) }
    }

    private static func tryKills(_ trial: Trial) throws {
        // RQ knows a queue since its first task.
        let first = try trial.send(1, 1)
        try trial.wait(for: "the first task runs") { trial.log == [1] }
        try first.answer()
        try trial.place.expecting(0, trial.sluice(["pause", trial.system.queue]))
        try trial.send(100, 60).answer()
        let arrivals = try trial.send(1000, 100_000, every: 0.05)
        var random = Seeded(state: 11)
        for _ in 0..<20 {
            let step = try trial.begin(["step", trial.system.queue])
            _ = try Poll.wait(fds: [], timeoutMilliseconds: Int(random.next() % 60))
            try step.child.signal(.kill)
            _ = try step.answer()
            try trial.killKeepers()
            _ = try trial.sluice(["pause", trial.system.queue])
        }
        try arrivals.child.signal(.kill)
        try arrivals.answer()
        try trial.place.expecting(0, trial.sluice(["resume", trial.system.queue]))
        let all = Set([1] + Array(100..<160) + Trial.sent(arrivals).keys)
        try trial.expectEachOnce(all)
        print(
            "trial: \(trial.system.rawValue): 20 kills, \(trial.log.count) ran, each once; "
                + "\(trial.again.count) again by the system")
        try trial.end()
    }
}

/// Chance that is the same in every run.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
