import SluiceModel
import Testing

@testable import SluiceCommand

@Suite("The JSON that scripts rely on")
struct ShapeTests {
    private static let task =
        "id reference queue type state display position priority sortKey groupStart groupMembers "
        + "attempts attemptLimit notBefore createdAt version label error blockers"
    private static let changes = "changed failed consequences undo"

    /// A command, the path to an object in its answer, and the keys of that object in their order.
    static let shapes: [(line: String, path: [String], keys: String)] = [
        (
            "queues", ["queues"],
            "name state order priority concurrency afterFailure start counts due dueCapped pauses "
                + "run nextRun oldest stuck"
        ),
        (
            "queues", ["queues", "counts"],
            "waiting running succeeded failed deleted held skipped parked"
        ),
        ("queues", ["inbox"], "queues tasksCapped removals removalsCapped refused refusedCapped"),
        ("list q", [], "queue tasks more"),
        ("list q", ["tasks"], task),
        (
            "list q --limit 1 --state waiting", ["tasks", "blockers"],
            "kind cause text task until fix"
        ),
        (
            "show 1", [],
            task + " payload attemptLog losses result expiresAt requires required unique session "
                + "clientString parent schedule headers followUps twins"
        ),
        ("why 2", [], "id runnable blockers"),
        ("forecast q", [], "queue starts more schedules"),
        ("forecast q", ["starts"], "id at holdsBack"),
        ("groups q", ["groups"], "name starts members heldBy"),
        ("results s", [], "session results"),
        (
            "results s", ["results"],
            "id type clientString state outcome failure error blockers progress result"
        ),
        ("timers", ["timers"], "id queue at kind schedule attempt attemptLimit"),
        ("log", ["events"], "sequence at kind queue task by text"),
        ("runners", [], "runners"), ("network", [], "forced queues runners"),
        ("pause q --reason why", [], "queue state ended pauses undo"),
        ("pause q --for 1m", ["pauses"], "cause by reason since until direction"),
        ("pause --all", [], "queue state ended pauses undo"),
        ("resume q", [], "queue state ended pauses undo"),
        ("enqueue new t", [], "ids created"),
        ("skip 1", [], changes), ("delete 1 99", [], changes),
        ("delete 1 99", ["failed"], "id code error"),
        ("postpone 1 +1m", [], changes), ("priority 1 5", [], changes),
        ("move 2 --first", [], changes), ("edit 1 --set label=x", [], changes),
        ("duplicate 1", [], changes), ("network off", [], changes), ("undo", [], changes),
        ("queue set q --concurrency 2", [], changes), ("queue delete q --yes", [], changes),
        ("delete 1 --dry-run", [], changes + " dryRun matched"),
        (
            "stats", ["queues"],
            "name counts attempts attemptsCapped succeeded notSucceeded p50Milliseconds "
                + "p95Milliseconds"
        ),
        ("version", [], "name version"),
    ]

    @Test("objects have the keys of the contract, in its order", arguments: shapes)
    func shape(_ line: String, _ path: [String], _ keys: String) {
        let bench = Bench()
        for made in [
            "enqueue q t {\"a\":1} --group-start g", "enqueue q t --group g",
            "enqueue q u --not-before +1h --session s --client-string x",
        ] { _ = bench(made) }
        var value = bench("\(line) --json").json
        for key in path {
            value = value[key] ?? .null
            value = value[0] ?? value
        }
        #expect(value.object?.keys == keys.split(separator: " ").map(String.init))
    }

    @Test("payloads keep integers exact, and what is no JSON goes as base64")
    func payloads() {
        let bench = Bench()
        _ = bench.run(["enqueue", "q", "t", #"{"n":12345678901234567890,"b":1e3}"#])
        _ = bench.run(["enqueue", "q", "t", "not json"])
        let shown = bench("show 1 --json").output
        #expect(shown.contains(#""payload":{"n":12345678901234567890,"b":1e3}"#))
        #expect(bench("show 2 --json").json["payloadBase64"] == "bm90IGpzb24=")
    }

    @Test("base64 reads back what it wrote", arguments: 0..<9)
    func base64(_ count: Int) {
        let bytes = (0..<count).map { UInt8(250 - $0 * 31 % 250) }
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }

    @Test("an error is one object, with code, message and fix")
    func errors() {
        let outcome = Bench()("pause nowhere --json")
        #expect(outcome.exit == .refused)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errorCode == "unknownQueue")
        #expect(
            (try? JSONValue.parse(outcome.errors))?["error"]?.object?.keys == [
                "code", "message", "fix",
            ])
    }
}
