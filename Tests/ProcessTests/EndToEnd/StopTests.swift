import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// How workers stop, and what another one finds (A6).
@Suite("end to end: stopping")
struct StopTests {
    @Test("A6 TERM lets what runs finish; the worker ends with 0 and leaves no process")
    func graceful() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail", "--concurrency", "2", "--keep-finished", "9"])
            let first = try place.startWorker(["--slots", "1"])
            let slow = try place.enqueue("mail", payloads: [#"{"wait":"go"}"#])
            try place.wait(for: "the slow task") { place.testimony.count("ready") == 1 }
            try first.signal(.terminate)
            let next = try place.enqueue("mail", count: 3)
            let second = try place.startWorker()
            try place.wait(for: "the second worker") { try place.count("mail", "succeeded") == 3 }
            #expect(place.testimony.tally("end").keys.sorted() == next)
            #expect(first.isRunning)
            try place.touch("go")
            #expect(try first.answer().code == 0)
            let task = try place.json(["show", "#\(slow[0])"])
            #expect(task["state"] == "succeeded")
            #expect(task["attempts"] == 1)
            try second.signal(.terminate)
            #expect(try second.answer().code == 0)
            #expect(place.processes() == [])
            #expect(try place.json(["runners"])["runners"]?.array == [])
        }
    }

    @Test("A6 a second signal stops what runs at once; it waits, not counted, for others")
    func urgent() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail", "--keep-finished", "9"])
            let first = try place.startWorker()
            let ids = try place.enqueue("mail", payloads: [#"{"wait":"go"}"#])
            try place.wait(for: "the task") { place.testimony.count("ready") == 1 }
            try first.signal(.interrupt)
            try first.signal(.terminate)
            #expect(try first.answer().code == 0)
            #expect(place.processes() == [])
            let stopped = try place.json(["show", "#\(ids[0])"])
            #expect(stopped["state"] == "waiting")
            #expect(stopped["attempts"] == 0)
            #expect(stopped["attemptLog"]?[0]?["outcome"] == "stopped")
            _ = try place.startWorker()
            try place.touch("go")
            try place.wait(for: "the successor") { try place.count("mail", "succeeded") == 1 }
            #expect(place.testimony.overlaps == [])
            #expect(place.testimony.tally("start") == [ids[0]: 2])
        }
    }

    @Test("A6 a command that hears nothing is told to end after the grace and is killed 5 s later")
    func deaf() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail"])
            let worker = try place.startWorker()
            let ids = try place.enqueue("mail", payloads: [#"{"wait":"never","deaf":1}"#])
            try place.wait(for: "the task") { place.testimony.count("ready") == 1 }
            let begin = SystemClock.monotonicNanoseconds()
            try worker.signal(.terminate)
            #expect(try worker.answer().code == 0)
            let seconds = Double(SystemClock.monotonicNanoseconds() - begin) / 1e9
            #expect(seconds >= 15)
            #expect(place.processes() == [])
            let task = try place.json(["show", "#\(ids[0])"])
            #expect(task["attempts"] == 0)
            #expect(task["attemptLog"]?[0]?["outcome"] == "stopped")
        }
    }

    @Test("A6 pause --now stops what runs; it waits, not counted, until the queue is resumed")
    func pauseNow() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail", "--keep-finished", "9"])
            _ = try place.startWorker()
            let ids = try place.enqueue("mail", payloads: [#"{"wait":"go"}"#])
            try place.wait(for: "the task") { place.testimony.count("ready") == 1 }
            let pause = try place.json(["pause", "mail", "--now"])
            #expect(["pausing", "paused"].contains(pause["state"]?.string))
            try place.wait(for: "the stop") { try place.queue("mail")["state"] == "paused" }
            let task = try place.json(["show", "#\(ids[0])"])
            #expect(task["state"] == "waiting")
            #expect(task["attempts"] == 0)
            try place.touch("go")
            try place.json(["resume", "mail"])
            try place.wait(for: "the end") { try place.count("mail", "succeeded") == 1 }
            #expect(place.testimony.overlaps == [])
        }
    }

    @Test("A6 the end runs no destructor of a library, which another thread may still use")
    func destructors() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace()
            let answer = try place.start(
                place.program, ["version"], environment: ["LD_DEBUG=files"]
            ).answer()
            #expect(answer.code == 0 && answer.output.hasPrefix("sluice "), "\(answer)")
            #expect(answer.errors.contains("calling init"))
            #expect(!answer.errors.contains("calling fini"))
        }
    }
}
