import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// A command that survives its runner, or leaves a child process (A2, A3).
@Suite("crash: orphans")
struct OrphanTests {
    @Test("B12 a task whose orphan goes on is blocked until it ends, and then runs again by itself")
    func orphan() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let ids = try place.orphan(payload: #"{"wait":"go","deaf":1}"#)
            _ = try place.startWorker()
            try place.wait(for: "the blocker") { try place.blockers(ids[0]).contains("orphan") }
            #expect(place.testimony.tally("start") == [ids[0]: 1])
            try place.touch("go")
            try place.wait(for: "the second execution") {
                try place.count("mail", "succeeded") == 2
            }
            #expect(place.testimony.tally("start") == [ids[0]: 2, ids[1]: 1])
            #expect(place.testimony.overlaps == [])
            #expect(place.testimony.strictBreaches(of: ids) == [])
            let task = try place.json(["show", "#\(ids[0])"])
            #expect(task["losses"] == 1)
            #expect(task["attempts"] == 1)
            #expect(task["attemptLog"]?[0]?["outcome"] == "lost")
        }
    }

    @Test("B12 whoever looks sees that what a task waited for has ended, where nobody works")
    func endedOrphan() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let ids = try place.orphan(payload: #"{"wait":"go","deaf":1}"#)
            // A new runner cleans up after the dead one, and the orphan continues.
            let worker = try place.startWorker()
            try place.wait(for: "the blocker") { try place.blockers(ids[0]).contains("orphan") }
            try worker.signal(.kill)
            _ = try worker.answer()
            try place.touch("go")
            try place.wait(for: "the end of the orphan", isPolled: true) {
                try !place.blockers(ids[0]).contains("orphan")
            }
            #expect(try place.blockers(ids[0]).contains("noRunner"))
            #expect(try !place.blockers(ids[1]).contains("noSlot"))
        }
    }

    @Test("A2 the recovering worker tells an orphan to end")
    func told() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let ids = try place.orphan(payload: #"{"wait":"go"}"#)
            let orphan = place.testimony.lines.last { $0.word == "ready" }?.process ?? 0
            _ = try place.startWorker()
            try place.wait(for: "the second execution") {
                place.testimony.tally("ready") == [ids[0]: 2]
            }
            #expect(!place.isOurs(orphan))
            #expect(place.testimony.overlaps == [])
        }
    }

    @Test(
        "A2 so it does one whose worker died before it had written who it is",
        .enabled(if: Files.exists("/usr/bin/sqlite3")),
        arguments: [#"{"wait":"go"}"#, #"{"wait":"go","deaf":1}"#])
    func unwritten(_ payload: String) async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let ids = try place.orphan(payload: payload)
            let forget = "UPDATE sluice_attempt SET child_pid = NULL, child_start = NULL"
            try place.expecting(0, place.start("sqlite3", [place.store, forget]).answer())
            _ = try place.startWorker()
            try place.wait(for: "the second execution") {
                place.testimony.tally("ready") == [ids[0]: 2]
            }
            #expect(place.testimony.overlaps == [])
        }
    }

    @Test("A2 an orphan that hears nothing is killed 5 s later")
    func deaf() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let ids = try place.orphan(payload: #"{"wait":"go","deaf":1}"#)
            _ = try place.startWorker()
            try place.wait(for: "the second execution", seconds: 30) {
                place.testimony.tally("ready") == [ids[0]: 2]
            }
            #expect(place.testimony.overlaps == [])
        }
    }

    @Test("A2 a worker that is already there takes over at once, without being asked")
    func idleNeighbour() async throws {
        try await Workplace.onOwnThread {
            // The fastest of three, so that a busy machine does not fail the test.
            let seconds = try (0..<3).map { _ in try Workplace.withStore().takeOverSeconds() }
            print("take-over: \(seconds.map { ($0 * 100).rounded() / 100 }) s")
            // It ends the orphan by TERM: to notice that only when KILL is due is too late.
            #expect(seconds.min() ?? .infinity < 4)
        }
    }

    @Test("A2 a worker that is stopped is not dead: nobody takes its task, and it goes on")
    func stopped() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            try place.employWitness()
            try place.json([
                "queue", "set", "mail", "--concurrency", "2", "--retry", "fixed(0s)",
                "--keep-finished", "9",
            ])
            let first = try place.startWorker(["--slots", "1"])
            let slow = try place.enqueue("mail", payloads: [#"{"wait":"go"}"#])
            try place.wait(for: "the task") { place.testimony.count("ready") == 1 }
            try place.stopBetweenCommits(first)
            try place.touch("go")
            try place.wait(for: "the command's end") { place.testimony.count("end") == 1 }
            _ = try place.startWorker()
            _ = try place.enqueue("mail", count: 2)
            try place.wait(for: "the others") { try place.count("mail", "succeeded") == 2 }
            #expect(try place.json(["show", "#\(slow[0])"])["state"] == "running")
            try first.signal(.resume)
            try place.wait(for: "the stopped one") { try place.count("mail", "succeeded") == 3 }
            #expect(place.testimony.tally("start").values.allSatisfy { $0 == 1 })
        }
    }

    @Test("A1 a command has its whole payload although its worker is killed before it reads")
    func wholePayload() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let reader = """
                #!/bin/sh
                : >begun
                until test -e go; do sleep 0.005; done
                sum=$(tee payload | sha256sum)
                test "$sum" = "$SLUICE_PAYLOAD_SHA256  -" || exit 65
                echo "$(wc -c <payload) of $SLUICE_PAYLOAD_BYTES" >sum
                mv sum read
                """
            try place.write(reader, to: "reader", isProgram: true)
            try place.write(
                #"{"handlers":{"*":{"command":["./reader"]}}}"#, to: "handlers.json")
            let worker = try place.startWorker()
            let payload = "\"\(String(repeating: "x", count: 300_001))\""
            _ = try place.enqueue("mail", payloads: [payload])
            try place.wait(for: "the command") { Files.exists(place.file("begun")) }
            try worker.signal(.kill)
            try worker.answer()
            try place.touch("go")
            try place.wait(for: "what it read") { Files.exists(place.file("read")) }
            #expect(place.text("read") == "300003 of 300003\n")
        }
    }

    @Test("A3 Q2 a queue that executes one task at a time begins nothing beside an orphan")
    func oneAtATime() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let ids = try place.orphan(
                payload: #"{"wait":"go","deaf":1}"#, afterFailure: "advance")
            _ = try place.startWorker()
            try place.wait(for: "the blocker") { try place.blockers(ids[0]).contains("orphan") }
            #expect(try place.blockers(ids[1]) == ["noSlot"])
            try place.touch("go")
            try place.wait(for: "both") { try place.count("mail", "succeeded") == 2 }
            #expect(place.testimony.crowd == 1)
        }
    }

    @Test("A3 a task waits for what left its command's group and has its lock")
    func leftGroup() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withLeaver()
            _ = try place.startWorker()
            let id = try place.enqueue("mail", count: 1)[0]
            try place.wait(for: "the blocker") { try place.blockers(id).contains("orphan") }
            try place.touch("go")
            try place.wait(for: "its second execution") {
                try place.count("mail", "succeeded") == 1
            }
            #expect(place.text("log") == "begun\neffect\nbegun\n")
        }
    }

    @Test("A2 a worker that ends when nothing is left waits for an orphan, which holds tasks up")
    func untilEmpty() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withLeaver()
            let id = try place.enqueue("mail", count: 1)[0]
            let worker = try place.startWorker(["--until-empty"])
            try place.wait(for: "the blocker") { try place.blockers(id).contains("orphan") }
            _ = try place.enqueue("mail", count: 1)
            try place.touch("go")
            try place.expecting(0, worker.answer(withinSeconds: 60))
            #expect(place.text("log") == "begun\neffect\nbegun\nbegun\n")
            #expect(try place.count("mail", "succeeded") == 2)
        }
    }

    @Test("D7 reclaim frees a task whose orphan a person gives up")
    func reclaim() async throws {
        try await Workplace.onOwnThread {
            let place = try Workplace.withStore()
            let ids = try place.orphan(payload: #"{"wait":"go","deaf":1}"#)
            _ = try place.startWorker()
            try place.wait(for: "the blocker") { try place.blockers(ids[0]).contains("orphan") }
            try place.json(["reclaim", "#\(ids[0])"])
            try place.wait(for: "the second execution") {
                place.testimony.lines.count { $0.word == "ready" } == 2
            }
            let ready = place.testimony.lines.filter { $0.word == "ready" }
            #expect(ready.map(\.task) == [ids[0], ids[0]] && ready.map(\.execution) == [1, 2])
        }
    }
}

extension Workplace {
    /// A command that fails at first and leaves a child process outside its process group.
    fileprivate static func withLeaver() throws -> Workplace {
        let place = try Workplace.withStore()
        let leaver = #"""
            #!/bin/sh
            echo begun >>log
            test -e away && exit 0
            setsid sh -c ': >away; until test -e go; do sleep 0.005; done; echo effect >>log' \
                >/dev/null 2>&1 3>&- &
            until test -e away; do sleep 0.005; done
            exit 1
            """#
        try place.write(leaver, to: "leaver", isProgram: true)
        try place.write(#"{"handlers":{"*":{"command":["./leaver"]}}}"#, to: "handlers.json")
        try place.json(["queue", "set", "mail", "--retry", "fixed(0s)", "--keep-finished", "9"])
        return place
    }

    /// Leaves an orphaned command of a killed worker, with a later task in a strict queue.
    func orphan(payload: String, afterFailure: String = "block") throws -> [Int64] {
        try employWitness()
        try json([
            "queue", "set", "mail", "--after-failure", afterFailure, "--retry", "fixed(0s)",
            "--keep-finished", "100",
        ])
        let worker = try startWorker()
        let ids = try enqueue("mail", payloads: [payload, "{}"])
        try wait(for: "the command") { testimony.count("ready") == 1 }
        try worker.signal(.kill)
        try worker.answer()
        return ids
    }

    /// How long a worker that is there takes to execute the task of one that is killed.
    func takeOverSeconds() throws -> Double {
        try employWitness()
        try json(["queue", "set", "mail", "--retry", "fixed(0s)"])
        let first = try startWorker()
        let ids = try enqueue("mail", payloads: [#"{"wait":"go"}"#])
        try wait(for: "the task") { testimony.count("ready") == 1 }
        _ = try startWorker()
        let begin = SystemClock.monotonicNanoseconds()
        try first.signal(.kill)
        try first.answer()
        try wait(for: "the neighbour") { testimony.count("ready") == 2 }
        let seconds = Double(SystemClock.monotonicNanoseconds() - begin) / 1e9
        #expect(testimony.tally("start") == [ids[0]: 2])
        #expect(testimony.overlaps == [])
        return seconds
    }

    /// Stops a worker between commits. A worker stopped during a commit would keep the store's
    /// write lock.
    func stopBetweenCommits(_ worker: RunningProgram) throws {
        try wait(for: "a standstill between two commits", isPolled: true) {
            try worker.signal(.stop)
            try wait(for: "its standstill", isPolled: true) { isStopped(worker) }
            guard try holdsWriteLock(worker) else { return true }
            try worker.signal(.resume)
            return false
        }
    }

    /// Whether a program holds the write lock of an SQLite file, byte 120 of its shared memory.
    private func holdsWriteLock(_ program: RunningProgram) throws -> Bool {
        let locks = String(
            decoding: try Files.read("/proc/locks", limitBytes: 1 << 20), as: UTF8.self)
        return locks.split(separator: "\n").contains { line in
            let words = line.split(separator: " ").map(String.init)
            return words.contains("POSIX") && words.contains("WRITE")
                && words.contains(String(program.processID)) && words.contains("120")
        }
    }

    /// Whether every thread of a program has heard STOP.
    func isStopped(_ program: RunningProgram) -> Bool {
        let folder = "/proc/\(program.processID)/task"
        let threads = (try? Files.list(folder)) ?? []
        return !threads.isEmpty
            && threads.allSatisfy { thread in
                let bytes = (try? Files.read("\(folder)/\(thread)/stat", limitBytes: 4096)) ?? []
                let text = String(decoding: bytes, as: UTF8.self)
                return text.split(separator: ")").last?.hasPrefix(" T") ?? false
            }
    }

    /// The kinds of what blocks a task.
    func blockers(_ task: Int64) throws -> [String] {
        try json(["why", "#\(task)"])["blockers"]?.array?.compactMap { $0["kind"]?.string } ?? []
    }
}
