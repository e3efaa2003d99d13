import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

/// Breakpoints at the command line.
@Suite("Breakpoint commands")
struct BreakTests {
    private let bench = Bench()

    /// A worker that claims once.
    private func work(
        _ slots: Int = 8, ending: Ending = .handler(.success(result: nil))
    ) throws {
        let now = bench.clock.withLock { $0 }
        try bench.store.writeBlocking { store in
            try store.transact(at: now) { mutation in
                var process = ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                    attachedAt: now)
                process.slots = slots
                let runner = try mutation.attach(process).id
                let claimed = try mutation.claim(
                    ClaimRequest(runner: runner, freeSlots: slots, inFlight: 0))
                _ = try mutation.settle(
                    claimed.map { one in
                        Completion(
                            task: one.task.id, token: one.task.running?.token ?? 0,
                            ending: ending)
                    })
            }
        }
    }

    private static let keys = [
        "id", "where", "when", "hits", "atHit", "times", "until", "by", "kept", "log",
    ]

    @Test("a deleted queue leaves its guard, and the answer and the list say so")
    func deletedQueue() throws {
        #expect(bench("enqueue charge pay").exit == .done)
        #expect(bench("guard set charge").exit == .done)
        #expect(bench("break type:other").exit == .done)
        let deleted = bench("queue delete charge --yes").output
        #expect(
            deleted.contains("guard 1 stays, and watches a new queue of that name"),
            "\(deleted)")
        #expect(deleted.contains("sluice break remove 1") && !deleted.contains("breakpoint 2"))
        let list = bench("break list").output
        #expect(list.contains("its queue does not exist"), "\(list)")
        #expect(list.split(separator: "\n").count { $0.contains("does not exist") } == 1)
        #expect(bench("enqueue charge pay").exit == .done)
        #expect(!bench("break list").output.contains("does not exist"))
    }

    @Test("G1 break answers with what it set, break list with all that there are")
    func sets() throws {
        let set = bench.run([
            "break", "type:identify queue:profiles", "--on-failure", "--at-hit", "2", "--times=3",
            "--for", "none", "--log", "--json",
        ])
        let one = try #require(set.json["breakpoints"]?.array?.first)
        #expect(one.object?.keys == Self.keys)
        #expect(one["where"] == "type:identify queue:profiles" && one["when"] == "onFailure")
        #expect(one["atHit"] == 2 && one["times"] == 3 && one["until"] == .null)
        #expect(one["by"] == "dana" && one["kept"] == true && one["log"] == true)
        #expect(set.json["undo"]?.integer != nil)
        let text = bench("break type:a")
        #expect(text.exit == .done)
        #expect(text.output.hasPrefix("breakpoint 2 set by dana: before type:a, for 1h\n"))
        let list = bench("break list --json").json["breakpoints"]?.array ?? []
        #expect(list.map { $0["id"] } == [1, 2])
        #expect(list[1]["until"] == "2027-01-15T09:00:00.000Z" && list[1]["when"] == "before")
        #expect(bench("break list").output.contains("on failure"))
        #expect(bench("undo").exit == .done)
        #expect(bench("break list --json").json["breakpoints"]?.array?.count == 1)
        #expect(bench("break remove 1").exit == .done)
        #expect(bench("break list").output.hasPrefix("no breakpoint: sluice break"))
    }

    @Test("G1 queues, why, forecast and break list say the stop, and resume goes on")
    func stops() throws {
        for type in ["a", "identify", "a"] { _ = bench("enqueue profiles \(type)") }
        _ = bench("queue set profiles --concurrency 4")
        _ = bench("break type:identify")
        let ahead = bench("forecast profiles --json").json["starts"]?.array ?? []
        #expect(ahead.map { $0["breakpoint"] } == [nil, 1, nil])
        #expect(bench("forecast profiles").output.contains("stopped by breakpoint 1"))
        try work()
        #expect(
            bench("queues").output.contains("stopped by breakpoint 1 before #2 identify, 0 ms ago"))
        let row = bench("queues").output.split(separator: "\n").last ?? ""
        #expect(row.contains("  at stop  ") && !row.contains("paused"), "\(row)")
        #expect(bench("queues --json").json["queues"]?[0]?["state"] == "paused")
        #expect(bench("forecast profiles").output.contains("in 1h, when breakpoint 1 ends"))
        let pause = bench("queues --json").json["queues"]?.array?.first?["pauses"]?.array?.first
        #expect(pause?["cause"] == "breakpoint" && pause?["by"] == "breakpoint 1")
        #expect(pause?["hits"]?.array?.first?["task"] == 2)
        let why = bench("why 2 --json").json["blockers"]?.array?.first
        #expect(why?["kind"] == "queuePaused" && why?["cause"] == "breakpoint")
        #expect(why?["text"]?.string?.hasPrefix("breakpoint 1 stopped the queue profiles") == true)
        #expect(why?["fix"] == "sluice resume profiles --breakpoints")
        #expect(bench("show 2").output.contains("breakpoint 1 stopped"))
        #expect(bench("break list").output.contains("stops profiles before #2 identify"))
        _ = bench("pause profiles")
        let held = bench("queues").output
        #expect(held.contains("  paused  ") && !held.contains("at stop"), "\(held)")
        _ = bench("undo")
        let resumed = bench("resume profiles --breakpoints --json").json
        #expect(resumed["state"] == "running")
        #expect(resumed["ended"]?.array?.first?["cause"] == "breakpoint")
        try work()
        #expect(bench("queues --json").json["queues"]?.array?.first?["counts"]?["waiting"] == 0)
    }

    @Test("G1 of one stop every breakpoint is named, whatever its moment")
    func moments() throws {
        for line in [
            "enqueue q a", "enqueue q a", "break type:a --on-failure", "break type:a --after",
        ] {
            _ = bench(line)
        }
        try work(1, ending: .handler(.giveUp(error: "no")))
        let whom = "breakpoints 1 and 2"
        #expect(bench("queues").output.contains("stopped by \(whom) after"))
        #expect(bench("why 2").output.contains("\(whom) stopped the queue q"))
        #expect(bench("resume q").output.contains("breakpoint (\(whom))"))
    }

    @Test("G1 a number that is not set is answered with those that are")
    func numbers() throws {
        _ = bench("break type:a")
        _ = bench("break type:b")
        #expect(bench("break remove 1").exit == .done)
        let one = bench("break remove 1").errors
        #expect(one == "sluice: there is no breakpoint 1; number 2 is set\n", "\(one)")
        _ = bench("break type:c")
        let two = bench("break remove 1").errors
        #expect(two == "sluice: there is no breakpoint 1; numbers 2 and 3 are set\n", "\(two)")
        _ = bench("enqueue q b")
        _ = bench("break type:b")
        try work()
        let removed = bench("break remove 2 4").output
        #expect(removed.contains("q is not stopped by them any more"), "\(removed)")
    }

    /// Bad input: the words, the code, and what the message names.
    static let badInput: [(words: [String], code: String, names: String)] = [
        (["break"], "badValue", "FILTER is missing"),
        (["break", ""], "badFilter", "empty"),
        (["break", "state:failed"], "badFilter", "\"state:failed\""),
        (["break", "age>5m"], "badFilter", "\"age>5m\""),
        (["break", "error:x"], "badFilter", "\"error:x\""),
        (["break", "error:x", "--after"], "badFilter", "\"error:x\""),
        (["break", "tpye:x"], "badFilter", "type"),
        (["break", "type:x", "type:y"], "badValue", "one argument too many"),
        (
            ["break", "type:x", "payload.a=1", "attempts=0", "--times", "2"], "badValue",
            "blanks: sluice break 'type:x payload.a=1 attempts=0' --times 2"
        ),
        (["break", "type:x", "--before", "--after"], "badValue", "two moments"),
        (["break", "type:x", "--at-hit", "0"], "badValue", "--at-hit"),
        (["break", "type:x", "--times", "-1"], "badValue", "--times"),
        (["break", "type:x", "--times", "9999999999"], "badValue", "--times"),
        (["break", "type:x", "--for", "soon"], "badValue", "--for"),
        (["break", "type:x", "--for", "0s"], "badValue", "--for"),
        (["break", "type:x", "--until", "1h"], "badValue", "--until"),
        (["break", "remove"], "badValue", "--all"),
        (["break", "remove", "x"], "badValue", "N"),
        (["break", "remove", "7"], "badValue", "breakpoint 7"),
        (["break", "remove", "--all", "1"], "badValue", "too many"),
        (["break", "list", "1"], "badValue", "too many"),
        (["resume", "--all", "--breakpoints"], "badValue", "one QUEUE"),
    ]

    @Test("G1 bad input is named, and changes nothing", arguments: badInput.indices)
    func mistakes(_ place: Int) throws {
        let row = Self.badInput[place]
        _ = bench("break type:kept")
        let before = try bench.contents()
        let outcome = bench.run(row.words + ["--json"])
        #expect(outcome.errorCode == row.code, "\(row.words)")
        #expect(
            outcome.errors.contains(row.names.replacing("\"", with: "\\\"")), "\(outcome.errors)")
        #expect(outcome.exit == .usage || row.words.last == "7", "\(row.words)")
        #expect(try bench.contents() == before)
    }
}
