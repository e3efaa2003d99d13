import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// Prints measurements. Only an idle worker's zero cost is asserted.
@Suite("end to end: measurements", .serialized)
struct MeasureTests {
    @Test("how long a look takes from its start to its exit")
    func spawnToExit() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            _ = try place.enqueue("mail", count: 100)
            var codes: Set<Int32> = []
            var times = Spread()
            for _ in 0..<20 {
                try times.measure { _ = codes.insert(try place.sluice(["queues"]).code) }
            }
            #expect(codes == [0])
            print("measured: sluice queues, spawn to exit, \(times)")
        }
    }

    @Test("how long a lone enqueue takes to start its task in an idle worker")
    func enqueueToStart() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json(["queue", "set", "mail", "--keep-finished", "1000"])
            _ = try place.startWorker()
            var whole = Spread()
            var claims = Spread()
            for round in 0..<Soak.count(10, soak: 200) {
                let began = SystemClock.nowMilliseconds()
                let id = try place.enqueue("mail", count: 1).first ?? 0
                try place.wait(for: "the task") {
                    try place.count("mail", "succeeded") == round + 1
                }
                let start = place.testimony.lines.last { $0.word == "start" }?.nanoseconds ?? 0
                whole.add(milliseconds: Double(start) / 1e6 - Double(began))
                let task = try place.json(["show", "#\(id)"])
                let moments = [task["createdAt"], task["attemptLog"]?[0]?["startedAt"]]
                    .compactMap { $0?.string.flatMap({ TimeText.rfc3339($0) }) }
                if moments.count == 2 {
                    claims.add(milliseconds: Double(moments[1] - moments[0]))
                }
            }
            print("measured: enqueue's spawn to the handler's first line, \(whole)")
            #expect(claims.count == Soak.count(10, soak: 200))
            print("measured: enqueued to claimed by an idle worker, \(claims)")
        }
    }

    @Test("A2 an idle worker uses no processor time and is never woken")
    func idle() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            let worker = try place.startWorker()
            _ = try place.enqueue("mail", count: 1)
            try place.wait(for: "the only task") { try place.count("mail", "waiting") == 0 }
            try place.wait(for: "its end") { try place.count("mail", "running") == 0 }
            // The after-effects of a task, its notice and a deferred reap, end after a short idle
            // time.
            var before = try ProcessUse(of: worker.processID)
            var rested: ProcessUse
            repeat {
                rested = before
                Workplace.rest(seconds: 1)
                before = try ProcessUse(of: worker.processID)
            } while rested != before
            let seconds = Soak.count(3, soak: 30)
            Workplace.rest(seconds: seconds)
            let after = try ProcessUse(of: worker.processID)
            print(
                "measured: an idle worker in \(seconds) s: \(after.ticks - before.ticks) ticks, "
                    + "\(after.wakes - before.wakes) wakes of \(after.threads) threads, "
                    + "\(after.residentKiB) KiB")
            #expect(after.ticks == before.ticks)
            #expect(after.wakes == before.wakes)
        }
    }
}
