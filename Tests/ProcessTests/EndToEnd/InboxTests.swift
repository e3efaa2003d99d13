import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// An application that uses only the two inbox tables, next to workers and commands in other
/// processes.
@Suite("end to end: inbox", .serialized, .enabled(if: Tool.sqlite))
struct InboxTests {
    /// Runs statements by SQLite's own shell, as an application would.
    private func sql(_ place: Workplace, _ statements: String) throws {
        let shell = try place.start(
            "sqlite3", ["-cmd", ".timeout 5000", place.store, statements])
        try place.expecting(0, shell.answer())
    }

    /// `CommitPollTests` checks the delay with a simulated clock.
    @Test("T4 a worker that sleeps is woken by an application's commit, and by nothing else")
    func wake() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.write(#"{"handlers":{"*":{"simulate":{}}}}"#, to: "handlers.json")
            try place.json(["queue", "set", "mail", "--keep-finished", "100"])
            _ = try place.startWorker()
            var waits: [Int64] = []
            for number in 1...Int64(Soak.count(15, soak: 300)) {
                try sql(place, "INSERT INTO sluice_inbox (queue, type) VALUES ('mail', 'job')")
                try place.wait(for: "task \(number)") {
                    try place.count("mail", "succeeded") == min(number, 100)
                }
                let task = try place.json(["show", "\(number)"])
                let start = task["attemptLog"]?[0]?["startedAt"]?.string
                waits.append(try moment(start) - moment(task["createdAt"]?.string))
            }
            waits.sort()
            print("woken by another's commit after \(waits) ms")
            // The others wait for the processor, where others want it.
            #expect(waits[0] <= 100)
        }
    }

    private func moment(_ text: String?) throws -> Int64 {
        let epoch = Timestamp(milliseconds: 0)
        return try #require(text.flatMap { TimeText.moment($0, now: epoch) }).milliseconds
    }

    @Test("T4 D6 YTQ-14 a removal takes away a waiting task, and tells a running one to stop")
    func removals() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            _ = try place.startWorker()
            let ids = try place.enqueue("mail", payloads: [#"{"wait":"never"}"#, "{}"])
            try place.wait(for: "the first") { place.testimony.count("ready") == 1 }
            let values = ids.map { "(\($0))" }.joined(separator: ", ")
            try sql(place, "INSERT INTO sluice_removed (task) VALUES \(values)")
            try place.wait(for: "both in the trash") { try place.count("mail", "deleted") == 2 }
            #expect(place.testimony.count("end") == 0)
            let by = try place.json(["log"])["events"]?.array?.compactMap { $0["by"]?.string }
            #expect(by?.contains("application") == true)
        }
    }

    @Test("T4 G7 what nobody took in is counted, what was refused is told, and mended by doctor")
    func looking() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.json(["queue", "set", "mail", "--max-payload", "10"])
            try sql(
                place,
                """
                INSERT INTO sluice_inbox (queue, type, payload)
                VALUES ('mail', 'job', '{}'), ('mail', 'job', '{"too":"large"}'), ('new', 'job', '')
                """)
            let seen = try place.json(["queues"])["inbox"]
            #expect(seen?["queues"]?.array?.count == 2)
            #expect(seen?["queues"]?[0]?["tasks"] == 2)
            #expect(try place.sluice(["queues"]).output.contains("2 in the inbox"))
            let held = try place.sluice(["expect", "empty(mail)"])
            #expect(held.code == 4 && held.output.contains("2 waiting and 0 running in mail"))
            try place.json(["pause", "mail"])
            #expect(try place.count("mail", "waiting") == 1)
            #expect(try place.count("new", "waiting") == 1)
            let refused = try place.json(["queues"])["inbox"]?["refused"]
            #expect(refused?.array?.count == 1)
            #expect(refused?[0]?["row"] == 2)
            let doctor = try place.sluice(["doctor"])
            #expect(doctor.code == 1)
            #expect(doctor.output.contains("row 2 of sluice_inbox (queue mail) was refused"))
            #expect(try place.sluice(["doctor", "--repair"]).code == 1)
            try place.json(["queue", "set", "mail", "--max-payload", "1KiB"])
            try place.sluice(["doctor", "--repair"])
            #expect(try place.count("mail", "waiting") == 2)
            #expect(try place.sluice(["doctor"]).code == 0)
        }
    }
}
