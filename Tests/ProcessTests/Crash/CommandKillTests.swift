import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Kills commands in the middle of their work.
@Suite("crash: commands", .serialized)
struct CommandKillTests {
    @Test("P1 T3 what a killed enqueue acknowledged is there, other lines whole or not at all")
    func enqueue() async throws {
        let seed = Soak.seed()
        print("enqueue: seed \(seed)")
        try await Workplace.onOwnThread {
            var chance = SeededChance(seed: seed)
            let place = try Workplace.withStore()
            let size = 300
            let line = #"{"type":"job","payload":{"a":1}}"# + "\n"
            let lines = String(repeating: line, count: size)
            // A run without a kill measures the duration.
            let start = SystemClock.monotonicMilliseconds()
            let words = ["enqueue", "mail", "--jsonl", "-", "--json"]
            let whole = try place.expecting(0, place.start(words, input: lines).answer())
            let took = Int(SystemClock.monotonicMilliseconds() - start)
            var acknowledged = whole.json["ids"]?.array?.compactMap(\.integer) ?? []
            var killed = 0
            for _ in 0..<Soak.count(25, soak: 1000) {
                let writer = try place.start(words, input: lines)
                _ = try Poll.wait(
                    fds: [PollInterest(writer.child.pidfd.number)],
                    timeoutMilliseconds: chance.number(0...max(100, took)))
                try writer.signal(.kill)
                let answer = try writer.answer()
                if answer.code != 0 { killed += 1 }
                acknowledged += answer.json["ids"]?.array?.compactMap(\.integer) ?? []
            }
            let there = try place.list(["mail"])
            print(
                "enqueue: \(killed) killed, \(acknowledged.count) tasks acknowledged, "
                    + "\(there.count) there")
            #expect(killed > 0)
            #expect(Set(there).count == there.count)
            #expect(there.count.isMultiple(of: size))
            #expect(Set(acknowledged).subtracting(there).isEmpty)
            #expect(acknowledged.count.isMultiple(of: size))
        }
    }

    @Test("P3 a store whose making was killed can be made again and used")
    func making() async throws {
        let seed = Soak.seed()
        print("making: seed \(seed)")
        try await Workplace.onOwnThread {
            var chance = SeededChance(seed: seed)
            var killed = 0
            for round in 0..<Soak.count(15, soak: 500) {
                let place = try Workplace()
                let maker = try place.start(["init"])
                // The first one dies immediately, so at least one dies early.
                let end =
                    SystemClock.monotonicNanoseconds()
                    + UInt64(chance.number(0...min(round, 1) * 40_000)) * 1000
                while SystemClock.monotonicNanoseconds() < end, maker.isRunning {}
                try maker.signal(.kill)
                if try maker.answer().code != 0 { killed += 1 }
                let ids = try place.enqueue("mail", count: 3)
                #expect(ids.count == 3)
                #expect(try place.list(["mail"]) == ids)
            }
            print("making: \(killed) killed")
            #expect(killed > 0)
        }
    }

    @Test("D3 the permit of a step that is killed dies with it")
    func step() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail"])
            try place.json(["pause", "mail"])
            // Each round is shorter than what a runner puts a look for the dead off by.
            let rounds = Soak.count(25, soak: 200)
            let ids = try place.enqueue("mail", count: 1 + rounds)
            let worker = try place.startWorker()
            // A worker that has only just attached still has its first claim before it.
            try place.json(["step", "mail"])
            for round in 1...rounds {
                try place.stopBetweenCommits(worker)
                let step = try place.start(["step", "mail", "--json"])
                // It watches for the end of the execution once the permit is in the store.
                try place.wait(for: "the permit", isPolled: true) {
                    place.threads(of: step).contains("sluice-watch")
                }
                try step.signal(.kill)
                try step.answer()
                try worker.signal(.resume)
                let next = try place.json(["step", "mail"])
                #expect(next["stepped"]?[0]?["id"]?.integer == ids[round])
            }
            #expect(place.testimony.tally("start").values.allSatisfy { $0 == 1 })
            #expect(try place.queue("mail")["state"] == "paused")
        }
    }

    @Test("A2 a step that is killed while its own handler runs loses nothing and overlaps nothing")
    func stepAtWork() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail", "--retry", "fixed(0s)"])
            try place.json(["pause", "mail"])
            let ids = try place.enqueue("mail", payloads: [#"{"wait":"go"}"#, "{}"])
            let words = ["step", "mail", "--handlers", place.file("handlers.json")]
            let step = try place.start(words)
            try place.wait(for: "its command") { place.testimony.count("ready") == 1 }
            try step.signal(.kill)
            try step.answer()
            try place.touch("go")
            _ = try place.startWorker()
            // The orphan was stopped or ended. Now the step finds the task.
            try place.wait(for: "the task's return") {
                try place.json(["why", "#\(ids[0])"])["blockers"]?.array?.count == 1
            }
            let next = try place.json(["step", "mail"])
            #expect(next["stepped"]?[0]?["id"]?.integer == ids[0])
            #expect(place.testimony.overlaps == [])
            #expect(place.testimony.tally("start") == [ids[0]: 2])
            let log = try place.json(["log", "-n", "50"])["events"]?.array ?? []
            #expect(!log.isEmpty)
        }
    }
}

extension Workplace {
    /// The names of a process's threads.
    func threads(of program: RunningProgram) -> [String] {
        let folder = "/proc/\(program.processID)/task"
        return ((try? Files.list(folder)) ?? []).map { number in
            let bytes = (try? Files.read("\(folder)/\(number)/comm", limitBytes: 64)) ?? []
            return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
        }
    }
}
