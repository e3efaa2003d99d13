import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Kills workers and their commands at random moments. Others take over immediately.
@Suite("crash: kills", .serialized)
struct KillTests {
    @Test(
        "P2 A2 A8 kill -9 of workers and commands loses nothing, settles once, holds order",
        arguments: [1, 2])
    func kills(workers: Int) async throws {
        let seed = Soak.seed() &+ UInt64(workers)
        print("kills: \(workers) workers, seed \(seed)")
        try await Workplace.onOwnThread {
            let battle = try Battle(workers: workers, tasks: Soak.count(150, soak: 3000), seed)
            let wanted = Soak.count(25, soak: 250)
            try battle.fight(kills: wanted)
            #expect(battle.kills >= wanted)
            let (place, ids) = (battle.place, battle.ids)
            try place.wait(for: "the last task") {
                try place.count("line", "succeeded") == ids.count
            }
            let told = place.testimony
            print("kills: \(battle.summary), \(told.count("start")) executions of \(ids.count)")
            #expect(told.tally("end").keys.sorted() == ids)
            #expect(told.overlaps == [])
            #expect(told.strictBreaches(of: ids) == [])
            #expect(told.count("start") <= ids.count + battle.kills)
            #expect(try place.list(["line", "--state", "succeeded"]).sorted() == ids)
            for (task, count) in told.tally("start") where count > 1 {
                let log = try place.json(["show", "#\(task)"])["attemptLog"]?.array ?? []
                #expect(log.count { $0["outcome"] == "success" } == 1)
                #expect(log.allSatisfy { $0["outcome"]?.isNull == false })
            }
            #expect(try place.count("line", "waiting") == 0)
            try battle.end()
            #expect(place.processes() == [])
        }
    }
}

/// A queue processed while its workers and their commands are killed.
private final class Battle {
    let place: Workplace
    private(set) var ids: [Int64] = []
    private(set) var kills = 0
    private var killedWorkers = 0
    private var killedCommands = 0
    private var team: [RunningProgram] = []
    private var chance: SeededChance

    var summary: String { "\(killedWorkers) workers and \(killedCommands) commands killed" }

    init(workers: Int, tasks: Int, _ seed: UInt64) throws {
        place = try Workplace.withStore()
        chance = SeededChance(seed: seed)
        try place.employWitness()
        try place.json([
            "queue", "set", "line", "--after-failure", "block", "--retry", "fixed(0s)",
            "--attempts", "none", "--keep-finished", "100000",
        ])
        try enqueue(tasks)
        team = try (0..<workers).map { _ in try recruit() }
    }

    private func enqueue(_ count: Int) throws {
        let payloads = Array(repeating: #"{"ms":3}"#, count: count)
        ids += try place.enqueue("line", payloads: payloads)
    }

    /// Kills at random moments, a few log lines and milliseconds apart. The distance prevents that
    /// repeated kills park a task. Enqueues more tasks if all ended before the last kill.
    func fight(kills wanted: Int) throws {
        let (room, more) = (max(4, 2 * ids.count / wanted - 4), ids.count)
        while kills < wanted {
            let goal = place.testimony.lines.count + chance.number(4...max(5, room))
            try place.wait(for: "progress") {
                let told = place.testimony
                return told.lines.count >= goal || told.tally("end").count == ids.count
            }
            if place.testimony.tally("end").count == ids.count { try enqueue(more) }
            _ = try Poll.wait(fds: [], timeoutMilliseconds: chance.number(0...7))
            let aim = chance.number(0...9)
            if aim < 4 || aim > 7 { try killCommand() }
            if aim > 3 { try killWorker() }
        }
    }

    /// Stops the remaining workers.
    func end() throws { try place.dismiss(team) }

    private func recruit() throws -> RunningProgram {
        try place.start(["work", "--quiet", "--handlers", place.file("handlers.json")])
    }

    private func killWorker() throws {
        let index = chance.number(0...(team.count - 1))
        try team[index].signal(.kill)
        kills += 1
        killedWorkers += 1
        let fallen = team[index]
        team[index] = try recruit()
        try fallen.answer()
    }

    private func killCommand() throws {
        guard let last = place.testimony.lines.last(where: { $0.word == "start" }),
            place.isOurs(last.process), let start = ProcessIdentity.startTime(of: last.process),
            try ChildProcess.signalGroup(
                processID: last.process, startTime: start, signal: .kill)
        else { return }
        kills += 1
        killedCommands += 1
    }
}
