import SluiceControl
import SluiceModel
import SluiceStore
import Testing

@testable import SluiceCommand

@Suite("Commands on many tasks")
struct BulkTests {
    /// A store with `count` waiting tasks in one queue.
    private func bench(_ count: Int) throws -> Bench {
        let bench = Bench()
        try bench.store.transactBlocking(at: Bench.start) { mutation in
            _ = try mutation.enqueue(
                Array(repeating: EnqueueRequest(type: "t"), count: count), to: "q")
        }
        return bench
    }

    private func count(_ bench: Bench, _ state: String) -> Int64? {
        bench("queues --json").json["queues"]?[0]?["counts"]?[state]?.integer
    }

    @Test("D10 above 1,000 tasks the number is asked for, with a sample before it")
    func confirmation() throws {
        var bench = try bench(1200)
        bench.answers = ["1199"]
        let refused = bench("delete --filter queue:q")
        #expect(refused.errors.contains("1,200 tasks match: #1 #2 #3 #4 #5 #6 #7 #8 #9 #10 …"))
        #expect(refused.errors.contains("type 1200 to continue"))
        #expect(refused.output == "nothing was changed\n")
        #expect(count(bench, "waiting") == 1200)
        bench.answers = ["1200"]
        let done = bench("delete --filter queue:q")
        #expect(done.exit == .done)
        #expect(done.output.hasPrefix("1,200 tasks deleted by dana\n"))
        #expect(count(bench, "deleted") == 1200)
        #expect(bench("undo --json").json["changed"]?.array?.count == 1200)
        #expect(count(bench, "waiting") == 1200)
    }

    @Test("D10 a bulk that is stopped says what was done and what was not, and ends with 130")
    func stopped() throws {
        var bench = try bench(2500)
        bench.stopsAt = 1000
        let outcome = bench("skip --filter queue:q --yes --json")
        #expect(outcome.exit == .interrupted)
        #expect(outcome.json["changed"]?.array?.count == 1000)
        #expect(outcome.json["failed"] == [])
        #expect(outcome.json["stopped"]?["left"]?.array?.count == 1500)
        #expect(outcome.json["stopped"]?["left"]?[0] == 1001)
        #expect(outcome.json["stopped"]?["error"] == .null)
        #expect(outcome.json["undo"]?.integer != nil)
        let again = bench("skip --filter state:due --yes")
        #expect(again.exit == .interrupted)
        #expect(again.output.contains("stopped: 500 tasks left as they were"))
        bench.stopsAt = nil
        #expect(bench("undo").exit == .done)
        #expect(bench("undo").exit == .done)
        #expect(count(bench, "skipped") == 0)
    }

    @Test("D10 a bulk that an error ends is partly done, and the error is said")
    func failed() {
        var answer = Answer()
        answer.changed = [1, 2]
        answer.undo = 7
        let error = QueueError(.diskFull, "the disk is full", fix: "make room")
        answer.stop = Answer.Stop(left: [TaskTarget(3)], error: error)
        let reply = AnswerText.reply(answer)
        #expect(reply.exit == .partlyDone && !reply.isConfirmation)
        #expect(reply.json["stopped"]?["error"]?["code"] == "diskFull")
        #expect(
            reply.lines == [
                "ended by an error: 1 task left as they were", "  the disk is full; make room",
                "undo with: sluice undo 7",
            ])
        answer.changed = []
        #expect(AnswerText.reply(answer).exit == .refused)
    }

    @Test("D10 an undo that is stopped goes on at the next undo")
    func stoppedUndo() throws {
        var bench = try bench(2500)
        #expect(bench("delete --filter queue:q --yes").exit == .done)
        bench.stopsAt = 500
        let outcome = bench("undo")
        #expect(outcome.exit == .interrupted)
        #expect(outcome.output.contains("the rest is still in place: undo continues with it"))
        bench.stopsAt = nil
        #expect(bench("undo --json").json["changed"]?.array?.count == 2000)
        #expect(count(bench, "deleted") == 0)
    }

    @Test("D10 --over spreads a retry or a postponement evenly")
    func over() throws {
        let bench = try bench(4)
        func times() -> [String?] {
            (1...4).map { bench("show \($0) --json").json["notBefore"]?.string }
        }
        #expect(bench("retry --filter queue:q --over 4m --yes").exit == .done)
        let start = Bench.start
        let wanted = [nil] + (1...3).map { TimeText.rfc3339(start + Int64($0) * 60_000) }
        #expect(times() == wanted)
        #expect(bench("postpone 1 2 +1h --over 10s").exit == .done)
        let later = start + 3_600_000
        #expect(times()[0] == TimeText.rfc3339(later))
        #expect(times()[1] == TimeText.rfc3339(later + 5000))
        #expect(bench("skip 1 --over 10s").exit == .usage)
    }

    @Test("D10 --dry-run of many tries every slice out and changes nothing")
    func dryRun() throws {
        let bench = try bench(1200)
        let outcome = bench("delete --filter queue:q --dry-run --json")
        #expect(outcome.json["matched"] == 1200)
        #expect(outcome.json["changed"]?.array?.count == 1200)
        #expect(count(bench, "waiting") == 1200)
    }
}
