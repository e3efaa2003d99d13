import SluiceModel
import SluiceSystem
import SluiceTestSupport
import Testing

/// The debugger's state while kill -9 ends its processes: workers at breakpoints, consoles with a
/// breakpoint, `record`, `restore`. `SLUICE_SOAK=1` runs 500 kills, 125 of each.
@Suite("crash: the debugger", .serialized)
struct DebuggerKillTests {
    private static let kills = Soak.count(4, soak: 125)

    private func prepare() throws -> Workplace {
        let place = try Workplace.withStore()
        try place.employWitness()
        try place.json([
            "queue", "set", "line", "--retry", "fixed(0s)", "--attempts", "none",
            "--keep-finished", "100000", "--concurrency", "3",
        ])
        return place
    }

    @Test("G1 P2 workers are killed at breakpoints: nothing is lost, no queue stays stopped")
    func workers() async throws {
        let seed = Soak.seed()
        print("workers at breakpoints: seed \(seed)")
        try await Workplace.onOwnThread {
            var chance = SeededChance(seed: seed)
            let place = try prepare()
            for words in [["payload.stop"], ["payload.fail", "--on-failure"]] {
                try place.json(["break"] + words + ["--for", "none"])
            }
            let work = ["work", "--quiet", "--handlers", "handlers.json"]
            var handed: [Int64] = []
            var worker = try place.start(work)
            for _ in 0..<Self.kills {
                let payloads = (0..<chance.number(1...4)).map { _ in
                    let more = ["", #","stop":1"#, #","fail":1"#][chance.number(0...2)]
                    return #"{"ms":\#(chance.number(0...30))\#(more)}"#
                }
                handed += try place.enqueue("line", payloads: payloads)
                _ = try place.sluice(["resume", "line", "--breakpoints"])
                Self.pass(chance.number(0...120))
                try worker.signal(.kill)
                try worker.answer()
                worker = try place.start(work)
            }
            // After the breakpoints pass, the queue drains. Tasks lost too often retry.
            try place.wait(for: "the last task", burstMilliseconds: 100) {
                _ = try place.sluice(["resume", "line", "--breakpoints"])
                if try place.count("line", "parked") > 0 {
                    _ = try place.sluice(["retry", "--filter", "queue:line state:parked", "--yes"])
                }
                return try place.isWorkedOff("line")
            }
            #expect(try place.list(["line", "--state", "succeeded"]).sorted() == handed)
            #expect(place.testimony.tally("end").keys.sorted() == handed)
            #expect(place.testimony.overlaps == [])
            let stops = try place.json(["break", "list"])["breakpoints"]?.array ?? []
            #expect(stops.count == 2)
            print("workers at breakpoints: \(Self.kills) kills, \(handed.count) tasks")
            try place.dismiss([worker])
            #expect(try place.sluice(["doctor"]).code == 0)
        }
    }

    @Test("G1 A2 a console that owns a breakpoint is killed: the breakpoint and its stop end")
    func consoles() async throws {
        let seed = Soak.seed()
        print("consoles with breakpoints: seed \(seed)")
        try await Workplace.onOwnThread {
            var chance = SeededChance(seed: seed)
            let place = try prepare()
            let worker = try place.startWorker()
            var stopped = 0
            for round in 0..<Self.kills {
                try place.json(["pause", "line"])
                let id = try place.enqueue("line", payloads: ["{}"])[0]
                let console = try Self.console(place)
                try console.wait("the task") { $0.position(of: "#\(id)") != nil }
                try console.send("b")
                try console.wait("the line") { $0.position(of: "--before") != nil }
                try console.send("\r")
                // In some rounds it dies while it sets it.
                let isWhole = round == 0 || chance.number(0...3) > 0
                if isWhole {
                    try console.wait("the breakpoint") { $0.position(of: " set by ") != nil }
                    try place.json(["resume", "line"])
                    try place.wait(for: "the stop") {
                        try place.queue("line")["state"]?.string == "paused"
                    }
                    stopped += 1
                } else {
                    Self.pass(chance.number(0...30))
                }
                try console.kill(.kill)
                _ = try console.waitForExit()
                if !isWhole { try place.json(["resume", "line"]) }
                try place.wait(for: "#\(id) to run") {
                    try place.isWorkedOff("line")
                }
            }
            let left = try place.json(["break", "list"])["breakpoints"]?.array ?? []
            #expect(left == [] && stopped > 0)
            print("consoles with breakpoints: \(Self.kills) kills, \(stopped) at a stop")
            try place.dismiss([worker])
            #expect(try place.sluice(["doctor"]).code == 0)
        }
    }

    @Test("G6 record is killed: each tape opens up to there, and the store goes on")
    func recorders() async throws {
        let seed = Soak.seed()
        print("recorders: seed \(seed)")
        try await Workplace.onOwnThread {
            var chance = SeededChance(seed: seed)
            let place = try prepare()
            let worker = try place.startWorker()
            var (whole, cut, none) = (0, 0, 0)
            for round in 0..<Self.kills {
                let tape = place.file("\(round).tape")
                let recorder = try place.start(["record", tape])
                // One of four dies while it begins.
                let isEarly = round % 4 == 0
                if isEarly {
                    Self.pass(chance.number(0...80))
                } else {
                    try place.wait(for: "the recording to begin") {
                        place.text("\(round).tape").contains("{\"begin\":")
                    }
                    _ = try place.enqueue("line", count: chance.number(1...5))
                    Self.pass(chance.number(0...60))
                }
                try recorder.signal(.kill)
                try recorder.answer()
                let answer = try place.sluice(["replay", tape])
                switch answer.code {
                case 0 where answer.output.contains("cut off"): cut += 1
                case 0: whole += 1
                default:
                    // It died before the first event of the tape, and reports that.
                    let isReported = answer.errors.contains("is empty: its recording ended")
                    #expect(isEarly && (isReported || !Files.exists(tape)), "\(round): \(answer)")
                    none += 1
                }
            }
            print(
                "recorders: \(Self.kills) kills, \(whole) whole, \(cut) cut off, \(none) not begun")
            let last = try place.sluice(["record", place.file("last.tape"), "--for", "1ms"])
            #expect(last.code == 0, "\(last)")
            try place.wait(for: "the last task") {
                try place.isWorkedOff("line")
            }
            try place.dismiss([worker])
            #expect(try place.sluice(["doctor"]).code == 0)
        }
    }

    @Test("G5 P2 restore is killed: the store is as before, or as it was at the checkpoint")
    func restores() async throws {
        let seed = Soak.seed()
        print("restores: seed \(seed)")
        try await Workplace.onOwnThread {
            var chance = SeededChance(seed: seed)
            let place = try prepare()
            try place.json(["pause", "line"])
            let ids = try place.enqueue("line", count: 30)
            try place.json(["checkpoint", "a"])
            func difference() throws -> JSONValue {
                let found = try place.json(["diff", "a"])
                return .array(["tasks", "queues", "store"].map { found[$0] ?? .null })
            }
            let nothing = try difference()
            var (killed, whole) = (0, 0)
            while killed < Self.kills {
                for _ in 0..<4 {
                    let id = "\(ids[chance.number(0...(ids.count - 1))])"
                    let words = [["priority", id, "\(chance.number(1...9))"], ["delete", id]]
                    _ = try place.sluice(words[chance.number(0...1)] + ["--yes"])
                }
                try place.json(["queue", "set", "line", "--concurrency", "\(killed % 7 + 5)"])
                _ = try place.enqueue("line", count: 2)
                let before = try difference()
                let isAtPoint = chance.number(0...3) > 0
                let point = ["SLUICE_TEST_KILL=\(chance.number(1...40))"]
                let restore = try place.start(
                    ["restore", "a", "--yes"], environment: isAtPoint ? point : [])
                if !isAtPoint {
                    Self.pass(chance.number(0...60))
                    try restore.signal(.kill)
                }
                if try restore.answer().exit == .signal(.kill) { killed += 1 }
                let after = try difference()
                #expect(after == before || after == nothing)
                if after == nothing { whole += 1 }
            }
            print("restores: \(killed) kills, \(whole) times restored, else as before")
            #expect(try place.sluice(["doctor"]).code == 0)
        }
    }

    private static func pass(_ milliseconds: Int) {
        _ = try? Poll.wait(fds: [], timeoutMilliseconds: milliseconds)
    }

    private static func console(_ place: Workplace) throws -> TerminalSession {
        try TerminalSession(
            BuiltProgram.path(), [place.store, "--theme", "dark"],
            environment: [
                "SLUICE_TEST_FOLDER=\(place.path)", "SLUICE_USER=tester", "TZ=UTC",
                "XDG_CONFIG_HOME=\(place.path)/config", "XDG_STATE_HOME=\(place.path)/state",
            ], directory: place.path, columns: 110, rows: 30)
    }
}
