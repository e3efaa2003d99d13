import SluiceControl
import SluiceModel
import SluiceStore
import SluiceSystem
import Testing

@testable import SluiceCommand

@Suite("answers of commands")
struct AnswerTests {
    @Test("a line of another queue is refused, and --any-queue takes it")
    func otherQueue() throws {
        var bench = Bench()
        bench.input = "{\"type\":\"a\",\"queue\":\"q\"}\n{\"type\":\"b\",\"queue\":\"other\"}\n"
        let refused = bench("enqueue q --jsonl -")
        #expect(refused.exit == .usage)
        #expect(refused.errors.contains("line 2: queue: \"other\" is not the queue"))
        #expect(refused.errors.contains("--any-queue"))
        #expect(try bench.store.readBlocking { try $0.queues() }.isEmpty)
        #expect(bench("enqueue q --jsonl - --any-queue").exit == .done)
        #expect(try bench.store.readBlocking { try $0.counts(queue: "q")[.waiting] } == 2)
        #expect(bench("enqueue q t --any-queue").exit == .usage)
    }

    @Test("T5 the JSON of an enqueue says what was kept, and its state")
    func kept() {
        let bench = Bench()
        _ = bench("enqueue q t --unique k")
        _ = bench("skip 1")
        let answer = bench("enqueue q t --unique k --json")
        #expect(
            answer.json == [
                "ids": [1], "created": .null, "kept": [["id": 1, "state": "skipped"]],
            ])
        #expect(bench("enqueue q t --unique k").output.hasPrefix("kept #1, which is skipped"))
    }

    @Test("an answer that cannot be written says that the change was made")
    func unwritten() throws {
        let bench = Bench()
        bench.refusedOutput.withLock { $0 = SystemError(.write, reason: .code(28)) }
        let change = bench("enqueue q t")
        #expect(change.exit == .unwritten)
        #expect(change.errors.contains("standard output: the change was made"))
        #expect(try bench.store.readBlocking { try $0.counts(queue: "q")[.waiting] } == 1)
        let reading = bench("queues")
        #expect(reading.exit == .unwritten)
        #expect(reading.errors.contains("standard output") && !reading.errors.contains("change"))
        let lines = bench("export -")
        #expect(lines.exit == .unwritten && lines.errors.contains("could not be written"))
        // A refusal is an error, and goes to standard error.
        #expect(bench("skip 9").exit == .refused)
    }

    @Test("a count of the inbox that may be larger is marked", arguments: [9_999, 10_000])
    func inbox(_ count: Int) {
        var inbox = InboxSummary()
        inbox.tasks = ["other": count - 1, "q0": 1]
        let lines = QueueText.lines(
            [], inbox: inbox, names: TaskNames(), now: Bench.start, real: Bench.start, width: nil)
        let mark = count == 10_000 ? "+" : ""
        #expect(lines.contains("inbox: 1\(mark) for q0, which is not there yet"))
    }

    @Test("refused rows that may be more are marked, also in JSON and in the sentences of doctor")
    func refusedRows() {
        var inbox = InboxSummary()
        inbox.refused = (1...100).map {
            InboxSummary.Refusal(table: "sluice_inbox", row: $0, queue: "q", error: "no type")
        }
        func line() -> String? {
            QueueText.lines(
                [], inbox: inbox, names: TaskNames(), now: Bench.start, real: Bench.start,
                width: nil
            ).last
        }
        #expect(line() == "inbox: 100 rows were refused, sluice doctor says why")
        #expect(InboxJSON.value(inbox)["refusedCapped"] == false)
        #expect(inbox.sentences.count == 100)
        inbox.hasMoreRefused = true
        #expect(line() == "inbox: 100+ rows were refused, sluice doctor says why")
        #expect(InboxJSON.value(inbox)["refusedCapped"] == true)
        #expect(
            inbox.sentences.last
                == "more than these 100 rows were refused: the error of each is in sluice_inbox")
        inbox.tasks = ["q": 10_000]
        #expect(InboxJSON.value(inbox)["tasksCapped"] == true)
        #expect(InboxJSON.value(inbox)["removalsCapped"] == false)
    }

    @Test("Q9 a task that has expired and still waits says so in its state")
    func expired() {
        let bench = Bench()
        _ = bench("enqueue q t --expires +1s")
        bench.clock.withLock { $0 = Bench.start + 5000 }
        #expect(bench("list q").output.contains("  failed: expired  "))
        #expect(bench("why 1").output.hasPrefix("#1 t: failed: expired\n"))
    }

    @Test("settings that a queue has already are no change")
    func sameSettings() throws {
        let bench = Bench()
        _ = bench("queue set q --concurrency 3")
        let answer = bench("queue set q --concurrency 3 --json")
        #expect(answer.json["undo"] == .null)
        let lines = bench("queue set q --concurrency 3").output
        #expect(lines == "settings of q unchanged: concurrency 3\n")
        #expect(bench("log --json").json["events"]?.array?.count == 1)
        #expect(bench("queue set q --concurrency 4").output.hasPrefix("settings of q changed"))
    }

    @Test("an option is no part of the verb that does not exist")
    func optionAfterHalf() {
        let error = Bench()("queue --json").errors
        #expect(error.contains(#"there is no verb \"queue\""#), "\(error)")
        #expect(Bench()("queue sett").errors.contains(#"no verb "queue sett""#))
    }

    @Test("a wrong word is answered in words that a person can use")
    func words() {
        let bench = Bench()
        _ = bench("enqueue q t")
        #expect(bench("help queue").errors.contains("sluice help queue set"))
        #expect(bench("pause q --until 5m").errors.contains("did you mean --for?"))
        #expect(bench("move 1 --to r").errors.contains("did you mean --queue?"))
        #expect(bench("schedule set s 0_3 q t").errors.contains("SPEC:") == false)
        #expect(bench("doctor").output.contains("1 task was checked"))
        #expect(bench("doctor --quick").output.contains("1 task was counted"))
        let name = bench.run(["enqueue", "que\u{1}", "t"]).errors
        #expect(name.contains("character 4 of the name of a queue is"))
    }

    @Test("a byte order mark before lines is passed over; half a character is named")
    func marks() {
        var bench = Bench()
        bench.input = "\u{FEFF}{\"type\":\"a\"}\n{\"type\":\"b\"}\n"
        #expect(bench("enqueue q --jsonl - --json").json["ids"] == [1, 2])
        bench.input = #"{"type":"a","payload":"\ud800"}"#
        let half = bench("enqueue q --jsonl -")
        #expect(half.exit == .usage && half.errors.contains("payloadBase64"))
    }

    @Test("D1 a second pause answers with the pause that holds")
    func secondPause() {
        let bench = Bench()
        _ = bench("enqueue q t")
        _ = bench("pause q --reason first")
        let answer = bench("pause q --for 2s --reason second")
        #expect(answer.output.hasPrefix("q stays paused by dana: first\n"))
        #expect(answer.output.contains("sluice resume q ends it"))
        #expect(!bench("log").output.contains("second"))
    }
}
