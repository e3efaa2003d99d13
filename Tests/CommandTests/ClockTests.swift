import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

/// The clock of the store at the command line.
@Suite("Clock commands")
struct ClockTests {
    private let bench = Bench()

    private var clock: JSONValue { bench("clock --json").json["clock"] ?? .null }

    @Test("G3 clock shows, freezes, moves, speeds up and goes back to the real time")
    func sets() throws {
        let shown = bench("clock --json")
        #expect(shown.json.object?.keys == ["clock"])
        #expect(
            shown.json["clock"]?.object?.keys
                == ["now", "state", "offsetMilliseconds", "rate", "next"])
        #expect(clock["state"] == "real" && clock["rate"]?.double == 1 && clock["next"] == .null)
        #expect(
            bench("clock").output == "the clock shows the real time\n"
                + "next: nothing waits for a time\n")
        let frozen = bench("clock freeze --json")
        #expect(frozen.json["clock"]?["state"] == "frozen")
        #expect(frozen.json["undo"]?.integer != nil)
        bench.clock.withLock { $0 = $0 + 300_000 }
        #expect(clock["offsetMilliseconds"] == -300_000 && clock["rate"]?.double == 0)
        #expect(
            bench("clock").output.hasPrefix(
                "the clock is frozen at 08:00:00 UTC (-5m), set by dana 5m ago\n"))
        #expect(bench("clock real").exit == .done && clock["offsetMilliseconds"] == 0)
        let moved = bench("clock +7d")
        #expect(
            moved.output.hasPrefix(
                "the clock shows 2027-01-22 08:05:00 UTC (+7d), set by dana\nundo with"))
        #expect(bench("clock -2d").exit == .done && clock["offsetMilliseconds"] == 432_000_000)
        #expect(bench("clock rate 0.5").exit == .done && clock["state"] == "rate")
        #expect(clock["rate"]?.double == 0.5)
        #expect(bench("clock 2027-12-24T18:00").exit == .done)
        #expect(clock["now"] == "2027-12-24T18:00:00.000Z" && clock["state"] == "rate")
        #expect(bench("clock real --quiet") == Bench.Outcome(exit: .done, output: "", errors: ""))
        #expect(bench("clock real").output == "the clock shows the real time already\n")
        #expect(bench("undo").exit == .done && clock["state"] == "rate")
        #expect(bench("log").output.contains("the clock shows the real time, set by dana"))
    }

    @Test("G3 the clock takes a time to the minute with a zone, and names its first and last time")
    func limits() {
        _ = bench("queue set mail")
        for (word, shown) in [
            ("2027-12-24T18:00+01:00", "2027-12-24T17:00:00.000Z"),
            ("2027-12-24T18:00Z", "2027-12-24T18:00:00.000Z"),
            ("2027-12-24T18:00:30", "2027-12-24T18:00:30.000Z"),
            ("2027-12-24T18:00:30-02:00", "2027-12-24T20:00:30.000Z"),
            ("9999-12-31T23:59", "9999-12-31T23:59:00.000Z"),
        ] {
            #expect(bench("clock \(word)").exit == .done, "\(word)")
            #expect(clock["now"]?.string == shown, "\(word)")
        }
        _ = bench("clock real")
        for word in ["+9999999d", "+99999999999999999999d", "10000-01-01T00:00", "+3000000d"] {
            let outcome = bench("clock \(word)")
            #expect(outcome.exit != .done)
            #expect(outcome.errors.contains("up to the end of the year 9999"), "\(outcome.errors)")
            #expect(outcome.errors.contains("\"\(word)\" is "), "\(outcome.errors)")
        }
        for word in ["-100000d", "-9999999d", "1969-01-01T00:00"] {
            let outcome = bench("clock \(word)")
            #expect(outcome.exit != .done)
            #expect(
                outcome.errors.contains("a time since the store was made, 2027-01-15T08:00:00"),
                "\(outcome.errors)")
            #expect(outcome.errors.contains("\"\(word)\" is "), "\(outcome.errors)")
        }
    }

    @Test("D1 timers name the end of a pause of the whole store, as the forecast has it")
    func pauseOfStore() throws {
        _ = bench("enqueue mail send")
        _ = bench("enqueue other send --not-before +2h")
        _ = bench("pause --all --for 1h")
        let ends = "2027-01-15T09:00:00.000Z"
        #expect(bench("forecast mail --json").json["starts"]?[0]?["at"]?.string == ends)
        let timers = bench("timers --json").json["timers"]?.array ?? []
        #expect(timers.map { $0["kind"] } == ["pause", "notBefore"])
        #expect(timers.first?["at"]?.string == ends && timers.first?["queue"] == .null)
        let line = bench("timers").output.split(separator: "\n").dropFirst().first ?? ""
        #expect(line.contains("pause") && line.contains("all queues"), "\(line)")
        _ = bench("resume --all")
        #expect(bench("timers --json").json["timers"]?.array?.count == 1)
    }

    @Test("G3 clock next says what it goes to, and a wait of a command counts from its time")
    func next() throws {
        _ = bench("clock +7d")
        _ = bench("enqueue mail send --not-before +1h")
        _ = bench("enqueue other send --not-before +2h")
        _ = bench("postpone 2 +3h")
        let next = clock["next"]
        #expect(next?["at"] == "2027-01-22T09:00:00.000Z" && next?["what"] == "notBefore")
        #expect(next?["task"] == 1 && next?["queue"] == "mail")
        let far = bench("clock next other --json").json["clock"]
        #expect(far?["now"] == "2027-01-22T11:00:00.000Z")
        #expect(bench("list --json --filter due<1s").json["tasks"]?.array?.count == 2)
        // A passed event does not occur again.
        #expect(bench("clock next --json").errorCode == "notLegal")
        _ = bench("undo")
        let told = bench("clock next mail").output
        #expect(told.contains("  that is the time of #1 send in mail\n"))
        #expect(bench("list").output.contains("now"))
    }

    @Test("G3 a wrong clock is refused with what is allowed, and nothing is changed")
    func wrong() throws {
        _ = bench("enqueue mail send")
        let before = try bench.contents()
        for (line, code) in [
            ("clock tomorrow", "badValue"), ("clock rate 0", "badValue"),
            ("clock rate 1001", "badValue"), ("clock rate", "badValue"),
            ("clock rate x", "badValue"), ("clock -1d", "badValue"),
            ("clock 10000-01-01T00:00:00Z", "badValue"), ("clock +36500d x", "badValue"),
            ("clock 2001-01-01T00:00", "badValue"), ("clock next", "notLegal"),
            ("clock next none", "unknownQueue"), ("clock freeze now", "badValue"),
        ] {
            let outcome = bench(line + " --json")
            #expect(outcome.errorCode == code, "\(line): \(outcome.errors)")
        }
        #expect(try bench.contents() == before)
        #expect(bench("clock tomorrow").errors.contains("freeze, +5m, -5m, a time such as"))
        #expect(bench("clock -1d").errors.contains("since the store was made"))
        #expect(bench("clock freeze --read-only --json").errorCode == "readOnly")
    }

    @Test("G3 durations of attempts, stops and faults are told by the real time")
    func real() throws {
        _ = bench("enqueue mail send")
        _ = bench("break type:other --for 1h")
        _ = bench("fault type:other fail --for 1h")
        let now = bench.clock.withLock { $0 }
        try bench.store.writeBlocking { store in
            try store.transact(at: now) { mutation in
                var process = ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                    attachedAt: now)
                process.slots = 8
                let runner = try mutation.attach(process).id
                _ = try mutation.claim(ClaimRequest(runner: runner, freeSlots: 8, inFlight: 0))
            }
        }
        _ = bench("clock +1d")
        #expect(bench("list").output.contains("for 0 ms"))
        #expect(bench("break list").output.contains("in 1h"))
        #expect(bench("fault list").output.contains("in 1h"))
        #expect(bench("queues --json").json["queues"]?.array?.first?["stuck"] == false)
    }
}
