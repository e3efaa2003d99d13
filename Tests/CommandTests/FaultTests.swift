import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

/// Faults at the command line.
@Suite("Fault commands")
struct FaultTests {
    private let bench = Bench()

    /// Runs a worker whose handlers succeed.
    private func work(allowsCrash: Bool = false) throws {
        let now = bench.clock.withLock { $0 }
        try bench.store.writeBlocking { store in
            try store.transact(at: now) { mutation in
                var process = ProcessRecord(
                    id: 0, role: .runner, host: "h", bootID: "b", pid: 7, lockName: "l",
                    attachedAt: now)
                (process.slots, process.allowsCrash) = (8, allowsCrash)
                let runner = try mutation.attach(process).id
                let claimed = try mutation.claim(
                    ClaimRequest(runner: runner, freeSlots: 8, inFlight: 0))
                _ = try mutation.settle(
                    claimed.map { one in
                        let error = one.task.running?.injection?.kind.error
                        return Completion(
                            task: one.task.id, token: one.task.running?.token ?? 0,
                            ending: .handler(
                                error == nil ? .success(result: nil) : .giveUp(error: error)))
                    })
            }
        }
    }

    private static let keys = [
        "id", "where", "kind", "text", "left", "chance", "seed", "applied", "until", "by",
    ]

    @Test("G2 fault answers with what it set, fault list with all that there are")
    func sets() throws {
        let set = bench.run([
            "fault", "type:identify queue:profiles", "fail=HTTP 500", "--times=3", "--for", "none",
            "--json",
        ])
        let one = try #require(set.json["faults"]?.array?.first)
        #expect(one.object?.keys == Self.keys)
        #expect(one["where"] == "type:identify queue:profiles" && one["kind"] == "fail")
        #expect(one["text"] == "HTTP 500" && one["left"] == 3 && one["applied"] == 0)
        #expect(one["chance"] == .null && one["seed"] == .null && one["until"] == .null)
        #expect(one["by"] == "dana" && set.json["undo"]?.integer != nil)
        let text = bench("fault type:a retry-after=30s")
        #expect(text.exit == .done)
        #expect(
            text.output.hasPrefix(
                "fault 2 set by dana: retry-after=30s in the next attempt of type:a, for 1h\n"))
        let drawn = bench("fault type:a twice --chance 0.25 --json").json["faults"]?.array?.first
        // A chance shows its seed.
        #expect(drawn?["chance"]?.double == 0.25 && drawn?["seed"] == 3 && drawn?["left"] == .null)
        #expect(drawn?["until"] == "2027-01-15T09:00:00.000Z")
        let list = bench("fault list --json").json["faults"]?.array ?? []
        #expect(list.map { $0["kind"] } == ["fail", "retryAfter", "twice"])
        #expect(list.map { $0["text"] } == ["HTTP 500", "30s", .null])
        #expect(bench("fault list").output.contains("chance 0.25, seed 3"))
        #expect(bench("undo").exit == .done)
        #expect(bench("fault list --json").json["faults"]?.array?.count == 2)
        #expect(bench("fault remove 1 2").exit == .done)
        #expect(bench("fault list").output.hasPrefix("no fault: sluice fault"))
    }

    @Test("G2 show, its JSON, log, why, forecast and the export say what was injected")
    func told() throws {
        for type in ["a", "identify"] { _ = bench("enqueue profiles \(type)") }
        _ = bench("queue set profiles --concurrency 4 --keep-finished 9")
        _ = bench("fault type:identify fail=declined")
        _ = bench("fault type:a delay=2s")
        try work()
        let first = bench("show 2 --json").json["attemptLog"]?.array?.first
        #expect(first?["injected"] == true && first?["fault"] == 1)
        #expect(first?["error"] == "declined")
        #expect(bench("show 2").output.contains("injected: fault 1, fail=declined"))
        #expect(bench("show 1").output.contains("injected: fault 2, delay=2s"))
        let log = bench("log").output
        #expect(log.contains("fault 1 injected fail=declined into attempt 1 of #2 identify"))
        #expect(log.contains("declined (injected: fault 1)"))
        #expect(bench("why 2").output.contains("injected: fault 1"))
        let exported = bench("export -").output
        #expect(exported.contains(#""fault":1,"faultKind":"fail=declined""#))
        #expect(bench("enqueue profiles b").exit == .done)
        _ = bench("fault type:b give-up=no")
        let ahead = bench("forecast profiles --json").json["starts"]?.array ?? []
        #expect(ahead.map { $0["fault"] } == [3])
        #expect(bench("forecast profiles").output.contains("fault 3 goes into it"))
        #expect(bench("why 3").output.contains("if it started now: fault 3, give-up=no"))
        #expect(bench("why 3 --json").json["fault"] == 3)
        _ = bench("fault remove --all")
        try work()
        let plain = bench("show 3 --json").json["attemptLog"]?.array?.first
        #expect(plain?["injected"] == false && plain?["fault"] == .null)
    }

    @Test("why and a report name a task's fault before the tasks that hold it back")
    func chain() throws {
        _ = bench("enqueue q first --group-start g")
        _ = bench("enqueue q second --group g")
        _ = bench("fault type:second give-up=no")
        for command in ["why 2", "report 2"] {
            let lines = bench(command).output.split(separator: "\n").map(String.init)
            let fact = try #require(lines.firstIndex { $0.hasPrefix("  if it started now") })
            let holder = try #require(lines.firstIndex { $0.hasPrefix("#1 first: ") })
            #expect(fact < holder, "\(lines)")
        }
    }

    /// Bad input: the words, the code, and what the message names.
    static let badInput: [(words: [String], code: String, names: String)] = [
        (["fault"], "badValue", "FILTER is missing"),
        (["fault", "type:a"], "badValue", "KIND"),
        (["fault", "", "fail"], "badFilter", "empty"),
        (["fault", "state:failed", "fail"], "badFilter", "\"state:failed\""),
        (["fault", "error:x", "fail"], "badFilter", "\"error:x\""),
        (["fault", "tpye:x", "fail"], "badFilter", "type"),
        (["fault", "type:x", "fail", "now"], "badValue", "one argument too many"),
        (
            ["fault", "type:x", "fail=HTTP", "500"], "badValue",
            "blanks: sluice fault type:x 'fail=HTTP 500'"
        ),
        (
            ["fault", "type:x", "attempts=0", "fail=HTTP", "500"], "badValue",
            "blanks: sluice fault 'type:x attempts=0' 'fail=HTTP 500'"
        ),
        (
            ["fault", "type:x", "attempts=0", "twice"], "badValue",
            "blanks: sluice fault 'type:x attempts=0' twice"
        ),
        (["fault", "type:x", "burn"], "badValue", "crash-before"),
        (["fault", "type:x", "delay=long"], "badValue", "delay"),
        (["fault", "type:x", "fail", "--times", "0"], "badValue", "--times"),
        (["fault", "type:x", "fail", "--chance", "1.1"], "badValue", "--chance"),
        (["fault", "type:x", "fail", "--chance", "-0.1"], "badValue", "--chance"),
        (["fault", "type:x", "fail", "--chance", "nan"], "badValue", "--chance"),
        (["fault", "type:x", "fail", "--chance", "10%"], "badValue", "--chance"),
        (["fault", "type:x", "fail", "--seed", "3"], "badValue", "--chance"),
        (["fault", "type:x", "fail", "--chance", "1", "--seed", "x"], "badValue", "--seed"),
        (["fault", "type:x", "fail", "--chance", "1", "--times", "2"], "badValue", "--times"),
        (["fault", "type:x", "fail", "--for", "0s"], "badValue", "--for"),
        (["fault", "remove"], "badValue", "--all"),
        (["fault", "remove", "x"], "badValue", "N"),
        (["fault", "remove", "7"], "badValue", "fault 7"),
        (["fault", "remove", "--all", "1"], "badValue", "too many"),
        (["fault", "list", "1"], "badValue", "too many"),
    ]

    @Test("G2 bad input is named, and changes nothing", arguments: badInput.indices)
    func mistakes(_ place: Int) throws {
        let row = Self.badInput[place]
        _ = bench("fault type:kept fail")
        let before = try bench.contents()
        let outcome = bench.run(row.words + ["--json"])
        #expect(outcome.errorCode == row.code, "\(row.words)")
        #expect(
            outcome.errors.contains(row.names.replacing("\"", with: "\\\"")), "\(outcome.errors)")
        #expect(outcome.exit == .usage || row.words.last == "7", "\(row.words)")
        #expect(try bench.contents() == before)
    }

    @Test("G2 whom a crash kills is said when it is set, and in JSON")
    func crash() throws {
        let text = bench("fault type:x crash-after")
        #expect(text.output.contains("no attached worker takes it"))
        let json = bench("fault type:x crash-after --json").json
        #expect(json["consequences"]?.array?.count == 1)
        #expect(json["faults"]?.array?.first?["kind"] == "crashAfter")
    }
}
