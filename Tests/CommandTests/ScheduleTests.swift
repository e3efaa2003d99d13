import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

/// Schedules at the command line.
@Suite("schedule commands")
struct ScheduleTests {
    private let bench = Bench()

    private func pass(_ milliseconds: Int64) {
        bench.clock.withLock { $0 = $0 + milliseconds }
    }

    /// Enqueues the due schedules, as a worker does, without starting tasks.
    private func enqueueScheduled() throws {
        let now = bench.clock.withLock { $0 }
        try bench.store.writeBlocking { store in
            try store.transact(at: now) { _ = try $0.enqueueScheduled() }
        }
    }

    private static let keys = [
        "name", "spec", "timeZone", "queue", "type", "next", "last", "missed", "paused",
    ]

    @Test("R4 schedule set answers with what it set, schedule list with all that there are")
    func sets() throws {
        let set = bench.run([
            "schedule", "set", "nightly", "0 3 * * *", "reports", "report", #"{"a":1}"#,
            "--time-zone", "Europe/Berlin", "--missed=each", "--json",
        ])
        #expect(set.exit == .done)
        let one = try #require(set.json["schedules"]?.array?.first)
        #expect(one.object?.keys == Self.keys)
        #expect(one["name"] == "nightly" && one["spec"] == "0 3 * * *")
        #expect(one["timeZone"] == "Europe/Berlin" && one["queue"] == "reports")
        #expect(one["type"] == "report" && one["next"] == "2027-01-16T02:00:00.000Z")
        #expect(one["last"] == .null && one["missed"] == "each" && one["paused"] == false)
        #expect(set.json["created"] == "reports" && set.json["undo"]?.integer != nil)
        let text = bench.run(["schedule", "set", "poll", "every 5m", "feeds", "fetch"])
        #expect(
            text.output.hasPrefix(
                "schedule poll set by dana: every 5m, fetch into feeds\n"
                    + "  next: 2027-01-15 08:05:00 UTC, in 5m\n"))
        #expect(text.output.contains("no worker is attached: an attached worker enqueues"))
        let changed = bench.run(["schedule", "set", "poll", "every 10m", "feeds", "fetch"])
        #expect(
            changed.output.hasPrefix(
                "schedule poll changed by dana: due every 10m, before every 5m\n"))
        let list = bench("schedule list --json").json["schedules"]?.array ?? []
        #expect(list.map { $0["name"] } == ["nightly", "poll"])
        #expect(bench("schedule list").output.contains("0 3 * * * (Europe/Berlin)"))
        #expect(bench("schedule pause poll").output.contains("next: paused"))
        #expect(
            bench("schedule list --json").json["schedules"]?.array?[1]["next"] == .null)
        #expect(bench("schedule resume poll --json").json["schedules"]?.array?.count == 1)
        #expect(bench("schedule remove poll").output.hasPrefix("schedule poll removed by dana\n"))
        #expect(bench("undo").exit == .done)
        #expect(bench("schedule remove poll").exit == .done)
        #expect(bench("schedule remove nightly").exit == .done)
        #expect(bench("schedule list").output.hasPrefix("no schedule: sluice schedule set"))
    }

    @Test("R2 list, show, why, log, timers and forecast say what schedules make")
    func told() throws {
        _ = bench.run(["schedule", "set", "poll", "every 5m", "feeds", "fetch"])
        let timer = bench("timers --json").json["timers"]?.array?.first
        #expect(timer?["kind"] == "schedule" && timer?["schedule"] == "poll")
        #expect(timer?["queue"] == "feeds" && timer?["id"] == .null)
        #expect(bench("timers").output.contains("poll"))
        let coming = bench("forecast feeds --json").json["schedules"]?.array?.first
        #expect(coming?["name"] == "poll" && coming?["at"] == "2027-01-15T08:05:00.000Z")
        #expect(
            bench("forecast feeds").output
                == "nothing will start\nin 5m schedule poll adds fetch\n")
        pass(300_000)
        #expect(bench("schedule list").output.contains("due, no worker is attached"))
        try enqueueScheduled()
        let made: JSONValue = ["name": "poll", "at": "2027-01-15T08:05:00.000Z"]
        #expect(bench("show 1 --json").json["schedule"] == made)
        #expect(bench("why 1 --json").json["schedule"] == made)
        let words = "made by schedule poll, for 2027-01-15T08:05:00.000Z\n"
        #expect(bench("why 1").output.hasSuffix("  \(words)"))
        #expect(bench("show 1").output.contains("schedule poll, for 2027-01-15T08:05:00.000Z"))
        let log = bench("log").output.split(separator: "\n")
        #expect(log.count == 2 && log[1].hasSuffix("#1 fetch enqueued by schedule poll"))
        _ = bench("enqueue feeds other")
        #expect(bench("show 2 --json").json["schedule"] == .null)
        #expect(bench("why 2 --json").json["schedule"] == nil)
    }

    @Test(
        "R4 what is no schedule is refused: what, where and what to do",
        arguments: [
            (["set"], "NAME is missing"), (["set", "a"], "SPEC is missing"),
            (["set", "a", "@daily"], "QUEUE is missing"),
            (["set", "a", "@daily", "q"], "TYPE is missing"),
            (["set", "a", "0", "3", "*", "*", "*", "q", "t"], "put it in quotes"),
            (["set", "a", "@daily", "q", "t", "{}", "x"], "one argument too many"),
            (["set", "a", "61 * * * *", "q", "t"], "\"61\" is no minute"),
            (["set", "a", "0 0 31 2 *", "q", "t"], "never comes"),
            (["set", "a", "every 0s", "q", "t"], "every D, where D is 1s to 366d"),
            (["set", "", "@daily", "q", "t"], "the name of a schedule is empty"),
            (["set", "a", "@daily", "q", "t", "--missed", "all"], "once, each, none"),
            (["set", "a", "@daily", "q", "t", "--time-zone", "Europe/Berln"], "Europe/Berlin?"),
            (["set", "a", "every 5m", "q", "t", "--time-zone", "UTC"], "every counts from UTC"),
            (["set", "a", "@daily", "q", "t", "{}", "--payload-file", "x"], "not both"),
            (["remove", "b"], "there is no schedule \"b\""), (["pause"], "NAME is missing"),
            (["list", "x"], "one argument too many"),
        ])
    func refusals(_ words: [String], _ sentence: String) throws {
        let outcome = bench.run(["schedule"] + words)
        #expect(outcome.exit == .usage, "\(outcome)")
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        let isEmpty = try bench.store.readBlocking { try $0.storeRecord().schedules.isEmpty }
        #expect(isEmpty)
    }

    @Test("R4 the payload may lie in a file, and the line that is shown reads back as the same")
    func payload() throws {
        var bench = bench
        bench.files["body"] = "[1]"
        _ = bench.run([
            "schedule", "set", "-x", "1 2 * * *", "q", "t", "--payload-file", "body", "--",
        ])
        _ = bench.run(["schedule", "set", "--payload-file", "body", "--", "-x", "@daily", "q", "t"])
        let found = try #require(
            bench.store.readBlocking { try $0.storeRecord().schedules["-x"] })
        #expect(found.payload == Array("[1]".utf8))
    }
}
