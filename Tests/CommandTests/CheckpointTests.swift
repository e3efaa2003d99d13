import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

/// Checkpoints, differences and restores at the command line.
@Suite("Checkpoint commands")
struct CheckpointTests {
    private var bench = Bench()

    /// Two tasks of a paused queue, and a checkpoint.
    private func prepare() {
        #expect(bench("enqueue profiles identify {\"user\":7}").exit == .done)
        #expect(bench("enqueue profiles track").exit == .done)
        #expect(bench("pause profiles").exit == .done)
        #expect(
            bench("checkpoint a").output
                == "checkpoint a taken by dana\nundo with: sluice undo 4\n")
    }

    @Test("G5 checkpoint takes, lists and removes, as the contract says")
    func takes() throws {
        prepare()
        let taken = bench("checkpoint --json")
        let one = try #require(taken.json["checkpoints"]?.array?.first)
        #expect(one.object?.keys == ["name", "at", "by", "changed"])
        #expect(one["name"] == "checkpoint-2" && one["by"] == "dana" && one["changed"] == 0)
        #expect(bench("priority 1 5").exit == .done)
        let list = bench("checkpoint list --json").json["checkpoints"]?.array ?? []
        #expect(list.map { $0["name"] } == ["a", "checkpoint-2"])
        #expect(list.map { $0["changed"] } == [1, 1])
        #expect(bench("checkpoint list").output.contains("checkpoint-2"))
        let removed = bench("checkpoint remove a --json")
        #expect(removed.json["checkpoints"]?.array?.map { $0["name"] } == ["checkpoint-2"])
        #expect(bench("checkpoint remove checkpoint-2").exit == .done)
        #expect(bench("checkpoint list").output.hasPrefix("no checkpoint: sluice checkpoint"))
    }

    @Test("G5 diff tells what changed, for people and as JSON")
    func tells() throws {
        prepare()
        #expect(bench("diff").output == "from a to now: nothing differs\n")
        _ = bench("priority 1 5")
        _ = bench("enqueue profiles late")
        _ = bench("queue set profiles --concurrency 7")
        #expect(
            bench("diff").output == """
                from a to now
                ~ #1 identify in profiles
                    priority: 0 → 5
                + #3 late in profiles
                ~ queue profiles
                    concurrency: 1 → 7

                """)
        let json = bench("diff a now --json").json
        #expect(json.object?.keys == ["from", "to", "tasks", "queues", "store", "effects"])
        let task = try #require(json["tasks"]?.array?.first)
        #expect(task["id"] == 1 && task["change"] == "changed")
        #expect(task["fields"] == [["name": "priority", "from": 0, "to": 5]])
        var terminal = bench
        terminal.columns = 80
        #expect(terminal("diff").output.contains("\u{1B}[32m+ #3 late in profiles\u{1B}[0m"))
        terminal.environment["NO_COLOR"] = "1"
        #expect(!terminal("diff").output.contains("\u{1B}"))
    }

    @Test("G5 diff says which values of a payload differ, wherever they stand in it")
    func payloads() throws {
        let long = String(repeating: "x", count: 99)
        #expect(bench("init").exit == .done)
        let payload = #"{"to":"\#(long)","items":[{"n":1},{"n":2}],"size":2600,"old":true}"#
        #expect(bench.run(["enqueue", "mail", "send", payload]).exit == .done)
        _ = bench("checkpoint a")
        let other = #"{"to": "\#(long)", "items": [{"n":1},{"n":3}], "size": 300, "new": null}"#
        #expect(bench.run(["edit", "1", "--payload", other]).exit == .done)
        #expect(
            bench("diff").output == """
                from a to now
                ~ #1 send in mail
                    payload.items[1].n: 2 → 3
                    payload.size: 2600 → 300
                    payload.old: true → none
                    payload.new: none → null

                """)
        let spaced = #"{"to": "\#(long)", "items": [{"n":1},{"n":2}], "size": 2600, "old": true}"#
        #expect(bench.run(["edit", "1", "--payload", spaced]).exit == .done)
        #expect(bench("diff").output.contains("payload: the same values, written otherwise\n"))
    }

    @Test("G5 diff says each field in words")
    func words() throws {
        prepare()
        _ = bench("skip 1 --by eve --for 1h")
        _ = bench("postpone 2 +1h")
        #expect(bench("edit 2 --set requires=network --set required=yes").exit == .done)
        _ = bench("pause profiles --direction enqueues --by eve")
        _ = bench("network off")
        let text = bench("diff").output
        #expect(text.contains("network: measured → off\n"), "\(text)")
        #expect(text.contains("    skipped: none → by eve, until 2027-01-15T09:00:00.000Z\n"))
        #expect(text.contains("    notBefore: none → 2027-01-15T09:00:00.000Z\n"))
        #expect(text.contains("    required: no → yes\n"), "\(text)")
        #expect(text.contains("    requires: none → network\n"), "\(text)")
        #expect(!text.contains("{") && !text.contains("[") && !text.contains("true"))
        _ = bench("unskip 1")
        _ = bench("skip 1 --by eve")
        #expect(bench("diff").output.contains("    skipped: none → by eve\n"))
        // A program gets the same as before.
        let skipped = bench("diff --json").json["tasks"]?[0]?["fields"]?[0]
        #expect(
            skipped == ["name": "skipped", "from": .null, "to": ["by": "eve", "until": .null]])
    }

    @Test("G5 restore counts beforehand, asks, and is undone by undo")
    func restores() throws {
        prepare()
        _ = bench("priority 1 5")
        _ = bench("enqueue profiles late")
        let rehearsed = bench("restore a --dry-run")
        #expect(rehearsed.exit == .done && rehearsed.output.hasSuffix("nothing was changed\n"))
        #expect(rehearsed.output.hasPrefix("restore a would change 2\n"))
        let unasked = bench("restore a --json")
        #expect(unasked.exit == .usage && unasked.errorCode == "noTerminal")
        var asked = bench
        asked.answers = ["n"]
        #expect(asked("restore a").output == "nothing was changed\n")
        #expect(bench("show 1 --json").json["priority"] == 5)
        asked.answers = ["y"]
        #expect(asked("restore a").exit == .done)
        #expect(bench("show 1 --json").json["priority"] == 0)
        #expect(bench("show 3 --json").json["state"] == "deleted")
        #expect(bench("undo").exit == .done)
        #expect(bench("show 1 --json").json["priority"] == 5)
        let done = bench("restore a --yes --json").json
        #expect(done.object?.keys == ["restored", "changed", "effects", "undo"])
        #expect(done["restored"] == "a" && done["changed"] == 2)
        #expect(done["undo"]?.integer != nil)
    }

    @Test(
        "G5 what cannot be is refused with what to do",
        arguments: [
            ("restore", "badValue"), ("restore nope --yes", "badValue"), ("diff x", "badValue"),
            ("diff a x", "badValue"), ("diff a b c", "badValue"), ("checkpoint a", "badName"),
            ("checkpoint remove", "badValue"), ("checkpoint remove x", "badValue"),
            ("checkpoint a b", "badValue"), ("checkpoint now", "badName"),
        ])
    func refused(_ line: String, _ code: String) {
        prepare()
        let outcome = bench("\(line) --json")
        #expect(outcome.errorCode == code && outcome.exit != .done)
    }

    @Test("G5 now stands second or is left out, and a refusal says so")
    func nowFirst() {
        prepare()
        let outcome = bench("diff now a")
        #expect(outcome.exit != .done)
        #expect(outcome.errors == "sluice: now comes second, or is left out; sluice diff a\n")
    }

    @Test("G5 init says how much checkpoints keep")
    func bound() {
        #expect(bench("init --checkpoints 1MiB --json").json["checkpointBytes"] == 1_048_576)
        #expect(bench("init").output.contains("checkpoints 1MiB"))
    }
}
