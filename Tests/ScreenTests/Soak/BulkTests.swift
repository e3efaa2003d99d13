import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import SluiceTestSupport
import Testing

extension ConsoleSoak {
    /// Verbs on very many tasks, by command and console, next to other processes (D10, K7).
    @Suite("bulks", .serialized)
    struct BulkTests {
        private static let count = Soak.count(10_000, soak: 100_000)

        /// A store with a large paused queue and a queue with one task.
        private static func scene() throws -> (place: Workplace, other: TaskID) {
            let place = try Workplace.withStore()
            for queue in ["mail", "side"] {
                try place.json(["queue", "set", queue])
                try place.json(["pause", queue])
            }
            let neighbour = try Neighbour(at: place)
            let request = EnqueueRequest(
                type: "job", payload: Array(#"{"user":"dana","event":"opened"}"#.utf8))
            try neighbour.enqueue("mail", Array(repeating: request, count: count))
            let other = try neighbour.enqueue("side", [request])[0]
            try neighbour.leave()
            return (place, other)
        }

        /// The number of deleted and of waiting tasks.
        private static func tally(_ place: Workplace) throws -> (deleted: Int64, waiting: Int64) {
            let counts = try place.queue("mail")["counts"]
            return (counts?["deleted"]?.integer ?? -1, counts?["waiting"]?.integer ?? -1)
        }

        /// Whole slices were done, the rest was not, and one undo takes all of them back.
        private static func expectUndone(_ place: Workplace, deleted: Int64? = nil) throws {
            let (gone, left) = try tally(place)
            #expect(gone > 0 && left > 0 && gone + left == Int64(count))
            #expect(gone % 1000 == 0)
            if let deleted { #expect(gone == deleted) }
            var undo = Spread()
            _ = try undo.measure { try place.json(["undo"]) }
            print("bulks: undo of \(gone) tasks, spawn to exit: \(undo.worst) ms")
            #expect(try tally(place) == (0, Int64(count)))
            let doctor = try place.sluice(["doctor"])
            #expect(doctor.code == 0, "\(doctor)")
        }

        @Test("D10 INT ends a command between two slices, with what was done and what was not")
        func interrupted() async throws {
            try await Workplace.onOwnThread {
                let (place, _) = try Self.scene()
                let command = try place.start(
                    ["delete", "--filter", "queue:mail", "--yes", "--json"])
                try place.wait(for: "a slice") { try Self.tally(place).deleted > 0 }
                try command.signal(.interrupt)
                let answer = try place.expecting(130, command.answer())
                let changed = answer.json["changed"]?.array ?? []
                let left = answer.json["stopped"]?["left"]?.array ?? []
                #expect(changed.count + left.count == Self.count)
                #expect(answer.json["failed"] == [])
                #expect(answer.errors.isEmpty)
                print("bulks: INT after \(changed.count) of \(Self.count) tasks")
                try Self.expectUndone(place, deleted: Int64(changed.count))
            }
        }

        @Test("D9 P2 kill -9 leaves whole slices, and undo takes them back")
        func killed() async throws {
            try await Workplace.onOwnThread {
                let (place, _) = try Self.scene()
                let command = try place.start(["delete", "--filter", "queue:mail", "--yes"])
                try place.wait(for: "a slice") { try Self.tally(place).deleted > 1000 }
                place.kill([command.processID])
                #expect(try command.answer().code == -1)
                try Self.expectUndone(place)
            }
        }

        @Test("K7 a command on a terminal asks for the number, says how far it is, and stops by ^C")
        func terminal() async throws {
            try await Workplace.onOwnThread {
                let (place, _) = try Self.scene()
                let grouped = NumberText.grouped(Self.count)
                let terminal = try TerminalSession(
                    BuiltProgram.path(),
                    ["delete", "--filter", "queue:mail", "--store", place.store],
                    environment: LiveConsole.environment(at: place), directory: place.path,
                    columns: 100, rows: 10)
                try terminal.wait(forText: "\(grouped) tasks match: #1 #2", timeoutSeconds: 60)
                try terminal.wait(forText: "type \(Self.count) to continue:")
                try terminal.send("\(Self.count)\n")
                try terminal.wait(forText: "left; ^C stops it", timeoutSeconds: 60)
                let line = try terminal.screen.text.split(separator: "\n").last { !$0.isEmpty }
                print("bulks: the line of progress: \(line ?? "")")
                try terminal.key(.control("c"))
                #expect(try terminal.waitForExit(timeoutSeconds: 60) == .code(130))
                let screen = try terminal.screen
                #expect(screen.position(of: "tasks left as they were") != nil)
                #expect(screen.position(of: "^C stops it") == nil)
                try Self.expectUndone(place)
            }
        }

        @Test("K7 the console goes on while it deletes: keys, pictures, Esc, and one undo")
        func console() async throws {
            try await Workplace.onOwnThread {
                let (place, _) = try Self.scene()
                let console = try LiveConsole.open(at: place, showing: "row 1 of")
                let terminal = console.terminal
                let grouped = NumberText.grouped(Self.count)
                try terminal.send("*")
                try terminal.wait(forText: "\(grouped) tasks are marked", timeoutSeconds: 60)
                try terminal.send("d")
                try terminal.wait(forText: "delete \(grouped) tasks?")
                try terminal.send("\(Self.count)\r")
                try terminal.wait(forText: "Esc stops it", timeoutSeconds: 60)
                var keys = Spread()
                for _ in 0..<10 {
                    for key in ["j", "w", "q"] {
                        try terminal.update()
                        let time = try terminal.nanosecondsToFirstByte { try terminal.send(key) }
                        keys.add(nanoseconds: time)
                    }
                }
                print("bulks: a key to the next byte while the console deletes: \(keys)")
                #expect(keys.percentile(95) < 1000)
                // Another verb does not wait for the bulk.
                let side = try place.queue("side")
                #expect(side["state"] == "paused")
                try terminal.send("r")
                try place.wait(for: "the queue's resumption") {
                    try place.queue("mail")["state"] != "paused"
                }
                try terminal.wait(forText: "Esc stops it", timeoutSeconds: 60)
                try terminal.key(.escape)
                try terminal.wait(forText: "still selected", timeoutSeconds: 60)
                let deleted = try Self.tally(place).deleted
                #expect(deleted > 0 && deleted < Int64(Self.count))
                try terminal.send("z")
                try terminal.wait(forText: "deleted by tester", timeoutSeconds: 60)
                try terminal.wait(forText: "y/n", timeoutSeconds: 60)
                try terminal.send("y")
                try terminal.wait(forText: "tasks undone by tester", timeoutSeconds: 120)
                #expect(try Self.tally(place) == (0, Int64(Self.count)))
                try console.quit()
            }
        }

        @Test("D10 others write between the slices of a bulk")
        func neighbours() async throws {
            try await Workplace.onOwnThread {
                let (place, other) = try Self.scene()
                let neighbour = try Neighbour(at: place)
                var alone = Spread()
                for round in 0..<50 {
                    _ = try alone.measure {
                        try neighbour.perform(.priority([TaskTarget(other)], .number(round)))
                    }
                }
                let command = try place.start(
                    ["delete", "--filter", "queue:mail", "--yes", "--quiet"])
                let begin = SystemClock.monotonicNanoseconds()
                var waits = Spread()
                var round = 100
                while command.isRunning {
                    round += 1
                    _ = try waits.measure {
                        try neighbour.perform(.priority([TaskTarget(other)], .number(round)))
                    }
                    _ = try Poll.wait(fds: [], timeoutMilliseconds: 3)
                }
                let whole = Double(SystemClock.monotonicNanoseconds().since(begin)) / 1e6
                try place.expecting(0, command.answer())
                print("bulks: a neighbour's verb alone: \(alone)")
                print("bulks: beside a bulk of \(Self.count) in \(whole) ms: \(waits)")
                #expect(waits.percentile(95) < 1000)
                #expect(try Self.tally(place) == (Int64(Self.count), 0))
                try neighbour.leave()
            }
        }
    }
}
